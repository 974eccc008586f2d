package io.heartwheel.admin;

import io.heartwheel.metrics.AdminMetrics;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.tls.TlsListener;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.transport.tls.TlsSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.compression.GzipOptions;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admin HTTP/1.1 server. It has threads of its own, so that a flood of it does not touch the devices' loops, and everything a caller can make it hold is
 * bounded: connections, the bytes of a request, the time each may take.
 *
 * <pre>
 *   socket --&gt; (TLS) --&gt; ConnectionClock --&gt; HttpServerCodec --&gt; BodyAggregator --&gt; FlowControlHandler --&gt; compressor --&gt; Exchange --&gt; Routes
 *                        time limits         line, headers       body limit        one at a time                         answers
 * </pre>
 *
 * <p>The monitors' listener is another one of it, with few routes, where nobody is asked who they are. Start and {@link #close} on one thread.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    /** One read; with a record of TLS that ends in it, it bounds how many requests sent ahead wait decoded. */
    private static final int READ_BYTES = 4 << 10;

    private static final int RECORD_BYTES = 16 << 10;
    /** {@code A / HTTP/1.1}, two ends of lines. */
    private static final int SHORTEST_REQUEST_BYTES = 16;

    private static final int MOST_AHEAD = (READ_BYTES + RECORD_BYTES) / SHORTEST_REQUEST_BYTES + 1;

    /** Smaller answers gain nothing. */
    private static final int LEAST_COMPRESSED_BYTES = 1 << 10;
    /** A low level: a page of metrics takes about a millisecond of the admin server's own threads. */
    private static final GzipOptions COMPRESSION = StandardCompressionOptions.gzip(3, 15, 8);

    private static final int CLOSE_SECONDS = 2;
    private static final int CLOSE_NOTIFY_MILLIS = 1_000;

    private final Role role;
    private volatile AdminSettings settings;
    private volatile AdminAccess access;
    private volatile AdminHosts hosts;
    private final MultiThreadIoEventLoopGroup loops;
    /** Those of them that have begun, and need not wake for nothing. */
    private final Set<EventLoop> begun = ConcurrentHashMap.newKeySet();

    private final Exchange.Served served;
    private final AdminSlots slots;
    private final AdminAccept accept = new AdminAccept();
    /** The listener and its connections; once closed it closes what still comes. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private final @Nullable TlsListener tls;
    private final InetSocketAddress address;

    /** Which of the two listeners it is. */
    private enum Role {
        /** All routes, for callers who are known, or on loopback. */
        ADMIN(ListenerSettings.ADMIN, "admin", 2),
        /** Figures and health, for everybody who reaches it. */
        MONITOR(ListenerSettings.MONITOR, "admin.monitor", 1);

        private final String label;
        private final String path;
        private final int threads;

        Role(String label, String path, int threads) {
            this.label = label;
            this.path = path;
            this.threads = threads;
        }

        BindAddress bind(AdminSettings settings) {
            return this == ADMIN ? settings.bind() : settings.monitor().bind();
        }

        int maxConnections(AdminSettings settings) {
            return this == ADMIN
                    ? settings.maxConnections()
                    : settings.monitor().maxConnections();
        }

        @Nullable
        TlsSettings tls(AdminSettings settings) {
            return this == ADMIN ? settings.tls() : settings.monitor().tls();
        }

        AdminAccess access(AdminSettings settings) throws IOException {
            return this == ADMIN ? AdminAccess.of(settings) : AdminAccess.OPEN;
        }

        AdminHosts hosts(AdminSettings settings) {
            return AdminHosts.of(bind(settings), settings.hosts());
        }
    }

    private AdminServer(Role role, AdminSettings settings, AdminPorts ports, TlsListeners secured) throws IOException {
        this.role = role;
        this.settings = settings;
        access = role.access(settings);
        hosts = role.hosts(settings);
        AdminMetrics metrics = ports.metrics().admin();
        Routes all = Routes.of(ports);
        served = new Exchange.Served(
                role == Role.ADMIN ? all : all.forMonitors(), () -> hosts, () -> access, metrics::answered);
        slots = new AdminSlots(metrics, System::nanoTime);
        InetSocketAddress to = role.bind(settings).resolved(role.path + ".bind");
        loops = new MultiThreadIoEventLoopGroup(
                role.threads, new DefaultThreadFactory(role.label, true), NioIoHandler.newFactory());
        try {
            tls = secure(role.tls(settings), secured);
            address = bind(to);
        } catch (IOException failed) {
            close();
            throw failed;
        }
    }

    private @Nullable TlsListener secure(@Nullable TlsSettings wanted, TlsListeners secured) throws IOException {
        if (wanted == null) {
            return null;
        }
        return secured.open(role.label, role.path, true, wanted, this::afterEveryLoop);
    }

    /** Runs a task when each loop has ended what it does now. */
    private void afterEveryLoop(Runnable task) {
        AtomicInteger left = new AtomicInteger(role.threads);
        loops.forEach(loop -> loop.execute(() -> {
            if (left.decrementAndGet() == 0) {
                task.run();
            }
        }));
    }

    /**
     * Opens the listener, whatever {@link AdminSettings#enabled} says.
     *
     * @param secured what has the TLS of all listeners, and is closed after this
     * @throws IOException if its address, certificate or file of tokens cannot be used; nothing is left running then
     */
    public static AdminServer start(AdminSettings settings, AdminPorts ports, TlsListeners secured) throws IOException {
        AdminServer server = new AdminServer(Role.ADMIN, settings, ports, secured);
        if (server.tls == null && !server.address.getAddress().isLoopbackAddress()) {
            LOG.warn(
                    "admin listens on {}, not on loopback and without TLS: whoever is on the way can read the tokens",
                    settings.bind());
        }
        return server;
    }

    /**
     * Opens the monitors' listener, whatever {@link AdminSettings.Monitor#enabled} says.
     *
     * @param secured as above
     * @throws IOException if its address or certificate cannot be used; nothing is left running then
     */
    public static AdminServer startMonitor(AdminSettings settings, AdminPorts ports, TlsListeners secured)
            throws IOException {
        return new AdminServer(Role.MONITOR, settings, ports, secured);
    }

    private InetSocketAddress bind(InetSocketAddress to) throws IOException {
        var bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .handler(accept)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accept(channel);
                    }
                })
                .bind(to)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    role.path + ".bind = " + role.bind(settings) + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        channels.add(bound.channel());
        sleepLong(bound.channel().eventLoop());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    /** Netty wakes a loop that has no timer once a second; one with a timer sleeps until that is due. */
    private void sleepLong(EventLoop loop) {
        if (begun.add(loop)) {
            loop.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
        }
    }

    private void accept(Channel channel) {
        channels.add(channel);
        sleepLong(channel.eventLoop());
        channel.closeFuture().addListener(closed -> accept.left());
        ConnectionClock clock = new ConnectionClock(slots, channel);
        TlsListener over = tls;
        if (!slots.enter(clock, role.maxConnections(settings))) {
            if (over == null) {
                channel.writeAndFlush(Unpooled.wrappedBuffer(AdminSlots.FULL)).addListener(ChannelFutureListener.CLOSE);
            } else {
                channel.close(); // nothing can be said before a handshake
            }
            return;
        }
        channel.closeFuture().addListener(closed -> slots.leave(clock));
        if (over != null) {
            SslHandler handler = over.newHandler(channel.alloc());
            handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MILLIS);
            channel.pipeline().addLast(handler);
        }
        install(channel, clock, settings.maxBodyBytes(), served);
    }

    static void install(Channel channel, ConnectionClock clock, int maxBodyBytes, Exchange.Served served) {
        HttpDecoderConfig decoder = new HttpDecoderConfig()
                .setMaxInitialLineLength(Exchange.MAX_LINE_BYTES)
                .setMaxHeaderSize(Exchange.MAX_HEADER_BYTES);
        channel.pipeline()
                .addLast(clock)
                .addLast(new HttpServerCodec(decoder, MOST_AHEAD))
                .addLast(new BodyAggregator(maxBodyBytes))
                .addLast(new FlowControlHandler())
                .addLast(new HttpContentCompressor(LEAST_COMPRESSED_BYTES, COMPRESSION))
                .addLast(new Exchange(served, clock));
    }

    /**
     * Prepares other settings; reads the file of tokens, so not on an event loop.
     *
     * @return takes them: who may ask from now on, and for connections accepted from now on how many there may be and how large a body. The address stays.
     * @throws IOException if the file of tokens will not do
     */
    public Runnable prepare(AdminSettings fresh) throws IOException {
        AdminAccess read = role.access(fresh);
        return () -> {
            settings = fresh;
            hosts = role.hosts(fresh);
            access = read;
        };
    }

    /** Where it listens, with the port that was taken. Any thread. */
    public InetSocketAddress address() {
        return address;
    }

    /** Ends at once: what is being answered is cut off. Blocks for some milliseconds; not for an event loop. */
    @Override
    public void close() {
        // the loops close what they find when they end, but have been seen to overlook connections
        accept.close();
        channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(2 * CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
