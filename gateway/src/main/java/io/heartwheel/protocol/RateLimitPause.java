package io.heartwheel.protocol;

import io.heartwheel.session.Session.State;
import java.util.concurrent.TimeUnit;

/**
 * The rest of a peer that sends faster than it may: it is not read until its allowance has room again. Exists only while the peer rests, as the task
 * that ends it.
 *
 * <p>Event loop of the connection only.
 */
final class RateLimitPause implements Runnable {
    private final Connection connection;

    private RateLimitPause(Connection connection) {
        this.connection = connection;
    }

    /** Reading from this peer rests from now on, which it does not yet. */
    static void begin(Connection connection, long nowNanos) {
        ReadPauses.add(connection, ReadPauses.TOO_FAST);
        connection.rest(true, nowNanos);
        new RateLimitPause(connection).awaken(connection.restNanos(nowNanos));
    }

    private void awaken(long inNanos) {
        connection.context().channel().eventLoop().schedule(this, inNanos, TimeUnit.NANOSECONDS);
    }

    /** Its time is over, unless the limits have changed meanwhile. */
    @Override
    public void run() {
        if (connection.state() == State.CLOSED) {
            return;
        }
        long nowNanos = connection.sessionContext().nanoTime();
        long restNanos = connection.restNanos(nowNanos);
        if (restNanos > 0) {
            awaken(restNanos);
        } else {
            connection.rest(false, nowNanos);
            ReadPauses.end(connection, ReadPauses.TOO_FAST);
        }
    }
}
