package io.heartwheel.admin;

import io.heartwheel.metrics.AdminMetrics;
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
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admin HTTP/1.1 server. It has threads of its own, so that a flood of it does not touch the devices' loops, and everything a caller can make it hold is
 * bounded: connections, the bytes of a request, the time each may take.
 *
 * <pre>
 *   socket --&gt; ConnectionClock --&gt; HttpServerCodec --&gt; BodyAggregator --&gt; FlowControlHandler --&gt; Exchange --&gt; Routes
 *              time limits         line, headers       body limit       one at a time          answers
 * </pre>
 *
 * <p>It asks nobody who they are: whoever reaches the address may do everything. Start and {@link #close} on one thread.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    /** One read; bounds how many requests sent ahead wait decoded. */
    private static final int READ_BYTES = 4 << 10;
    /** {@code A / HTTP/1.1}, two ends of lines. */
    private static final int SHORTEST_REQUEST_BYTES = 16;

    private static final int THREADS = 2;
    private static final int CLOSE_SECONDS = 2;

    private volatile AdminSettings settings;
    private final Routes routes;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(
            THREADS, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
    /** Those of them that have begun, and need not wake for nothing. */
    private final Set<EventLoop> begun = ConcurrentHashMap.newKeySet();

    private final AdminMetrics metrics;
    private final AdminSlots slots;
    private volatile AdminHosts hosts;
    private final AdminAccept accept = new AdminAccept();
    /** The listener and its connections; once closed it closes what still comes. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private final InetSocketAddress address;

    private AdminServer(AdminSettings settings, AdminPorts ports, InetSocketAddress to) throws IOException {
        this.settings = settings;
        routes = Routes.of(ports);
        metrics = ports.metrics().admin();
        slots = new AdminSlots(metrics, System::nanoTime);
        hosts = AdminHosts.of(settings);
        address = bind(to);
    }

    /**
     * Opens the listener, whatever {@link AdminSettings#enabled} says.
     *
     * @throws IOException if its address cannot be used; nothing is left running then
     */
    public static AdminServer start(AdminSettings settings, AdminPorts ports) throws IOException {
        AdminServer server = new AdminServer(settings, ports, settings.bind().resolved("admin.bind"));
        if (!server.address.getAddress().isLoopbackAddress()) {
            LOG.warn(
                    "admin listens on {}, not on loopback: whoever reaches it may close devices and send to them",
                    settings.bind());
        }
        return server;
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
            close();
            throw new IOException(
                    "admin.bind = " + settings.bind() + ": " + bound.cause().getMessage(), bound.cause());
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
        if (!slots.enter(clock, settings.maxConnections())) {
            channel.writeAndFlush(Unpooled.wrappedBuffer(AdminSlots.FULL)).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        channel.closeFuture().addListener(closed -> slots.leave(clock));
        install(channel, clock, settings.maxBodyBytes(), new Exchange.Served(routes, hosts, metrics::answered));
    }

    static void install(Channel channel, ConnectionClock clock, int maxBodyBytes, Exchange.Served served) {
        HttpDecoderConfig decoder = new HttpDecoderConfig()
                .setMaxInitialLineLength(Exchange.MAX_LINE_BYTES)
                .setMaxHeaderSize(Exchange.MAX_HEADER_BYTES);
        channel.pipeline()
                .addLast(clock)
                .addLast(new HttpServerCodec(decoder, READ_BYTES / SHORTEST_REQUEST_BYTES + 1))
                .addLast(new BodyAggregator(maxBodyBytes))
                .addLast(new FlowControlHandler())
                .addLast(new Exchange(served, clock));
    }

    /** For connections accepted from now on: how many there may be, how large a body, and under which names. The address stays. Any thread. */
    public void reconfigure(AdminSettings fresh) {
        settings = fresh;
        hosts = AdminHosts.of(fresh);
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
