package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Requests and settings for tests. */
final class Asking {
    static final CacheSettings CACHE = new CacheSettings(true, 1_024, Duration.ofMinutes(5), Duration.ofSeconds(5));
    static final BreakerSettings BREAKER =
            new BreakerSettings(5, 0.5, 20, Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(30));

    private Asking() {}

    static AuthRequest device(String id, String token, long deadlineNanos) {
        return request(id, token, false, deadlineNanos);
    }

    static AuthRequest renewing(String id, String token, long deadlineNanos) {
        return request(id, token, true, deadlineNanos);
    }

    private static AuthRequest request(String id, String token, boolean renewal, long deadlineNanos) {
        return new AuthRequest(
                id.getBytes(StandardCharsets.UTF_8),
                token.getBytes(StandardCharsets.UTF_8),
                new byte[] {10, 0, 0, 7},
                "tcp",
                "heartwheel.v1",
                "firmware 4.2",
                60_000,
                List.of(),
                renewal,
                deadlineNanos);
    }

    static HttpSettings settings(URI url, Duration timeout, OnOutage onOutage) {
        return new HttpSettings(
                url, null, null, timeout, 16, CACHE, BREAKER, onOutage, Duration.ofHours(1), Duration.ofMinutes(15));
    }
}
