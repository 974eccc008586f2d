package io.heartwheel.session;

/**
 * Time window and address for a device that is sent away to come back.
 *
 * @param retryMinMillis start of the window, 0..4294967295
 * @param retryMaxMillis end of the window, retryMinMillis..4294967295
 * @param alternateHost {@code host:port}, or empty for the same address; at most 255 bytes of UTF-8
 */
public record GoAway(long retryMinMillis, long retryMaxMillis, String alternateHost) {
    /** At once, to the same address. */
    public static final GoAway AT_ONCE = new GoAway(0, 0, "");

    /** @throws IllegalArgumentException naming what is out of range */
    public GoAway {
        if (retryMinMillis < 0 || retryMaxMillis < retryMinMillis || retryMaxMillis > 0xFFFFFFFFL) {
            throw new IllegalArgumentException(
                    "retry window = " + retryMinMillis + ".." + retryMaxMillis + " ms: need 0 <= min <= max < 2^32");
        }
        if (alternateHost.length() > 255) {
            throw new IllegalArgumentException("alternate-host: need at most 255 characters");
        }
    }

    /** The same window, to another address. */
    public GoAway to(String host) {
        return new GoAway(retryMinMillis, retryMaxMillis, host);
    }
}
