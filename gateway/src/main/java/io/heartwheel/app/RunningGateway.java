package io.heartwheel.app;

import io.heartwheel.admin.ReloadReport;
import io.heartwheel.config.LoadedConfig;

/** A gateway that was started, as much of it as the command line needs to see. */
interface RunningGateway {
    /** Begins the drain; idempotent. */
    void shutdown();

    /** Reads the configuration again. Blocks on files. */
    ReloadReport reload();

    /** Returns when all has ended. */
    void awaitTermination() throws Exception;

    /** Starts a gateway. */
    @FunctionalInterface
    interface Starter {
        /** Returns when the listeners are bound. */
        RunningGateway start(LoadedConfig config, LoadedConfig.Source source) throws Exception;
    }
}
