package io.heartwheel.process;

import java.util.ArrayList;
import java.util.List;

/** A gateway with one loop stopped until its metrics say that it is stuck, and the pages scraped meanwhile. */
final class StuckLoop {
    /** Of the gateway's two. */
    static final int LOOP = 1;

    /** As /healthz has it, and the alert. */
    static final double STUCK_SECONDS = 5;

    private static final String LAG = "heartwheel_loop_lag_seconds";

    /** The lag of the loop at each scrape until it was stuck. */
    final List<Double> scraped = new ArrayList<>();

    /** While it stood. */
    final GatewayProcess.Answer readiness;

    final GatewayProcess.Answer health;
    final MetricsPage page;

    /** Stops the loop, and lets it go on when its page says that it stands. */
    StuckLoop(GatewayProcess gateway) throws Exception {
        try (LoopFreezer loops = new LoopFreezer(gateway);
                LoopFreezer.Frozen frozen = loops.freeze(LOOP)) {
            Await.until("the page says that it is stuck", () -> {
                scraped.add(lag(gateway.metrics(), LOOP));
                return scraped.get(scraped.size() - 1) > STUCK_SECONDS;
            });
            page = gateway.metrics();
            health = gateway.admin("GET", "/healthz");
            readiness = gateway.admin("GET", "/readyz");
        }
    }

    static double lag(MetricsPage page, int loop) {
        return page.sum(LAG, "loop=\"" + loop + "\"");
    }

    /** A gateway whose loops can be stopped. */
    static GatewayProcess gateway() throws Exception {
        return new GatewaySetup().jvm(LoopFreezer.AGENT).start();
    }
}
