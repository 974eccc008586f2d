package io.heartwheel.app.warmup;

import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import io.netty.handler.ssl.OpenSsl;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Devices of the warm-up, in rounds. In each, so many connect in each way that the settings have listeners for.
 *
 * <pre>
 *   all             connect, TLS if the listener has it, HELLO or upgrade, a message
 *   every other     heartbeats, then a CLOSE
 *   the rest        silence: probed, closed with evidence 30 ms later, while the next rounds go on
 * </pre>
 *
 * <p>One thread. Never waits longer than it may.
 */
final class Devices implements AutoCloseable {
    private static final int IN_A_ROUND = 32;
    /** A handshake takes as long as twenty connections in the clear. */
    private static final int WITH_TLS_IN_A_ROUND = 4;

    private static final int BEATS = 8;
    private static final long LOOK_AGAIN_NANOS = 50_000;
    private static final int BUFFER_BYTES = 1 << 15;

    private final BooleanSupplier goesOn;
    private final byte[] token;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final List<Way> ways = new ArrayList<>();
    private final List<Device> silent = new ArrayList<>();
    private @Nullable TlsClient tls;
    private int connections;
    private int handshakes;
    private int beats;
    private int expiries;

    /** How devices come in. */
    private record Way(InetSocketAddress address, boolean secured, boolean webSocket) {}

    /**
     * None yet; the gateway listens for them.
     *
     * @param token what they show
     * @param goesOn false as soon as it must end
     * @throws IOException if it cannot listen
     */
    Devices(PrivateGateway gateway, List<ListenerSettings> listeners, byte[] token, BooleanSupplier goesOn)
            throws IOException {
        this.goesOn = goesOn;
        this.token = token;
        Set<String> kinds = new HashSet<>();
        for (ListenerSettings listener : listeners) {
            boolean secured = listener.tls() != null;
            // the client of the JDK's own TLS would take all the time there is
            if (kinds.add(listener.protocol() + " " + secured) && (!secured || OpenSsl.isAvailable())) {
                add(gateway.listen(listener), secured, listener.protocol());
            }
        }
    }

    private void add(InetSocketAddress at, boolean secured, ListenerProtocol protocol) throws IOException {
        if (secured && tls == null) {
            tls = new TlsClient();
        }
        if (protocol != ListenerProtocol.WEBSOCKET) {
            ways.add(new Way(at, secured, false));
        }
        if (protocol != ListenerProtocol.HEARTWHEEL) {
            ways.add(new Way(at, secured, true));
        }
    }

    /** @throws IOException if one cannot connect */
    void round() throws IOException {
        List<Device> come = new ArrayList<>();
        try {
            for (Way way : ways) {
                int count = way.secured ? WITH_TLS_IN_A_ROUND : IN_A_ROUND;
                for (int i = 0; i < count && goesOn.getAsBoolean(); i++) {
                    connect(way, i % 2 == 0 ? come : silent, i % 2 == 0 ? 0 : 1);
                }
            }
            awaitAnswers(come);
            for (int i = 0; i < BEATS && goesOn.getAsBoolean(); i++) {
                for (Device device : come) {
                    device.beat();
                }
                beats += come.size();
                awaitAnswers(come);
            }
            for (Device device : come) {
                device.leave();
            }
            takeLeaveOfClosed();
        } finally {
            come.forEach(Device::close);
        }
    }

    /** @param wantedMillis the interval it asks for: 0: any, 1: the shortest */
    private void connect(Way way, List<Device> to, int wantedMillis) throws IOException {
        Device device = new Device(way.address, way.webSocket, buffer, goesOn);
        to.add(device);
        connections++;
        if (way.secured && tls != null && goesOn.getAsBoolean()) {
            device.secure(tls, goesOn);
            handshakes++;
        }
        if (!goesOn.getAsBoolean()) {
            return; // perhaps amid its connect or handshake
        }
        device.greet("warm-up-" + connections, token, wantedMillis);
    }

    private void awaitAnswers(List<Device> from) {
        for (Device device : from) {
            while (!device.isAnswered() && goesOn.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    private void takeLeaveOfClosed() {
        int before = silent.size();
        silent.removeIf(device -> {
            boolean ended = device.isEnded();
            if (ended) {
                device.close();
            }
            return ended;
        });
        expiries += before - silent.size();
    }

    /** Those that were closed for their silence so far. */
    int expiries() {
        return expiries;
    }

    /** What was played, for the log. */
    @Override
    public String toString() {
        return connections + " connections, " + (tls == null ? "" : handshakes + " TLS handshakes, ") + beats
                + " heartbeats, " + expiries + " closed for silence";
    }

    /** They end without a word. */
    @Override
    public void close() {
        silent.forEach(Device::close);
        if (tls != null) {
            tls.close();
        }
    }
}
