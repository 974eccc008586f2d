package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/** A connection as its timeout sees it: the time of its last activity, and a handle. As a session has it. */
class Connection {

    private static final VarHandle LAST_ACTIVITY;

    static {
        try {
            LAST_ACTIVITY = MethodHandles.lookup().findVarHandle(Connection.class, "lastActivityNanos", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    int handle;

    @SuppressWarnings("UnusedVariable") // by the handle above
    private long lastActivityNanos;

    final void activity(long nowNanos) {
        LAST_ACTIVITY.setOpaque(this, nowNanos);
    }

    final long lastActivityNanos() {
        return (long) LAST_ACTIVITY.getOpaque(this);
    }

    /** Connections in random order, as after an hour of coming and going: what arms them in a row finds them anywhere. */
    static Connection[] make(int count) {
        return shuffled(new Connection[count], Connection::new);
    }

    /** Fills the array with newly made ones, in random order. */
    static <T> T[] shuffled(T[] all, Supplier<T> maker) {
        for (int i : Touch.shuffled(all.length)) {
            all[i] = maker.get();
        }
        return all;
    }
}
