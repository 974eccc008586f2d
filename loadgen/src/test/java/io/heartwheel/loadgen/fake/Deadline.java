package io.heartwheel.loadgen.fake;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One timer of a {@link FakePeer}: set anew, it forgets what was set before. When its time has come it waits for a moment
 * more, so that the loop reads first what lies in its sockets: a gateway that stood still itself is not to blame anybody.
 * On the connection's event loop.
 */
final class Deadline {

    private static final long SECOND_LOOK_MILLIS = 5;

    private ScheduledFuture<?> pending;

    /** Runs it after so many milliseconds, or never when they are below 0. */
    void set(EventExecutor loop, long millis, Runnable then) {
        clear();
        if (millis >= 0) {
            pending = loop.schedule(
                    () -> {
                        pending = loop.schedule(then, SECOND_LOOK_MILLIS, TimeUnit.MILLISECONDS);
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
        }
    }

    boolean isSet() {
        return pending != null && !pending.isDone();
    }

    void clear() {
        if (pending != null) {
            pending.cancel(false);
            pending = null;
        }
    }
}
