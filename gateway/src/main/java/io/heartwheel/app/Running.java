package io.heartwheel.app;

/** A gateway that was started, as much of it as the command line needs to see. */
interface Running {
    /** Begins the drain; idempotent. */
    void shutdown();

    /** Returns when all has ended. */
    void awaitTermination() throws Exception;

    /** How a gateway is started. */
    @FunctionalInterface
    interface Starter {
        /** Returns when the listeners are bound. */
        Running start(io.heartwheel.config.GatewaySettings settings) throws Exception;
    }

    /** The real one. */
    static Running of(Gateway gateway) {
        return new Running() {
            @Override
            public void shutdown() {
                gateway.shutdown();
            }

            @Override
            public void awaitTermination() throws Exception {
                gateway.awaitTermination();
            }
        };
    }
}
