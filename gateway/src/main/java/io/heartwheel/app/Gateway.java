package io.heartwheel.app;

import io.heartwheel.admin.AdminPorts;
import io.heartwheel.admin.GatewayInfo;
import io.heartwheel.admin.HealthCheck;
import io.heartwheel.admin.ReloadReport;
import io.heartwheel.cluster.directory.Cluster;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Snapshot;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.LoopLagProbe;
import io.heartwheel.liveness.LoopTasks;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.liveness.WheelPulse;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.presence.LostDevices;
import io.heartwheel.presence.PresenceThread;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.sink.Journal;
import io.heartwheel.store.StoreReader;
import io.heartwheel.transport.ConnectionPolicy;
import io.heartwheel.transport.DeviceLoops;
import io.heartwheel.transport.DeviceTransport;
import io.heartwheel.transport.IoEngine;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway as a whole: wires the floors, starts them from the bottom up and ends them from the top down.
 *
 * <pre>
 *   wheel thread -- expiries --&gt; device loops -- events --&gt; sink
 *                                     ^
 *   listeners -- accepted channels ---+         admin: metrics, health, devices
 * </pre>
 *
 * Start on one thread; {@link #shutdown} and {@link #awaitTermination} from any.
 */
public final class Gateway implements RunningGateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PULSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The live heap of a connection that holds nothing else, rounded down. */
    private static final int CONNECTION_BYTES = 1_300;

    private static final Duration PULSE_LIMIT = Duration.ofSeconds(5);
    private static final String GOING_DOWN = "the gateway is going down";

    private volatile GatewaySettings settings;
    /** The greatest that any connection may send: each keeps the terms it came with, so this never falls. Written by whoever reloads. */
    private int largestMessageBytes;

    private final OpenParts parts;
    private final Reloader reloader;
    private final ThreadSupervisor threads = new ThreadSupervisor(
            StillThread::tellSoon, () -> Runtime.getRuntime().halt(StillThread.STATUS));
    private final SessionRegistry registry;
    private final @Nullable Cluster cluster;
    private final GatewayMetrics metrics;
    private final ServiceNotifier serviceNotifier;
    private final Authentication authentication;
    private final Telemetry telemetry;
    private final TimingWheel wheel;
    private final WheelThread wheelThread;
    private final WheelPulse wheelPulse;

    private final Messaging messaging;
    private final Breaker breaker;
    private final ShadowPolicy shadowPolicy;
    private final DeviceTransport transport;
    private final MemoryGuard memory;
    private final ConnectionQuotas quotas;
    private final long startedNanos = System.nanoTime();
    private final List<HealthCheck.Pulse> pulses = new ArrayList<>();
    private final HealthCheck healthCheck;
    private final AdminListeners adminListeners = new AdminListeners();
    private volatile boolean ready;
    private final Map<String, InetSocketAddress> ports = new LinkedHashMap<>();
    private final DrainCounts drainCounts = new DrainCounts();
    private final Drainer drainer;
    private final Snapshots snapshots;
    private final Housekeeping housekeeping;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** @param parts takes whatever is opened, also if this fails behind it */
    private Gateway(LoadedConfig config, LoadedConfig.Source source, Supervisor supervisor, OpenParts parts)
            throws IOException {
        this.parts = parts;
        settings = config.settings();
        largestMessageBytes = settings.protocol().maxPayloadBytes();
        serviceNotifier = new ServiceNotifier(supervisor, this::devices);
        parts.atTheEnd("supervisor", serviceNotifier::end);
        IoEngine engine = IoEngine.choose(settings.transport().kind());
        metrics = new GatewayMetrics(Versions.own(), engine.label());
        reloader = new Reloader(config, source, this::apply, metrics.reloads());
        authentication = parts.add("authentication", openAuthentication());
        telemetry = new Telemetry(parts, settings, metrics, serviceNotifier.closes(), drainCounts, threads);
        registry = newRegistry(telemetry.journal());
        cluster = ClusterStart.open(parts, settings, registry, metrics, telemetry.sink());
        SessionObserver observer = telemetry.all();
        wheel = new TimingWheel(settings.wheel(), System.nanoTime(), telemetry.wheel(metrics));
        wheelThread = parts.add(
                "wheel",
                new WheelThread(wheel, System::nanoTime, settings.wheel().slice()));
        messaging = new Messaging(
                parts, settings.messages(), settings.jobs(), settings.schedules(), registry, cluster, wheel, threads);
        ConnectionPolicy connectionPolicy = connectionPolicyOf(settings);
        shadowPolicy = new ShadowPolicy(policy(settings.shadow()));
        breaker = new Breaker(
                settings.breaker(),
                wheel,
                settings.transport().loopCount(),
                System::nanoTime,
                System::currentTimeMillis,
                observer,
                this::onALoop);
        memory = new MemoryGuard(settings.memory());
        quotas = new ConnectionQuotas(
                settings.admission().quotas(), settings.protocol().limits());
        transport = parts.add(
                "transport",
                new DeviceTransport(
                        engine,
                        settings.transport(),
                        settings.tls(),
                        settings.admission(),
                        memory,
                        connectionPolicy,
                        telemetry.activityTraces(),
                        (index, loop) -> contextOf(index, loop, connectionPolicy, observer)));
        parts.add("admin listeners", adminListeners); // closed before their TLS, which the transport has
        drainer = newDrainer();
        messaging.endsWhen(drainer::isShutForGood);
        snapshots = new Snapshots(
                registry, telemetry.sink(), settings.presence(), System::nanoTime, System::currentTimeMillis);
        telemetry.sink().onGap(snapshots::eventsLost);
        telemetry.outlets().onGap(() -> snapshots.ask(Snapshot.Cause.GAP));
        parts.add("presence", startPresence(telemetry.journal()));
        telemetry.outlets().start(threads); // a gap that one finds at once has its listener
        wheelPulse = new WheelPulse(wheel, System::nanoTime, PULSE_NANOS, settings.stalls(), this::wakeLoops);
        watch();
        healthCheck = new HealthCheck(pulses, PULSE_LIMIT, System::nanoTime);
        memory.follow(this::heldBytes);
        memory.look();
        housekeeping = parts.add("housekeeping", newHousekeeping());
    }

    private static SessionRegistry newRegistry(@Nullable Journal journal) {
        return new SessionRegistry(
                System::nanoTime, Messaging::wallMicros, journal == null ? 0 : journal.greatestEpoch());
    }

    private Authentication openAuthentication() throws IOException {
        return Authentication.open(
                settings.auth(),
                metrics.auth(),
                System::nanoTime,
                System::currentTimeMillis,
                threads.observe("heartwheel-auth-files"));
    }

    /** Nobody watches it: what it does may be late. */
    private Housekeeping newHousekeeping() {
        return new Housekeeping(
                new ThreadProgress("heartwheel-housekeeping"),
                memory::look,
                telemetry::tell,
                transport::tell,
                messaging::sweep);
    }

    private long devices() {
        return registry.size();
    }

    /** What the sessions of a loop share, before it is known through which listener they come. */
    private SessionContext contextOf(
            int index, LoopTasks loop, ConnectionPolicy connectionPolicy, SessionObserver observer) {
        Stalls stalls = new Stalls(index, settings.stalls(), System.nanoTime(), observer);
        return new SessionContext(
                wheel,
                connectionPolicy.policy(),
                shadowPolicy,
                cluster == null ? registry : cluster.directory(),
                connectionPolicy.auth(),
                quotas,
                telemetry.sink(),
                observer,
                new LoopStats(unfinishedBytes()),
                new ExpiryQueue(loop, System::nanoTime, observer, stalls, breaker),
                stalls,
                breaker,
                messaging.pushes().on(loop::execute),
                new Location(index, 0, ""),
                System::nanoTime,
                System::currentTimeMillis);
    }

    private PresenceThread startPresence(@Nullable Journal journal) throws IOException {
        ThreadProgress presence = threads.watch("heartwheel-presence");
        if (journal == null) {
            metrics.watchPresence(snapshots, () -> 0);
            return PresenceThread.start(System::nanoTime, presence, snapshots, null);
        }
        // outlets that still need what was lost tell it in its place, the others have had it
        journal.store().onDamage(() -> snapshots.ask(Snapshot.Cause.GAP));
        StoreReader rows = parts.add("reader of the journal", journal.store().reader());
        LostDevices lost = new LostDevices(
                rows,
                registry,
                telemetry.sink(),
                journal.store()::forget,
                journal.store().start(),
                settings.presence(),
                System.nanoTime(),
                System::currentTimeMillis);
        metrics.watchPresence(snapshots, lost::told);
        return PresenceThread.start(System::nanoTime, presence, snapshots, lost);
    }

    private Drainer newDrainer() {
        Drainer.ListenerControl listeners = new Drainer.ListenerControl() {
            @Override
            public void shut() {
                transport.stopListening();
                transport.closeHandshakes(CloseReason.SHUTDOWN, GOING_DOWN);
            }

            @Override
            public void open() throws IOException {
                transport.listenAgain();
            }
        };
        return new Drainer(
                registry,
                settings.drain(),
                cluster == null ? OtherGateways.NONE : new OtherGateways(cluster::others),
                drainCounts,
                listeners,
                serviceNotifier::drain,
                this::end,
                progress -> {
                    serviceNotifier.progress(progress);
                    telemetry.flightEvents().drain(progress);
                });
    }

    private ConnectionPolicy connectionPolicyOf(GatewaySettings settings) {
        return new ConnectionPolicy(
                new LivenessPolicy(settings.liveness(), settings.protocol().limits()),
                new AuthPolicy(
                        authentication.chain(),
                        settings.auth()::closesLater,
                        settings.auth().warnBefore().toNanos()),
                settings.protocol(),
                settings.webSocket());
    }

    private static @Nullable LivenessPolicy policy(@Nullable LivenessSettings shadow) {
        return shadow == null ? null : new LivenessPolicy(shadow);
    }

    /** What the unfinished frames of one loop may hold. */
    private long unfinishedBytes() {
        return settings.memory()
                .unfinishedBytesOfALoop(
                        MemoryGuard.smallestLimitBytes(), settings.transport().loopCount(), largestMessageBytes);
    }

    /** What connections hold for sure: themselves, and of unfinished messages what has come. */
    private long heldBytes() {
        long bytes = (long) CONNECTION_BYTES * transport.admission().open();
        for (SessionContext sessionContext : transport.loops().contexts()) {
            bytes += sessionContext.stats().unfinishedBytes();
        }
        return bytes;
    }

    private void onALoop(Runnable task) {
        transport.loops().execute(task);
    }

    private void watch() {
        DeviceLoops loops = transport.loops();
        metrics.watchWheel(wheel, wheelThread::isRunning);
        metrics.watchLoops(
                loops.contexts().stream().map(SessionContext::stats).toList(), loops::pendingTasks, System::nanoTime);
        metrics.watchReady(this::isReady);
        transport.admission().plainRequests().answerBy(this::isReady);
        metrics.watchIdConflicts(registry::idConflicts);
        metrics.watchAdmission(transport.admission());
        MethodFigures figures = authentication.figures();
        metrics.watchAuth(authentication.chain(), authentication::fileProblems, figures::keys, figures::service);
        watchQuotas();
        metrics.watchTls(transport.tls());
        metrics.watchThreads(threads);
        telemetry.flightEvents().watch(transport.admission());
        metrics.watchStalls(
                loops.contexts().stream().map(SessionContext::stalls).toList());
        metrics.watchBreaker(breaker);
        metrics.watchMemory(memory);
        metrics.watchPushes(messaging.pushes());
        metrics.watchJobs(messaging.jobs(), messaging.members());
        metrics.watchSchedules(messaging.schedules());
        metrics.watchDrain(drainer::progress, drainCounts);
        metrics.watchSupervisor(serviceNotifier::failures);
        pulses.add(new HealthCheck.Pulse("the wheel", wheelPulse::lastBeatNanos));
        List<ExpiryQueue> inboxes =
                loops.contexts().stream().map(SessionContext::expiryQueue).toList();
        metrics.watchExpiries(() -> overdueNanos(wheelPulse, inboxes));
        for (int i = 0; i < loops.contexts().size(); i++) {
            SessionContext sessionContext = loops.contexts().get(i);
            LoopLagProbe probe = new LoopLagProbe(
                    sessionContext.stats().lag(), sessionContext.stalls(), wheelPulse, System::nanoTime, loops.port(i));
            loops.execute(i, probe::begin);
            pulses.add(new HealthCheck.Pulse("event loop " + i, probe::lastSeenNanos));
        }
    }

    private void watchQuotas() {
        metrics.watchQuotas(quotas);
        transport.warnOf(
                () -> quotas.groupRefusals() + quotas.attributeRefusals(),
                "connections were refused by connection-limits");
        transport.warnOf(
                quotas::unknownRateClasses,
                "devices have a rate class that limits.classes does not have, and so the ordinary limits");
    }

    /** Something stood still, so a loop that is idle should know of it. */
    private void wakeLoops() {
        try {
            onEachLoop(sessionContext -> sessionContext.stalls().turned(System.nanoTime()));
        } catch (RejectedExecutionException ended) {
            // nobody is left to be judged
        }
    }

    /** An expiry waits for the wheel's thread first, then for its loop. */
    private static long overdueNanos(WheelPulse wheelPulse, List<ExpiryQueue> inboxes) {
        long nowNanos = System.nanoTime();
        long worstNanos = Math.max(0, nowNanos - wheelPulse.dueNanos());
        for (ExpiryQueue expiryQueue : inboxes) {
            worstNanos = Math.max(worstNanos, expiryQueue.overdueNanos(nowNanos));
        }
        return worstNanos;
    }

    /**
     * Starts a gateway that nobody supervises; what is read again is what it has.
     *
     * @throws IOException as below
     */
    public static Gateway start(LoadedConfig config) throws IOException {
        Gateway gateway = start(config, () -> config, Supervisor.none());
        gateway.housekeeping.begin();
        return gateway;
    }

    /**
     * Starts a gateway. When it returns, every listener is open. What is done once a second is done by who waits for its end.
     *
     * @param source where the configuration is read again from
     * @param supervisor who started us; closed when all has ended
     * @throws IOException naming what cannot be used; nothing is left running then
     */
    static Gateway start(LoadedConfig config, LoadedConfig.Source source, Supervisor supervisor) throws IOException {
        OpenParts parts = new OpenParts();
        StartLog.begin(config);
        try {
            Gateway gateway = new Gateway(config, source, supervisor, parts);
            gateway.open();
            return gateway;
        } catch (IOException | RuntimeException | LinkageError failed) {
            parts.close();
            throw failed;
        }
    }

    private void open() throws IOException {
        wheelPulse.begin();
        wheelThread.start();
        LOG.info(
                "transport {}, {} event loops, wheel tick {} ms",
                transport.engine().label(),
                transport.loops().contexts().size(),
                settings.wheel().tick().toMillis());
        for (ListenerSettings listener : settings.listeners()) {
            ports.put(listener.name(), transport.listen(listener));
        }
        AdminPorts admin = adminPorts();
        if (cluster != null) {
            ClusterStart.serve(cluster, admin, () -> settings, this::isReady);
        }
        adminListeners.open(settings.admin(), admin, transport.tls(), ports);
        if (transport.tls().isUsed()) {
            parts.add(
                    "upkeep of TLS", new Housekeeping(threads.observe("tls-upkeep"), transport.tls()::upkeep).begin());
        }
        threads.begin(wheel, System::nanoTime);
        parts.add("watch of the threads", threads); // closed first
        BoundPorts.write(settings.portsFile(), ports);
        ready = true;
        serviceNotifier.open(settings.listeners().size(), wheel, transport.loops(), threads);
        StartLog.open(settings, ports);
        LOG.info("ready");
    }

    private AdminPorts adminPorts() {
        return new AdminPorts(
                registry,
                metrics,
                this::problems,
                this::obstacles,
                this::info,
                telemetry.diagnostics(breaker),
                drainer,
                snapshots,
                messaging.pushes(),
                messaging.groups(() -> settings.messages().stored().maxAge()),
                messaging.schedules(),
                telemetry.outlets(),
                () -> settings.protocol().maxPayloadBytes(),
                this::reload,
                System::nanoTime,
                cluster == null ? null : cluster.fleet());
    }

    /**
     * Whether devices should be sent here, as {@code /readyz} answers it; from the notice of a drain on they should not, although they are taken. Any
     * thread; never blocks.
     */
    private boolean isReady() {
        return obstacles().isEmpty();
    }

    /** What keeps it from taking devices. */
    private List<String> obstacles() {
        if (drainer.isDraining()) {
            return List.of("draining");
        }
        if (memory.isShort()) {
            return List.of("short of memory");
        }
        if (!ready || !transport.isListening()) {
            return List.of("not listening yet");
        }
        // who is given to a loop that is stuck gets no answer
        return problems();
    }

    private List<String> problems() {
        List<String> all = new ArrayList<>(healthCheck.problems());
        all.addAll(threads.problems());
        return all;
    }

    private GatewayInfo info() {
        return new GatewayInfo(
                Versions.own(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos),
                transport.engine().label(),
                transport.loops().contexts().size(),
                isReady(),
                BoundPorts.listeners(settings, ports),
                new GatewayInfo.Connections(
                        transport.admission().open(), transport.admission().limit(), registry.size()));
    }

    /** The bound addresses by listener name. */
    public Map<String, InetSocketAddress> ports() {
        return Map.copyOf(ports);
    }

    /** Reads the configuration again, and goes by what can change while it runs. Blocks on files; any thread but an event loop. */
    @Override
    public ReloadReport reload() {
        return serviceNotifier.reload(reloader::reload);
    }

    /** @return what is wrong with files of methods and certificates; then nothing has changed */
    private List<String> apply(GatewaySettings fresh) {
        Authentication.Change methods = authentication.prepare(fresh.auth());
        List<String> problems = new ArrayList<>(methods.problems());
        Runnable admin = adminListeners.prepare(fresh.admin(), problems);
        if (problems.isEmpty()) {
            problems.addAll(transport.reloadTls(fresh.listeners(), AdminListeners.tls(fresh.admin())));
        }
        if (!problems.isEmpty()) {
            methods.discard();
            return problems;
        }
        methods.take();
        admin.run();
        GatewaySettings before = settings;
        settings = fresh;
        largestMessageBytes = Math.max(largestMessageBytes, fresh.protocol().maxPayloadBytes());
        long unfinishedBytes = unfinishedBytes();
        onEachLoop(sessionContext -> sessionContext.stats().limitUnfinished(unfinishedBytes));
        transport.admission().reconfigure(fresh.transport().maxConnections(), fresh.admission());
        quotas.reconfigure(fresh.admission().quotas(), fresh.protocol().limits());
        transport.renew(connectionPolicyOf(fresh), fresh.listeners());
        breaker.reconfigure(fresh.breaker());
        memory.reconfigure(fresh.memory());
        messaging.reconfigure(fresh.messages(), fresh.jobs(), fresh.schedules());
        drainer.reconfigure(fresh.drain());
        wheelPulse.reconfigure(fresh.stalls());
        onEachLoop(sessionContext -> sessionContext.stalls().reconfigure(fresh.stalls()));
        if (!Objects.equals(fresh.shadow(), before.shadow())) {
            shadowPolicy.replace(policy(fresh.shadow()));
            telemetry.tryAnother(fresh);
        }
        if (!fresh.log().equals(before.log())) {
            Telemetry.applyLog(fresh.log());
        }
        if (!fresh.unprotected().equals(before.unprotected())) {
            StartLog.warnOfUnprotected(fresh);
        }
        return problems;
    }

    private void onEachLoop(Consumer<SessionContext> task) {
        List<SessionContext> contexts = transport.loops().contexts();
        for (int i = 0; i < contexts.size(); i++) {
            SessionContext sessionContext = contexts.get(i);
            transport.loops().execute(i, () -> task.accept(sessionContext));
        }
    }

    /** Begins the orderly end on a thread of its own, once: no new devices, GOAWAY, drain, CLOSE. Any thread. */
    @Override
    public void shutdown() {
        drainer.shutDown();
    }

    private void end() {
        try {
            messaging.endSchedules();
            // every connection is in the registry, or in a handshake
            transport.closeHandshakes(CloseReason.SHUTDOWN, GOING_DOWN);
            registry.forEach(session -> session.closeSoon(CloseReason.SHUTDOWN, GOING_DOWN));
            awaitFarewells();
        } finally {
            parts.close();
            ended.countDown();
        }
    }

    /** The last frames are on their way: whoever reads them ends its side of the stream, and should not meet a reset before. */
    private void awaitFarewells() {
        long untilNanos = System.nanoTime() + FAREWELL_NANOS;
        while (transport.admission().open() > 0 && System.nanoTime() - untilNanos < 0) {
            LockSupport.parkNanos(FAREWELL_NANOS / 200);
        }
    }

    /** Waits for the end of an orderly shutdown. The first to wait does the housekeeping meanwhile, unless it has a thread of its own. */
    @Override
    public void awaitTermination() throws InterruptedException {
        housekeeping.serve();
        ended.await();
    }
}
