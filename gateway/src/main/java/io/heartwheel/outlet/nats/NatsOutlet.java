package io.heartwheel.outlet.nats;

import io.heartwheel.nats.NatsClient;
import io.heartwheel.outlet.BrokerOutlet;
import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import io.heartwheel.outlet.OutletException;
import io.heartwheel.outlet.OutletSettings;
import io.nats.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outlet to a stream of NATS JetStream: an event is a message with its CloudEvent as payload, its id as {@code Nats-Msg-Id} and the media type as header
 * {@code content-type}, on a subject that names its kind and a share of the devices, or the device.
 *
 * <p>Order. A stream may refuse or lose one message and take the next of the same connection: one that has no room for a large one has room for a small one, and a
 * cluster whose leader changes loses some in the middle. So of a device one event is on its way, and the next follows its acknowledgement; of many devices there are
 * many. What had no acknowledgement when a delivery failed is sent again, and the stream drops what it has already, by its id, for as long as its duplicate window.
 *
 * <p>Bounded. At most {@value Delivery#WINDOW} events are on their way; a delivery in which nothing is acknowledged for {@code timeout} has failed. Each failure closes
 * the connection, and the next delivery makes a new one, for which the files are read again. An event that is larger than the server or the stream takes can never be
 * delivered: a {@code gap} in its place is, and it is counted.
 *
 * <p>One thread; {@link #oversized} any.
 */
public final class NatsOutlet extends BrokerOutlet {
    private static final Logger LOG = LoggerFactory.getLogger(NatsOutlet.class);
    private static final Duration CLEANUP = Duration.ofMillis(250);

    private final OutletSettings.Nats settings;
    private final CloudEvent form;
    private final Opener opener;
    private @Nullable Connection connection;
    /** By their places in the chunk, those that the stream has. */
    private final BitSet acknowledged = new BitSet();

    /** Way to a server. */
    @FunctionalInterface
    interface Opener {
        /** @throws IOException if there is none */
        Connection open() throws IOException, InterruptedException;
    }

    /** Makes an outlet; it connects when there is something to deliver. */
    public NatsOutlet(OutletSettings.Nats settings, CloudEvent form) {
        this(settings, form, () -> connect(settings));
    }

    NatsOutlet(OutletSettings.Nats settings, CloudEvent form, Opener opener) {
        this.settings = settings;
        this.form = form;
        this.opener = opener;
    }

    /** The client itself begins no connection again: what was on its way would be in doubt, and nobody would be told. */
    private static Connection connect(OutletSettings.Nats settings) throws IOException, InterruptedException {
        return NatsClient.open(settings.servers())
                .connect("heartwheel outlet", settings.timeout(), options -> options.noReconnect()
                        .reconnectBufferSize(0)
                        .maxMessagesInOutgoingQueue(0)
                        .requestCleanupInterval(CLEANUP)
                        .dontForceFlushOnRequest() // else a call to the system for each
                        .reportNoResponders());
    }

    @Override
    protected void forget() {
        acknowledged.clear();
    }

    @Override
    protected void deliver(List<OutletEvent> events) throws IOException, InterruptedException {
        boolean whole = false;
        try {
            Delivery delivery = new Delivery(open(), settings, form, events, acknowledged, this::isTooLarge);
            delivery.run();
            whole = true;
        } finally {
            if (!whole) {
                close();
            }
        }
    }

    private void isTooLarge(OutletEvent event) {
        countOversized(1);
        LOG.warn(
                "event {} ({}, {} bytes) is larger than NATS takes, and goes out as a gap: raise max_payload of the server and the maximum message size of the stream",
                event.number(),
                event.kind().label(),
                event.json().length);
    }

    private Connection open() throws IOException, InterruptedException {
        Connection open = connection;
        if (open == null || open.getStatus() != Connection.Status.CONNECTED) {
            close();
            try {
                open = opener.open();
            } catch (IOException e) {
                throw OutletException.retry(String.valueOf(e.getMessage()), OutletException.NOT_SAID, e);
            }
            connection = open;
        }
        return open;
    }

    /** Ends the connection; what is on its way may still arrive. */
    @Override
    public void close() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
