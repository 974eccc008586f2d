package io.heartwheel.app;

import org.jspecify.annotations.Nullable;

/**
 * Asks a gateway to end, also one that is only just starting. Any thread; guarded by itself.
 */
final class StopSwitch {
    private boolean asked;
    private @Nullable Runnable shutdown;

    /** The gateway stands; it is shut down at once if that was asked for meanwhile. */
    void started(Runnable shutdownOfGateway) {
        boolean now;
        synchronized (this) {
            shutdown = shutdownOfGateway;
            now = asked;
        }
        if (now) {
            shutdownOfGateway.run();
        }
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
