package io.heartwheel.baseline;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway is compared with: the server that most teams write with the same Netty, and write well.
 *
 * <pre>
 *   tcp:        IdleStateHandler  LengthFieldBasedFrameDecoder  BeatHandler
 *   websocket:  IdleStateHandler  HttpServerCodec  HttpObjectAggregator  WebSocketServerProtocolHandler  BeatHandler
 * </pre>
 *
 * A heartbeat is a frame of a two-byte length and a few bytes, or a WebSocket message; it goes back as it came. Who says nothing for the idle time
 * is closed. Netty's default allocator, TCP_NODELAY, one answer object for a message, one flush for a batch, everything shared that may be: what is
 * measured against is no straw man. After a WebSocket handshake Netty takes its HTTP handlers out by itself; what it leaves is left.
 *
 * <p>Without a registry it knows nobody. With one, a connection's first frame, or its request target, is its device id, and a map leads from it to
 * the channel.
 */
final class BaselineServer implements AutoCloseable {
    private static final int MAX_FRAME_BYTES = 64 << 10;
    private static final int LENGTH_BYTES = 2;

    private static final WebSocketServerProtocolConfig WEB_SOCKET = WebSocketServerProtocolConfig.newBuilder()
            .websocketPath("/ws")
            .checkStartsWith(true)
            .build();

    private final MultiThreadIoEventLoopGroup acceptor;
    private final MultiThreadIoEventLoopGroup loops;
    private final Channel tcp;
    private final Channel webSocket;
    private final long idleMillis;
    private final @Nullable Map<String, Channel> registry;
    private final BeatHandler stateless = new BeatHandler();

    /** The I/O engine, as the gateway's {@code transport.kind} names it. */
    enum Engine {
        EPOLL,
        IO_URING,
        NIO;

        IoHandlerFactory handlers() {
            return switch (this) {
                case EPOLL -> EpollIoHandler.newFactory();
                case IO_URING -> IoUringIoHandler.newFactory();
                case NIO -> NioIoHandler.newFactory();
            };
        }

        Class<? extends ServerChannel> serverChannel() {
            return switch (this) {
                case EPOLL -> EpollServerSocketChannel.class;
                case IO_URING -> IoUringServerSocketChannel.class;
                case NIO -> NioServerSocketChannel.class;
            };
        }
    }

    /**
     * Starts listening on two free ports of the loopback address.
     *
     * @param loops event loops, 1 or more
     * @param idle silence after which a connection is closed
     */
    BaselineServer(Engine engine, int loops, Duration idle, boolean withRegistry) {
        idleMillis = idle.toMillis();
        registry = withRegistry ? new ConcurrentHashMap<>() : null;
        acceptor = new MultiThreadIoEventLoopGroup(1, engine.handlers());
        this.loops = new MultiThreadIoEventLoopGroup(loops, engine.handlers());
        tcp = listen(engine, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(idleState())
                        .addLast(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, LENGTH_BYTES))
                        .addLast(beatHandler());
            }
        });
        webSocket = listen(engine, new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(idleState())
                        .addLast(new HttpServerCodec())
                        .addLast(new HttpObjectAggregator(MAX_FRAME_BYTES))
                        .addLast(new WebSocketServerProtocolHandler(WEB_SOCKET))
                        .addLast(beatHandler());
            }
        });
    }

    private Channel listen(Engine engine, ChannelInitializer<Channel> pipeline) {
        return new ServerBootstrap()
                .group(acceptor, loops)
                .channel(engine.serverChannel())
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(pipeline)
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    private IdleStateHandler idleState() {
        return new IdleStateHandler(idleMillis, idleMillis, idleMillis, TimeUnit.MILLISECONDS);
    }

    private BeatHandler beatHandler() {
        return registry == null ? stateless : new RegisteringBeatHandler(registry);
    }

    InetSocketAddress tcp() {
        return (InetSocketAddress) tcp.localAddress();
    }

    InetSocketAddress webSocket() {
        return (InetSocketAddress) webSocket.localAddress();
    }

    /** The devices known; none without a registry. */
    Map<String, Channel> registry() {
        return registry == null ? Map.of() : registry;
    }

    @Override
    public void close() {
        tcp.close();
        webSocket.close();
        acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
