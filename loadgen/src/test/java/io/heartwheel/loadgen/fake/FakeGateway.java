package io.heartwheel.loadgen.fake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small gateway over real loopback sockets that can be wrong in one chosen way: the proof that the verdict sees it.
 * Speaks Heartwheel over TCP and, with Netty's own WebSocket codec, over WebSocket.
 */
public final class FakeGateway implements AutoCloseable, PushApi.Devices {

    static final long HANDSHAKE_MILLIS = 2_000;
    static final long PROGRESS_MILLIS = 1_000;
    static final int PROGRESS_BYTES_PER_SECOND = 128;
    static final long WRITE_MILLIS = 1_000;
    private static final long WATCH_NANOS = 10_000_000L;
    /** Small, so that a device that does not read is soon noticed. */
    private static final int BUFFER_BYTES = 8_192;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<String, FakePeer> byId = new HashMap<>();
    /** Ids of devices that were sent away. */
    private final Set<String> away = new HashSet<>();

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger silentClosed = new AtomicInteger();
    private volatile long stoodStillNanos;
    private long watchedNanos = System.nanoTime();
    private final Channel tcp;
    private final Channel webSocket;
    private final Channel plain;

    /** Listens on three free loopback ports. */
    public FakeGateway(Fault fault) throws InterruptedException {
        this(fault, null);
    }

    /** The same, through TLS unless that is null. */
    public FakeGateway(Fault fault, SslContext tls) throws InterruptedException {
        group.scheduleAtFixedRate(this::watch, WATCH_NANOS, WATCH_NANOS, TimeUnit.NANOSECONDS);
        tcp = listen(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                secure(channel, tls);
                channel.pipeline()
                        .addLast(new Framing())
                        .addLast(new FakePeer(fault, byId, away, silentClosed, connections.getAndIncrement(), false));
            }
        });
        plain = listen(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                secure(channel, tls);
                PlainPeer.install(channel.pipeline(), fault);
            }
        });
        webSocket = listen(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                secure(channel, tls);
                WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder()
                        .websocketPath("/ws")
                        .checkStartsWith(true)
                        .subprotocols("heartwheel.v1")
                        .sendCloseFrame(null)
                        .dropPongFrames(false)
                        .build();
                channel.pipeline()
                        .addLast(new HttpServerCodec())
                        .addLast(new HttpObjectAggregator(8_192))
                        .addLast(new WebSocketServerProtocolHandler(config))
                        .addLast(new FakePeer(fault, byId, away, silentClosed, connections.getAndIncrement(), true));
            }
        });
    }

    /** Frames over TCP; tells the peer of those that are not whole. */
    private static final class Framing extends LengthFieldBasedFrameDecoder {
        Framing() {
            super(65_543, 2, 2);
        }

        @Override
        protected Object decode(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
            Object frame = super.decode(ctx, in);
            if (frame == null && in.isReadable()) {
                ctx.pipeline().get(FakePeer.class).unfinished(in.readableBytes());
            }
            return frame;
        }
    }

    private static void secure(SocketChannel channel, SslContext tls) {
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
    }

    private Channel listen(ChannelInitializer<SocketChannel> initializer) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, BUFFER_BYTES)
                .childOption(ChannelOption.SO_SNDBUF, BUFFER_BYTES)
                .childHandler(initializer)
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
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

    /** How many it has closed for their silence. */
    public int silentClosed() {
        return silentClosed.get();
    }

    /** Where it speaks Heartwheel over TCP. */
    public InetSocketAddress tcp() {
        return (InetSocketAddress) tcp.localAddress();
    }

    /** Where it speaks WebSocket. */
    public InetSocketAddress webSocket() {
        return (InetSocketAddress) webSocket.localAddress();
    }

    /** Where it speaks plain WebSocket. */
    public InetSocketAddress plain() {
        return (InetSocketAddress) plain.localAddress();
    }

    /** Asks all devices to leave and to come back within this window, and closes them; goes on listening. */
    public void restart(int leastMillis, int mostMillis) {
        group.next().execute(() -> List.copyOf(byId.values()).forEach(peer -> peer.goAway(leastMillis, mostMillis)));
    }

    @Override
    public CompletableFuture<Boolean> deliver(String id, byte[] message) {
        return CompletableFuture.supplyAsync(
                () -> {
                    FakePeer peer = byId.get(id);
                    if (peer != null) {
                        peer.push(message);
                    }
                    return peer != null;
                },
                group.next());
    }

    @Override
    public CompletableFuture<List<String>> ids() {
        return CompletableFuture.supplyAsync(() -> List.copyOf(byId.keySet()), group.next());
    }

    /** A frame of the wire document. */
    static ByteBuf frame(int type, ByteBuf payload) {
        ByteBuf frame = Unpooled.buffer(4 + payload.readableBytes());
        frame.writeByte(type).writeByte(0).writeShort(payload.readableBytes()).writeBytes(payload);
        payload.release();
        return frame;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
