package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What a connection is to its timeout: the time of its last activity, and a handle. As a session has it. */
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

    /** Objects of plain connections. */
    static Connection[] make(int count) {
        Connection[] all = new Connection[count];
        for (int i = 0; i < count; i++) {
            all[i] = new Connection();
        }
        return all;
    }
}
