package io.heartwheel.loadgen.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A small server of a protocol that is not Heartwheel's, over real loopback sockets, that can be wrong in one chosen way. It
 * closes with a FIN after one and a half intervals of silence; what it speaks is a {@link FramedWire}'s matter.
 */
public final class FramedServer implements AutoCloseable {

    /** How long a device may be silent. */
    public static final long SILENCE_MILLIS = 1_500;

    static final long HANDSHAKE_MILLIS = 2_000;
    static final long PROGRESS_MILLIS = 1_000;
    private static final int PORT = 7611;
    private static final long WATCH_NANOS = 10_000_000L;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, FramedPeer> byId = new HashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final Channel channel;
    private volatile long stoodStillNanos;
    private long watchedNanos = System.nanoTime();

    /** A free loopback port, and {@link #SILENCE_MILLIS} of patience. */
    public FramedServer(Supplier<FramedWire> wire, FramedFault fault) throws InterruptedException {
        this(wire, fault, 0, SILENCE_MILLIS, null, false);
    }

    /** Lines in text messages of a WebSocket at {@code /devices/ID?key=k-ID}, for who shows the header {@code X-Device: ID}. */
    public static FramedServer overWebSocket(FramedFault fault) throws InterruptedException {
        return new FramedServer(FramedWire.Lines::new, fault, 0, SILENCE_MILLIS, null, true);
    }

    /** The same on this loopback port, if it is not 0, for devices that may be silent so long, through TLS unless that is null. */
    public FramedServer(Supplier<FramedWire> wire, FramedFault fault, int port, long silenceMillis, SslContext tls)
            throws InterruptedException {
        this(wire, fault, port, silenceMillis, tls, false);
    }

    private FramedServer(
            Supplier<FramedWire> wire,
            FramedFault fault,
            int port,
            long silenceMillis,
            SslContext tls,
            boolean webSocket)
            throws InterruptedException {
        group.scheduleAtFixedRate(this::watch, WATCH_NANOS, WATCH_NANOS, TimeUnit.NANOSECONDS);
        channel = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel socket) {
                        if (tls != null) {
                            socket.pipeline().addLast(tls.newHandler(socket.alloc()));
                        }
                        if (webSocket) {
                            LinesOverWebSocket.install(socket.pipeline(), fault);
                        }
                        socket.pipeline()
                                .addLast(new FramedPeer(
                                        wire.get(), fault, byId, silenceMillis, connections.getAndIncrement()));
                    }
                })
                .bind("127.0.0.1", port)
                .sync()
                .channel();
    }

    /**
     * A JT/T 808 server to try a scenario on: on port 7611 of the loopback interface until it is interrupted.
     *
     * @param args the allowed silence in milliseconds, then a fault if it is to have one
     */
    public static void main(String... args) throws InterruptedException {
        long silence = args.length > 0 ? Long.parseLong(args[0]) : 6_000;
        FramedFault fault = args.length > 1 ? FramedFault.valueOf(args[1]) : FramedFault.NONE;
        FramedServer server = new FramedServer(FramedWire.Jt808::new, fault, PORT, silence, null);
        System.out.println(
                "JT/T 808 on 127.0.0.1:" + server.port() + ", " + silence + " ms of silence allowed, " + fault);
        server.channel.closeFuture().sync();
    }

    /** Where it listens. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** The longest time for which its event loop has done nothing. */
    public long stoodStillNanos() {
        return stoodStillNanos;
    }

    private void watch() {
        long now = System.nanoTime();
        stoodStillNanos = Math.max(stoodStillNanos, now - watchedNanos - WATCH_NANOS);
        watchedNanos = now;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
