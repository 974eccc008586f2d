package io.heartwheel.app.warmup;

import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
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
 * Devices of the warm-up, who come in rounds.
 */
final class Devices implements AutoCloseable {
    private static final int A_ROUND = Integer.getInteger("hw.n", 32);
    private static final int TLS_A_ROUND = Integer.getInteger("hw.tls", 4);
    private static final int BEATS = Integer.getInteger("hw.beats", 8);
    private static final long LOOK_NANOS = 50_000;

    private final BooleanSupplier goesOn;
    private final String token;
    private final List<Way> ways = new ArrayList<>();
    private final List<Device> silent = new ArrayList<>();
    private final @Nullable TlsClient tls;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 14);
    private int connections;
    private int beats;
    private int expired;

    private record Way(InetSocketAddress address, boolean secured, boolean webSocket) {}

    Devices(PrivateGateway gateway, GatewaySettings settings, String token, BooleanSupplier goesOn) throws IOException {
        this.goesOn = goesOn;
        this.token = token;
        Set<String> seen = new HashSet<>();
        boolean secured = false;
        for (ListenerSettings listener : settings.listeners()) {
            if (seen.add(listener.protocol() + " " + (listener.tls() != null))) {
                InetSocketAddress at = gateway.listen(listener);
                boolean tls = listener.tls() != null;
                secured |= tls;
                if (listener.protocol() != ListenerProtocol.WEBSOCKET) {
                    ways.add(new Way(at, tls, false));
                }
                if (listener.protocol() != ListenerProtocol.HEARTWHEEL) {
                    ways.add(new Way(at, tls, true));
                }
            }
        }
        tls = secured ? new TlsClient() : null;
    }

    void round() throws IOException {
        List<Device> come = new ArrayList<>();
        try {
            for (Way way : ways) {
                int count = way.secured ? TLS_A_ROUND : A_ROUND;
                for (int i = 0; i < count && goesOn.getAsBoolean(); i++) {
                    Device device = new Device(way.address, way.webSocket, bytes);
                    boolean stays = i % 2 == 0;
                    (stays ? come : silent).add(device);
                    if (way.secured) {
                        device.secure(tls.engine(), goesOn);
                    }
                    connections++;
                    device.greet("warm-up-" + connections, token, stays ? 0 : 1);
                }
            }
            awaitAnswers(come);
            for (int i = 0; i < BEATS && goesOn.getAsBoolean(); i++) {
                for (Device device : come) {
                    device.beat();
                    beats++;
                }
                awaitAnswers(come);
            }
            for (Device device : come) {
                device.leave();
            }
            awaitEnds(silent, expiredBefore());
        } finally {
            come.forEach(Device::close);
        }
    }

    private int expiredBefore() {
        return 0;
    }

    private void awaitAnswers(List<Device> of) throws IOException {
        for (Device device : of) {
            while (!device.isAnswered() && goesOn.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    private void awaitEnds(List<Device> of, int most) throws IOException {
        for (int i = of.size() - 1; i >= 0; i--) {
            Device device = of.get(i);
            if (device.isEnded()) {
                device.close();
                of.remove(i);
                expired++;
            }
        }
    }

    @Override
    public String toString() {
        return connections + " connections, " + beats + " heartbeats, " + expired + " expiries";
    }

    @Override
    public void close() {
        silent.forEach(Device::close);
        if (tls != null) {
            tls.close();
        }
    }
}
