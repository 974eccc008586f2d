package io.heartwheel.auth;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Requests for tests of what does not look at more than a few of their parts. */
public final class AuthRequests {
    private static final byte[] ADDRESS = {10, 0, 0, 1};

    /** Later than any test, on a clock that begins about 0. */
    static final long FAR_NANOS = 1L << 62;

    private AuthRequests() {}

    /** From 10.0.0.1, with all the time there is. */
    public static AuthRequest of(String device, String token) {
        return of(device, token, ADDRESS, FAR_NANOS, false);
    }

    public static AuthRequest of(String device, String token, byte[] address, long deadlineNanos, boolean renewal) {
        return of(device, token.getBytes(StandardCharsets.UTF_8), address, deadlineNanos, renewal);
    }

    public static AuthRequest of(String device, byte[] token, byte[] address, long deadlineNanos, boolean renewal) {
        return new AuthRequest(
                device.getBytes(StandardCharsets.UTF_8),
                token,
                address,
                "tcp",
                "heartwheel",
                "",
                0,
                List.of(),
                renewal,
                deadlineNanos);
    }
}
