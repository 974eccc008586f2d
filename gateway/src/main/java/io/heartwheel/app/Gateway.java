package io.heartwheel.app;

import io.heartwheel.config.GatewaySettings;
import java.util.concurrent.CountDownLatch;

/** Stands in for the gateway until it is there. */
public final class Gateway {
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Starts nothing yet. */
    public static Gateway start(GatewaySettings settings) {
        return new Gateway();
    }

    /** Begins the drain. Idempotent. */
    public void shutdown() {
        ended.countDown();
    }

    /** Returns when all has ended. */
    public void awaitTermination() throws InterruptedException {
        ended.await();
    }
}
