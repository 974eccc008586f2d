package io.heartwheel.loadgen.client;

/**
 * Token that a device shows, and until when it is good.
 *
 * @param token empty: none, as with a client certificate
 * @param expiresNanos when it expires, nanoseconds since the run began; {@link #NEVER} if it does not
 */
public record Credential(String token, long expiresNanos) {

    /** Far enough ahead that nothing happens, near enough that a difference does not overflow. */
    public static final long NEVER = Long.MAX_VALUE / 2;

    /** Whether it expires at all. */
    public boolean expires() {
        return expiresNanos < NEVER;
    }
}
