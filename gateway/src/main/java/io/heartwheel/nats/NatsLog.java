package io.heartwheel.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.ErrorListener;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of what the client of NATS tells beside its answers, for whoever debugs; an operator is told of a permission that is missing, else of the state of the
 * cluster or the outlet as a whole. Any thread.
 */
final class NatsLog implements ErrorListener {
    private static final Logger LOG = LoggerFactory.getLogger(NatsLog.class);

    private static final String NOT_ALLOWED = "Permissions Violation";

    private final String name;
    private volatile @Nullable Exception latest;
    private volatile @Nullable Exception refusal;

    NatsLog(String name) {
        this.name = name;
    }

    /** Why the server will have none of us, if it has said so, else what failed last; null: nothing. */
    @Nullable
    Exception latest() {
        return refusal == null ? latest : refusal;
    }

    /** The server refuses our certificate, which the client keeps to itself: it says that the time has run out. */
    void refused(Exception why) {
        refusal = why;
    }

    @Override
    public void errorOccurred(Connection connection, String error) {
        if (error.startsWith(NOT_ALLOWED)) {
            LOG.warn("{}: NATS does not allow what is needed: {}", name, error);
        } else {
            latest = new IOException(error); // as of a key that is not let in any more
            LOG.debug("{}: {}", name, error);
        }
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception failure) {
        latest = failure;
        LOG.debug("{}: {}", name, failure.toString());
    }

    /** A connection began or ended. */
    void event(ConnectionListener.Events type) {
        if (type == ConnectionListener.Events.RECONNECTED) {
            latest = null;
            refusal = null;
        }
        LOG.debug("{}: {}", name, type);
    }
}
