package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthCheckTest {
    private static final long SECOND = 1_000_000_000;
    /** So that the clock wraps on the way. */
    private static final long START = Long.MAX_VALUE - SECOND;

    private long nowNanos = START;
    private long loopNanos = START;
    private long wheelNanos = START;

    private final HealthCheck healthCheck = new HealthCheck(
            List.of(
                    new HealthCheck.Pulse("event loop 0", () -> loopNanos),
                    new HealthCheck.Pulse("wheel", () -> wheelNanos)),
            Duration.ofSeconds(5),
            () -> nowNanos);

    @Test
    void problems_allBeatLately_none() {
        nowNanos += 5 * SECOND;
        assertEquals(List.of(), healthCheck.problems());
    }

    @Test
    void problems_oneSilentForTooLong_isNamed() {
        nowNanos += 7 * SECOND + SECOND / 4;
        wheelNanos = nowNanos - SECOND;
        assertEquals(List.of("event loop 0 has not turned for 7.3 s"), healthCheck.problems());
    }
}
