package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A stuck event loop: metrics, health and readiness report it while it is stuck, from other threads. Alone, because of what it measures. */
@Tag("timed")
@Isolated
class StuckLoopIT {
    @Test
    void loop_frozen_isToldWhileItIs() throws Exception {
        try (GatewayProcess gateway = StuckLoop.gateway()) {
            assertEquals(200, gateway.admin("GET", "/readyz").status());
            StuckLoop stuck = new StuckLoop(gateway);

            assertEquals(503, stuck.health.status(), stuck.health::toString);
            assertEquals(503, stuck.readiness.status(), stuck.readiness::toString);
            assertTrue(stuck.readiness.body().contains("event loop " + StuckLoop.LOOP), stuck.readiness::body);
            assertEquals(0, stuck.page.sum("heartwheel_ready"));
            assertTrue(StuckLoop.lag(stuck.page, 1 - StuckLoop.LOOP) < StuckLoop.STUCK_SECONDS, stuck.page::toString);

            Await.until("ready again", () -> gateway.admin("GET", "/readyz").status() == 200);
            Await.until("no lag", () -> StuckLoop.lag(gateway.metrics(), StuckLoop.LOOP) < StuckLoop.STUCK_SECONDS);
            assertTrue(gateway.metrics().sum("heartwheel_loop_lag_max_seconds", "loop=\"" + StuckLoop.LOOP + "\"")
                    > StuckLoop.STUCK_SECONDS);
        }
    }
}
