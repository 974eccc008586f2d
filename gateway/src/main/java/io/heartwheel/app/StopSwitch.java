package io.heartwheel.app;

import org.jspecify.annotations.Nullable;

/**
 * Asks a gateway to end, also one that is only just starting, or to read its configuration again. Any thread; guarded by itself.
 */
final class StopSwitch {
    private boolean asked;
    private @Nullable Runnable shutdown;
    private @Nullable Runnable reload;

    /** The gateway stands; it is shut down at once if that was asked for meanwhile. */
    void started(Running gateway) {
        Runnable shutdownOfGateway = gateway::shutdown;
        boolean now;
        synchronized (this) {
            shutdown = shutdownOfGateway;
            reload = gateway::reload;
            now = asked;
        }
        if (now) {
            shutdownOfGateway.run();
        }
    }

    /**
     * Asks for a reload, on the caller's thread.
     *
     * @return false if there is no gateway yet, which then has just read its configuration
     */
    boolean reload() {
        Runnable action;
        synchronized (this) {
            action = reload;
        }
        if (action == null) {
            return false;
        }
        action.run();
        return true;
    }

    /** Asks; returns whether this was the first time. */
    boolean stop() {
        Runnable action;
        synchronized (this) {
            if (asked) {
                return false;
            }
            asked = true;
            action = shutdown;
        }
        if (action != null) {
            action.run();
        }
        return true;
    }
}
