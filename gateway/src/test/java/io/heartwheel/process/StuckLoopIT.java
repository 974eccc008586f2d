package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A stuck event loop: metrics, health and readiness report it while it is stuck, from other threads. Alone, because of what it measures. */
@Tag("timed")
@Isolated
class StuckLoopIT {
    /** Of the gateway's two. */
    private static final int LOOP = 1;

    /** As /healthz has it, and the alert HeartwheelLoopStuck. */
    private static final double STUCK_SECONDS = 5;

    @Test
    void loop_frozen_isToldWhileItIs() throws Exception {
        try (GatewayProcess gateway = new GatewaySetup().jvm(LoopFreezer.AGENT).start();
                LoopFreezer loops = new LoopFreezer(gateway)) {
            assertEquals(200, gateway.status("GET", "/readyz"));
            try (LoopFreezer.Frozen frozen = loops.freeze(LOOP)) {
                Await.until("the page says that it is stuck", () -> lag(gateway, LOOP) > STUCK_SECONDS);
                assertTrue(lag(gateway, 1 - LOOP) < STUCK_SECONDS);
                assertEquals(0, gateway.metrics().sum("heartwheel_ready"));
                assertEquals(503, gateway.status("GET", "/healthz"));
                GatewayProcess.Answer readiness = gateway.admin("GET", "/readyz");
                assertEquals(503, readiness.status(), readiness::toString);
                assertTrue(readiness.body().contains("event loop " + LOOP), readiness::body);
            }
            Await.until("ready again", () -> gateway.status("GET", "/readyz") == 200);
            Await.until("no lag", () -> lag(gateway, LOOP) < STUCK_SECONDS);
            assertTrue(
                    gateway.metrics().sum("heartwheel_loop_lag_max_seconds", "loop=\"" + LOOP + "\"") > STUCK_SECONDS);
        }
    }

    private static double lag(GatewayProcess gateway, int loop) throws IOException {
        return gateway.metrics().sum("heartwheel_loop_lag_seconds", "loop=\"" + loop + "\"");
    }
}
