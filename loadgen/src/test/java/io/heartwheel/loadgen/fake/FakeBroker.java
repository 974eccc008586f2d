package io.heartwheel.loadgen.fake;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A small MQTT broker with Netty's own codec that can be wrong in chosen ways. Speaks 3.1.1
 * and 5, topics without wildcards, QoS 0 and 1; sessions end with their connections.
 */
public final class FakeBroker extends FakeServer {

    static final long HANDSHAKE_MILLIS = 2_000;
    /** Told to clients of version 5. */
    static final int RECEIVE_MAXIMUM = 20;

    private static final int LARGEST = 1 << 17;
    private static final String PUSHES = "push/";

    // The loop's.
    final Map<String, FakeBrokerPeer> byClientId = new HashMap<>();
    final Map<String, Set<FakeBrokerPeer>> byTopic = new LinkedHashMap<>();

    private final Channel server;

    /** Listens on a free loopback port, through TLS unless that is null; connections take the faults in turn. */
    public FakeBroker(List<BrokerFault> faults, SslContext tls) throws InterruptedException {
        server = listen(0, tls, (pipeline, number) -> {
            FakeBrokerPeer peer = new FakeBrokerPeer(this, turn(faults, number));
            pipeline.addLast(peer.bytes())
                    .addLast(new MqttDecoder(LARGEST))
                    .addLast(MqttEncoder.INSTANCE)
                    .addLast(peer);
        });
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** As the broker's own API would publish it, at QoS 1, to {@code push/ID}. */
    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        String topic = PUSHES + id;
        return onLoop(() -> {
            Set<FakeBrokerPeer> peers = byTopic.getOrDefault(topic, Set.of());
            peers.forEach(peer -> peer.deliver(topic, Unpooled.wrappedBuffer(message), MqttQoS.AT_LEAST_ONCE, false));
            return !peers.isEmpty();
        });
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return onLoop(() -> byTopic.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith(PUSHES) && !entry.getValue().isEmpty())
                .map(entry -> entry.getKey().substring(PUSHES.length()))
                .toList());
    }

    void subscribe(String topic, FakeBrokerPeer peer) {
        byTopic.computeIfAbsent(topic, any -> new LinkedHashSet<>()).add(peer);
    }

    void forget(FakeBrokerPeer peer) {
        byClientId.remove(peer.clientId(), peer);
        byTopic.values().forEach(peers -> peers.remove(peer));
    }

    /** Somebody else's topic and connection, for what goes astray. */
    Map.Entry<String, FakeBrokerPeer> another(String topic) {
        for (Map.Entry<String, Set<FakeBrokerPeer>> entry : byTopic.entrySet()) {
            if (!entry.getKey().equals(topic) && !entry.getValue().isEmpty()) {
                return Map.entry(entry.getKey(), entry.getValue().iterator().next());
            }
        }
        throw new IllegalStateException("nobody else is there");
    }
}
