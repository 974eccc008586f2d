package io.heartwheel.loadgen.client;

/**
 * Deadlines of the gateway that it does not tell its devices; nanoseconds, {@link #NEVER} where it has none.
 *
 * @param handshakeNanos accept to HELLO
 * @param progressNanos first byte of a message to its last
 * @param progressBytesPerSecond for so many bytes of it a second more, over 0
 * @param writeNanos a socket that takes nothing
 */
public record Timeouts(long handshakeNanos, long progressNanos, int progressBytesPerSecond, long writeNanos) {

    /** No such deadline: longer than any run, short enough to be added to a time. */
    public static final long NEVER = Long.MAX_VALUE / 4;

    /**
     * Of {@code progressNanos} and {@code writeNanos}: the deadline is that of silence. What is not whole is nothing, and who
     * takes no bytes gets none out either.
     */
    public static final long SILENCE = 0;
}
