package io.heartwheel.app;

import io.heartwheel.config.LoadedConfig;

/** A gateway that was started, as much of it as the command line needs to see. */
interface RunningGateway {
    /** Begins the drain; idempotent. */
    void shutdown();

    /** Reads the configuration again. Blocks on files. */
    void reload();

    /** Returns when all has ended. */
    void awaitTermination() throws Exception;

    /** How a gateway is started. */
    @FunctionalInterface
    interface Starter {
        /** Returns when the listeners are bound. */
        RunningGateway start(LoadedConfig config, Reloader.Source source) throws Exception;
    }

    /** The real one. */
    static RunningGateway of(Gateway gateway) {
        return new RunningGateway() {
            @Override
            public void shutdown() {
                gateway.shutdown();
            }

            @Override
            public void reload() {
                gateway.reload();
            }

            @Override
            public void awaitTermination() throws Exception {
                gateway.awaitTermination();
            }
        };
    }
}
