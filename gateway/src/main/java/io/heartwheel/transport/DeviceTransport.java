package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.proxy.ProxyOutcome;
import io.heartwheel.protocol.websocket.ForwardedOutcome;
import io.heartwheel.session.ActivityTraces;
import io.heartwheel.transport.tls.TlsListener;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
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
    private final @Nullable ActivityTraces activityTraces;
    private final DeviceLoops loops;
    private final MultiThreadIoEventLoopGroup acceptor;
    private final Admission admission;
    private final RateLimitedWarnings troubles = new RateLimitedWarnings();
    private final AtomicLong sessionIds = new AtomicLong();
    private final TlsListeners tls;
    private final List<Channel> listeners = new CopyOnWriteArrayList<>();
    /** Where devices come in, to be opened again. */
    private final List<OpenListener> openListeners = new CopyOnWriteArrayList<>();

    private record OpenListener(ListenerSettings listener, DevicePipeline pipeline, InetSocketAddress address) {}

    private volatile ConnectionPolicy connectionPolicy;

    /**
     * Starts the loops; nothing listens yet.
     *
     * @param memory knows whether there is any for newcomers
     * @param activityTraces those who are traced; null: nobody
     */
    public DeviceTransport(
            IoEngine engine,
            TransportSettings settings,
            TlsUpkeepSettings tlsUpkeep,
            AdmissionSettings admitting,
            MemoryGuard memory,
            ConnectionPolicy connectionPolicy,
            @Nullable ActivityTraces activityTraces,
            DeviceLoops.ScopeFactory contexts) {
        this.engine = engine;
        this.settings = settings;
        this.connectionPolicy = connectionPolicy;
        this.activityTraces = activityTraces;
        admission = new Admission(settings.maxConnections(), admitting, memory, System::nanoTime);
        // before the loops, which begin at once: it has no thread yet, so nothing runs if either of them cannot be made
        acceptor = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("acceptor"), engine.handlers().get());
        loops = new DeviceLoops(engine, settings.loopCount(), contexts);
        tls = new TlsListeners(tlsUpkeep, loops::afterEvery, System::nanoTime, System::currentTimeMillis);
        loops.join(admission);
        watchForTrouble();
        DeviceLoops.sleepLong(acceptor);
    }

    /**
     * Opens a listener.
     *
     * @return the bound address
     * @throws IOException naming the listener, if its address or its certificate cannot be used
     */
    public InetSocketAddress listen(ListenerSettings listener) throws IOException {
        TlsListener secured = secured(listener);
        DevicePipeline pipeline = new DevicePipeline(
                openListeners.size(),
                listener,
                secured,
                loops,
                admission,
                sessionIds,
                connectionPolicy,
                activityTraces);
        InetSocketAddress address =
                open(listener, pipeline, listener.bind().resolved("listeners." + listener.name() + ".bind"));
        openListeners.add(new OpenListener(listener, pipeline, address));
        LOG.info(
                "listener {} takes {}{}{} on {}",
                listener.name(),
                listener.protocol().name().toLowerCase(java.util.Locale.ROOT),
                secured == null ? "" : " over TLS",
                listener.balancers() == null ? "" : " behind PROXY headers",
                IpAddress.text(address));
        return address;
    }

    private @Nullable TlsListener secured(ListenerSettings listener) throws IOException {
        TlsSettings settings = listener.tls();
        if (settings == null) {
            return null;
        }
        return tls.open(listener.name(), listener.protocol() != ListenerProtocol.HEARTWHEEL, settings);
    }

    /**
     * Takes new TLS settings and whatever their files hold now, for new connections: of all listeners, or of none. Open connections stay as they are.
     * Reads files, so not an event loop.
     *
     * @param fresh listeners as they are to be; of those that were never opened, and of all but their TLS, nothing is taken
     * @param others TLS of listeners that are not of devices, by their names
     * @return what will not do, for the caller to tell; empty: all is taken
     */
    public List<String> reloadTls(List<ListenerSettings> fresh, Map<String, TlsSettings> others) {
        List<String> problems = new ArrayList<>();
        Map<String, TlsSettings> settings = new LinkedHashMap<>(others);
        for (ListenerSettings listener : fresh) {
            boolean open = openListeners.stream()
                    .anyMatch(openListener -> openListener.listener.name().equals(listener.name()));
            TlsSettings wanted = listener.tls();
            if (open && tls.isOpen(listener.name()) != (wanted != null)) {
                problems.add("listeners." + listener.name() + ".tls.enabled = " + (wanted != null)
                        + ": need a restart to switch TLS on or off");
            } else if (open && wanted != null) {
                settings.put(listener.name(), wanted);
            }
        }
        return problems.isEmpty() ? tls.reload(settings) : problems;
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
        listeners.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private ServerBootstrap bootstrap(ListenerSettings listener, DevicePipeline pipeline) {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(acceptor, loops.group())
                .channel(engine.serverChannel())
                .option(ChannelOption.SO_BACKLOG, listener.backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(acceptHandlers(listener, pipeline))
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

    private ChannelInitializer<Channel> acceptHandlers(ListenerSettings listener, DevicePipeline pipeline) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(
                                new AcceptShedder(
                                        listener, admission.acceptLimit(), pipeline::refusesOrigin, System::nanoTime),
                                new AcceptGuard(
                                        listener.name(),
                                        admission,
                                        settings.acceptPause().toNanos(),
                                        loops::waitingToBeTakenIn));
            }
        };
    }

    /**
     * These terms hold for connections accepted from now on; those of a connection stay what they were.
     *
     * @param listeners whose balancers are trusted from now on; of those that are not open, and of all but their balancers, nothing is taken
     */
    public void renew(ConnectionPolicy fresh, List<ListenerSettings> listeners) {
        connectionPolicy = fresh;
        openListeners.forEach(openListener -> openListener.pipeline.renew(fresh, listeners));
    }

    /** Takes nobody new; connected devices stay. */
    public void stopListening() {
        listeners.forEach(channel -> channel.close().awaitUninterruptibly(5, TimeUnit.SECONDS));
        listeners.clear();
    }

    /**
     * Closes the connections that are not established. Those that are by then are in the registry of sessions. Blocks until each loop has done so, not for an
     * event loop.
     */
    public void closeHandshakes(CloseReason reason, String text) {
        List<Future<?>> done = new ArrayList<>();
        loops.group()
                .forEach(loop -> done.add(loop.submit(() -> admission.room(loop).closeAll(reason, text))));
        done.forEach(each -> each.awaitUninterruptibly(5, TimeUnit.SECONDS));
    }

    /**
     * Opens again, on the same ports, what {@link #stopListening} closed.
     *
     * @throws IOException naming the listener whose address is taken; then none is open
     */
    public void listenAgain() throws IOException {
        try {
            for (OpenListener openListener : openListeners) {
                open(openListener.listener(), openListener.pipeline(), openListener.address());
            }
        } catch (IOException taken) {
            stopListening();
            throw taken;
        }
        LOG.info("{} listeners open again", openListeners.size());
    }

    /** Whether every listener is open. Any thread. */
    public boolean isListening() {
        return !listeners.isEmpty() && listeners.stream().allMatch(Channel::isOpen);
    }

    /** The engine in use. */
    public IoEngine engine() {
        return engine;
    }

    /** Connections counted. */
    public Admission admission() {
        return admission;
    }

    private void watchForTrouble() {
        long nowNanos = System.nanoTime();
        troubles.watch(
                () -> admission.proxyOutcomes().count(ProxyOutcome.UNTRUSTED),
                "connections to a listener behind PROXY headers came from outside its proxy.trusted and were closed",
                nowNanos);
        troubles.watch(
                () -> admission.proxyOutcomes().count(ProxyOutcome.MALFORMED)
                        + admission.proxyOutcomes().count(ProxyOutcome.CHECKSUM),
                "connections of trusted balancers began without a good PROXY header and were closed",
                nowNanos);
        troubles.watch(
                () -> admission.forwardedOutcomes().count(ForwardedOutcome.MALFORMED),
                "requests were refused because a trusted balancer forwards a malformed origin",
                nowNanos);
        troubles.watch(
                () -> admission.sources().tooMany() + admission.sources().tooFast(),
                "connections were refused by source-limits",
                nowNanos);
        troubles.watch(
                admission::shed,
                "connections were closed at accept: more came than accept-limit allows, or from where they may not",
                nowNanos);
        troubles.watch(
                () -> admission.pushedOut() + admission.refusedPending(),
                "handshakes were given up or refused because handshake.max-pending is reached",
                nowNanos);
    }

    /**
     * Has others watched as well, whose connections are turned away elsewhere. Before the first {@link #tell}.
     *
     * @param count only grows; any thread
     * @param text what it counts, as the rest of a sentence
     */
    public void warnOf(LongSupplier count, String text) {
        troubles.watch(count, text, System.nanoTime());
    }

    /** Logs what has been turned away since the last call. To be called once a second, on one thread. */
    public void tell() {
        troubles.tell(System.nanoTime());
    }

    /** The loops behind the listeners. */
    public DeviceLoops loops() {
        return loops;
    }

    /** Certificates and the keys of tickets. */
    public TlsListeners tls() {
        return tls;
    }

    /** Stops listening and ends the loops; what is still connected is cut. Waits, bounded. */
    @Override
    public void close() {
        stopListening();
        acceptor.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
        loops.close();
        tls.close();
    }
}
