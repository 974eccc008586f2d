package io.heartwheel.loadgen.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small MQTT broker over a real loopback socket, with Netty's own codec, that can be wrong in one chosen way. Speaks 3.1.1
 * and 5, topics without wildcards, QoS 0 and 1; sessions end with their connections.
 */
public final class FakeBroker implements AutoCloseable, PushApi.Devices {

    static final long HANDSHAKE_MILLIS = 2_000;
    private static final long WATCH_NANOS = 10_000_000L;
    private static final int BUFFER_BYTES = 8_192;
    private static final int LARGEST = 1 << 17;
    private static final String PUSHES = "push/";

    final BrokerFault fault;
    /** In place of what a client of version 5 asks for, seconds; 0: what it asks for. */
    final int serverKeepAlive;
    /** Told to clients of version 5. */
    final int receiveMaximum;

    final Map<String, FakeBrokerPeer> byClientId = new HashMap<>();
    final Map<String, Set<FakeBrokerPeer>> byTopic = new LinkedHashMap<>();

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicInteger connections = new AtomicInteger();
    private final Channel server;
    private volatile long stoodStillNanos;
    private long watchedNanos = System.nanoTime();

    /** Listens on a free loopback port. */
    public FakeBroker(BrokerFault fault) throws InterruptedException {
        this(fault, 0, 20, null);
    }

    /** The same, through TLS unless that is null. */
    public FakeBroker(BrokerFault fault, int serverKeepAlive, int receiveMaximum, SslContext tls)
            throws InterruptedException {
        this.fault = fault;
        this.serverKeepAlive = serverKeepAlive;
        this.receiveMaximum = receiveMaximum;
        group.scheduleAtFixedRate(this::watch, WATCH_NANOS, WATCH_NANOS, TimeUnit.NANOSECONDS);
        server = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, BUFFER_BYTES)
                .childOption(ChannelOption.SO_SNDBUF, BUFFER_BYTES)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        FakeBrokerPeer peer = new FakeBrokerPeer(FakeBroker.this, connections.getAndIncrement());
                        channel.pipeline()
                                .addLast(peer.bytes())
                                .addLast(new MqttDecoder(LARGEST))
                                .addLast(MqttEncoder.INSTANCE)
                                .addLast(peer);
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
    }

    private void watch() {
        long now = System.nanoTime();
        stoodStillNanos = Math.max(stoodStillNanos, now - watchedNanos - WATCH_NANOS);
        watchedNanos = now;
    }

    /** The longest time for which its event loop has done nothing. */
    public long stoodStillNanos() {
        return stoodStillNanos;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** As the broker's own API would publish it, at QoS 1, to {@code push/ID}. */
    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        String topic = PUSHES + id;
        return CompletableFuture.supplyAsync(
                () -> {
                    Set<FakeBrokerPeer> peers = byTopic.getOrDefault(topic, Set.of());
                    peers.forEach(
                            peer -> peer.deliver(topic, Unpooled.wrappedBuffer(message), MqttQoS.AT_LEAST_ONCE, false));
                    return !peers.isEmpty();
                },
                group.next());
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return CompletableFuture.supplyAsync(
                () -> byTopic.entrySet().stream()
                        .filter(entry -> entry.getKey().startsWith(PUSHES)
                                && !entry.getValue().isEmpty())
                        .map(entry -> entry.getKey().substring(PUSHES.length()))
                        .toList(),
                group.next());
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

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
