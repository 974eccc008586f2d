package io.heartwheel.app;

import org.jspecify.annotations.Nullable;

/**
 * Switch that asks a gateway to end, even one that is still starting, or to reload its configuration. Any thread; guarded by itself.
 */
final class StopSwitch {
    private boolean asked;
    private boolean reloadAsked;
    private @Nullable RunningGateway running;

    /** The gateway stands; it is shut down, or reads its configuration again, at once if that was asked for meanwhile. */
    void started(RunningGateway gateway) {
        boolean shutdownNow;
        boolean reloadNow;
        synchronized (this) {
            running = gateway;
            shutdownNow = asked;
            reloadNow = reloadAsked;
        }
        if (shutdownNow) {
            gateway.shutdown();
        } else if (reloadNow) {
            gateway.reload();
        }
    }

    /**
     * Asks for a reload, on the caller's thread.
     *
     * @return false if the gateway is still starting; it reads its configuration again when it has started
     */
    boolean reload() {
        RunningGateway gateway;
        synchronized (this) {
            gateway = running;
            reloadAsked = gateway == null;
        }
        if (gateway == null) {
            return false;
        }
        gateway.reload();
        return true;
    }

    /** Asks; returns whether this was the first time. */
    boolean stop() {
        RunningGateway gateway;
        synchronized (this) {
            if (asked) {
                return false;
            }
            asked = true;
            gateway = running;
        }
        if (gateway != null) {
            gateway.shutdown();
        }
        return true;
    }
}
