package io.heartwheel.cluster.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log of what the client of NATS tells beside its answers, for whoever debugs; an operator is told of the state of the engine as a whole. Any thread. */
final class NatsLog implements ErrorListener {
    private static final Logger LOG = LoggerFactory.getLogger(NatsLog.class);

    @Override
    public void errorOccurred(Connection connection, String error) {
        LOG.debug("cluster: {}", error);
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception failure) {
        LOG.debug("cluster: {}", failure.toString());
    }
}
