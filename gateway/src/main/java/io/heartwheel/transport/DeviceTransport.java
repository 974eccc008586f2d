package io.heartwheel.transport;

import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.Tracks;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners, their acceptor, and the loops behind them.
 *
 * <p>Owner: the thread that starts and stops the gateway; {@link #admission} and {@link #loops} may be read by any.
 */
public final class DeviceTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceTransport.class);

    private final IoEngine engine;
    private final TransportSettings settings;
    private final ProtocolSettings protocol;
    private final WebSocketSettings webSocket;
    private final @Nullable Tracks tracks;
    private final DeviceLoops loops;
    private final MultiThreadIoEventLoopGroup acceptor;
    private final Admission admission;
    private final AtomicLong sessionIds = new AtomicLong();
    private final Map<String, Channel> listeners = new ConcurrentHashMap<>();
    /** Where devices came in, to be opened again. */
    private final List<Door> doors = new ArrayList<>();

    private record Door(ListenerSettings listener, DevicePipeline pipeline, InetSocketAddress address) {}

    /** Starts the loops; nothing listens yet. @param tracks those who are traced; null: nobody */
    public DeviceTransport(
            IoEngine engine,
            TransportSettings settings,
            ProtocolSettings protocol,
            WebSocketSettings webSocket,
            @Nullable Tracks tracks,
            DeviceLoops.ScopeFactory scopes) {
        this.engine = engine;
        this.settings = settings;
        this.protocol = protocol;
        this.webSocket = webSocket;
        this.tracks = tracks;
        this.admission = new Admission(settings.maxConnections());
        loops = new DeviceLoops(engine, settings.loopCount(), scopes);
        acceptor = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("acceptor"), engine.newHandlerFactory());
    }

    /**
     * Opens a listener.
     *
     * @return the bound address
     * @throws IOException naming the listener, if its address or its certificate cannot be used
     */
    public InetSocketAddress listen(ListenerSettings listener) throws IOException {
        TlsSettings tls = listener.tls();
        SslContext tlsContext = tls == null ? null : TlsContexts.build(listener.name(), tls);
        DevicePipeline pipeline = new DevicePipeline(
                listener.protocol(),
                tlsContext,
                loops.scopesThrough(listeners.size(), listener.name()),
                admission,
                sessionIds,
                protocol,
                webSocket,
                tracks);
        InetSocketAddress address = open(listener, pipeline, listener.bind().toSocketAddress());
        doors.add(new Door(listener, pipeline, address));
        LOG.info(
                "listener {} takes {}{} on {}",
                listener.name(),
                listener.protocol().name().toLowerCase(java.util.Locale.ROOT),
                tlsContext == null ? "" : " over TLS",
                address);
        return address;
    }

    private InetSocketAddress open(ListenerSettings listener, DevicePipeline pipeline, InetSocketAddress at)
            throws IOException {
        var bound = bootstrap(listener, pipeline).bind(at).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "listeners." + listener.name() + ".bind = " + listener.bind() + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        listeners.put(listener.name(), bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private ServerBootstrap bootstrap(ListenerSettings listener, DevicePipeline pipeline) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(acceptor, loops.group())
                .channel(engine.serverChannel())
                .option(ChannelOption.SO_BACKLOG, listener.backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(new AcceptGuard(
                        listener.name(), admission, settings.acceptPause().toNanos()))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(settings.writeLowWatermarkBytes(), settings.writeHighWatermarkBytes()))
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new LoopReceiveAllocator(
                                settings.receiveBufferBytes(), engine.kind() != TransportKind.IO_URING))
                .childHandler(pipeline);
        if (listener.reusePort()) {
            if (!engine.sharesPorts()) {
                throw new IllegalStateException(
                        "listeners." + listener.name() + ".reuse-port = true: need transport.kind epoll or io_uring");
            }
            bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
        }
        return bootstrap;
    }

    /** Takes nobody new; connected devices stay. */
    public void stopListening() {
        listeners.values().forEach(channel -> channel.close().awaitUninterruptibly(5, TimeUnit.SECONDS));
        listeners.clear();
    }

    /**
     * Opens again, on the same ports, what {@link #stopListening} closed.
     *
     * @throws IOException naming the listener whose address is taken; then none is open
     */
    public void listenAgain() throws IOException {
        try {
            for (Door door : doors) {
                open(door.listener(), door.pipeline(), door.address());
            }
        } catch (IOException taken) {
            stopListening();
            throw taken;
        }
        LOG.info("{} listeners open again", doors.size());
    }

    /** Whether every listener is open. Any thread. */
    public boolean isListening() {
        return !listeners.isEmpty() && listeners.values().stream().allMatch(Channel::isOpen);
    }

    /** The engine in use. */
    public IoEngine engine() {
        return engine;
    }

    /** Connections counted. */
    public Admission admission() {
        return admission;
    }

    /** The loops behind the listeners. */
    public DeviceLoops loops() {
        return loops;
    }

    /** Stops listening and ends the loops; what is still connected is cut. Waits, bounded. */
    @Override
    public void close() {
        stopListening();
        acceptor.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        loops.close();
    }
}
