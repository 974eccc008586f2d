package io.heartwheel.metrics;

import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthObserver;
import io.heartwheel.auth.http.HookStatus;
import io.heartwheel.auth.jwt.JwkStatus;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.log.LogCounts;
import io.heartwheel.log.LogLevel;
import io.heartwheel.metrics.Readings.Family;
import io.heartwheel.outlet.OutletStatus;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.sink.SinkObserver;
import io.heartwheel.sink.TraceObserver;
import io.heartwheel.store.Store;
import io.heartwheel.transport.Admission;
import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.transport.MemoryReading;
import io.heartwheel.transport.MemoryReading.Area;
import io.heartwheel.transport.SourceCounts;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelCounters;
import io.heartwheel.wheel.WheelObserver;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All figures of a gateway: counters of rare events, and readings of what the floors below count for themselves, taken when the page is asked for.
 *
 * <pre>
 *   event loops, wheel, sink --observer--&gt; counters --+
 *                                                       +--&gt; render(Accept) --&gt; bytes
 *   loops' stats, wheel, admission, JVM &lt;--readings-----+
 * </pre>
 *
 * <p>The observer methods may be called by any thread at once; they add to striped cells, look nothing up, allocate nothing, never block and
 * never throw. The registry is the gateway's own: several gateways in one process do not meet, but for what is the process's.
 */
public final class GatewayMetrics implements SessionObserver, WheelObserver {
    private static final String CREATED = "_created";
    private static final double NANOS_PER_SECOND = 1e9;

    /** Deadlines that a shadow policy can have. */
    private static final List<DeadlineKind> SHADOW_KINDS = List.of(
            DeadlineKind.HANDSHAKE,
            DeadlineKind.HEARTBEAT,
            DeadlineKind.READ_PROGRESS,
            DeadlineKind.READER_IDLE,
            DeadlineKind.WRITE_PROGRESS);

    private final CollectorRegistry registry = new CollectorRegistry();
    private final Readings readings = new Readings();
    private final ConnectionMetrics connections = new ConnectionMetrics(registry, readings);
    private final TlsMetrics tls = new TlsMetrics(registry);
    private final AuthMetrics auth = new AuthMetrics(registry);
    private final SinkMetrics sink = new SinkMetrics(registry, readings);
    private final AdminMetrics admin = new AdminMetrics(registry, readings);
    private final ReloadMetrics reloads = new ReloadMetrics(registry, readings);
    private final Counter probes = Metric.PROBES.counter(registry);
    private final Counter keepAlives = Metric.KEEP_ALIVES.counter(registry);
    private final Counter takeovers = Metric.TAKEOVERS.counter(registry);
    private final Counter readingPauses = Metric.READING_PAUSES.counter(registry);
    private final Counter ratePauses = Metric.RATE_PAUSES.counter(registry);
    private final Counter reprieves = Metric.REPRIEVES.counter(registry);
    private final Counter traced = Metric.TRACE_CONNECTIONS.counter(registry);
    private final Counter credits = Metric.CREDITS.counter(registry);
    private final Histogram credit = Metric.CREDIT_SECONDS.histogram(registry);
    private final Counter incidents = Metric.BREAKER_INCIDENTS.counter(registry);
    private final Counter suspicions = Metric.BREAKER_SUSPICIONS.counter(registry);
    private final Counter.Child[] suspectOutcomes = Metric.BREAKER_SUSPECT_OUTCOMES.counters(
            registry,
            Stream.of(SuspectOutcome.values()).map(SuspectOutcome::label).toList());
    private final Counter shadowKills = Metric.SHADOW_KILLS.counter(registry);
    private final Counter shadowOutcomes = Metric.SHADOW_OUTCOMES.counter(registry);
    private final Histogram shadowSpokeAfter = Metric.SHADOW_SPOKE_AFTER_SECONDS.histogram(registry);
    private final Histogram wheelLag = Metric.WHEEL_LAG_SECONDS.histogram(registry);
    /** For alerts that cannot wait for a histogram. */
    private final RecentMaximum worstLateness = new RecentMaximum(System::nanoTime, TimeUnit.SECONDS.toNanos(30));

    private volatile LongSupplier overdue = () -> 0;

    /**
     * Counts from here on.
     *
     * @param version the gateway's own
     * @param transport {@code epoll}, {@code io_uring} or {@code nio}
     */
    public GatewayMetrics(String version, String transport) {
        registry.register(readings);
        ProcessMetrics.add(registry, readings, version, transport);
        LogCounts log = LogCounts.OF_PROCESS;
        readings.addSeries(Metric.LOG_LINES, lines -> {
                    for (LogLevel level : EnumSet.range(LogLevel.DEBUG, LogLevel.ERROR)) {
                        lines.add(log.written(level), level.name().toLowerCase(Locale.ROOT));
                    }
                })
                .add(Metric.LOG_SUPPRESSED_LINES, log::suppressedLines)
                .add(Metric.EXPIRY_OVERDUE_SECONDS, () -> seconds(overdue.getAsLong()))
                .add(Metric.EXPIRY_LATENESS_WORST_SECONDS, () -> seconds(worstLateness.worst()));
        for (DeadlineKind kind : SHADOW_KINDS) {
            shadowKills.labels(kind.label());
            for (ShadowOutcome outcome : ShadowOutcome.values()) {
                shadowOutcomes.labels(kind.label(), outcome.label());
            }
        }
    }

    // ------------------------------------------------------------------ readings; each is added once, before the first
    // page

    /**
     * Adds the wheel. Counting the armed entries takes about a millisecond a million.
     *
     * @param running whether a thread turns it
     */
    public void watchWheel(TimingWheel wheel, BooleanSupplier running) {
        WheelCounters counters = wheel.counters();
        readings.addFlag(Metric.WHEEL_RUNNING, running)
                .add(Metric.WHEEL_TICK_SECONDS, () -> seconds(wheel.tickNanos()))
                .addSeries(Metric.WHEEL_ENTRIES, entries -> entries.add(counters.registered(), "registered")
                        .add(wheel.countArmed(), "armed")
                        .add(counters.filed(), "filed"))
                .add(Metric.WHEEL_ENTRIES_LIMIT, wheel::maxEntries)
                .add(Metric.WHEEL_EXPIRIES, counters::expired)
                .add(Metric.WHEEL_MOVES, counters::moved)
                .add(Metric.WHEEL_CASCADES, counters::cascaded)
                .add(Metric.WHEEL_DROPS, counters::dropped)
                .add(Metric.WHEEL_HANDOVERS, counters::handedOver)
                .add(Metric.WHEEL_REJECTIONS, counters::rejected)
                .add(Metric.WHEEL_FAILURES, counters::failed);
    }

    /**
     * Adds the event loops, named by their index. The loops are not asked: one that is stuck is shown as well.
     *
     * @param loops counters of each
     * @param pendingTasks tasks that wait for the loop of an index
     * @param nanoClock the loops' clock
     */
    public void watchLoops(List<LoopStats> loops, IntUnaryOperator pendingTasks, LongSupplier nanoClock) {
        readings.addSeries(Metric.FRAMES_RECEIVED, family -> addFrames(family, loops, LoopStats::framesIn))
                .addSeries(Metric.FRAMES_SENT, family -> addFrames(family, loops, LoopStats::framesOut))
                .add(Metric.RECEIVED_BYTES, () -> sum(loops, LoopStats::bytesIn))
                .add(Metric.SENT_BYTES, () -> sum(loops, LoopStats::bytesOut))
                .add(Metric.UNFINISHED_BYTES, () -> sum(loops, LoopStats::unfinishedBytes))
                .add(Metric.AUTH_PENDING, () -> sum(loops, LoopStats::unanswered));
        addEach(Metric.LOOP_LAG_SECONDS, loops, (loop, i) -> seconds(loop.lag().nowNanos(nanoClock.getAsLong())));
        addEach(
                Metric.LOOP_LAG_MAX_SECONDS,
                loops,
                (loop, i) -> seconds(loop.lag().maxNanos(nanoClock.getAsLong())));
        addEach(Metric.LOOP_PENDING_TASKS, loops, (loop, i) -> pendingTasks.applyAsInt(i));
    }

    /** Adds the outlets of the journal. */
    public void watchOutlets(Supplier<List<OutletStatus>> outlets, LongSupplier wallMillis) {
        OutletMetrics.watch(readings, outlets, wallMillis);
    }

    /** Adds the fleet: whether its engine can be asked, and the claims that wait for it. */
    public void watchCluster(ClusterCounts counts, BooleanSupplier reachable, IntSupplier pending, IntSupplier nodes) {
        ClusterMetrics.watch(readings, counts, reachable, pending, nodes);
    }

    private static void addFrames(Family family, List<LoopStats> loops, ToLongBiFunction<LoopStats, Integer> count) {
        family.add(sum(loops, loop -> count.applyAsLong(loop, 0)), "other");
        for (int type = FrameType.HELLO; FrameType.isKnown(type); type++) {
            int counted = type;
            family.add(
                    sum(loops, loop -> count.applyAsLong(loop, counted)),
                    FrameType.name(type).toLowerCase(Locale.ROOT));
        }
    }

    private static double seconds(long nanos) {
        return nanos / NANOS_PER_SECOND;
    }

    private static long sum(List<LoopStats> loops, ToLongFunction<LoopStats> count) {
        return loops.stream().mapToLong(count).sum();
    }

    private <T> void addEach(Metric metric, List<T> loops, ToDoubleBiFunction<T, Integer> value) {
        readings.addSeries(metric, family -> {
            for (int i = 0; i < loops.size(); i++) {
                family.add(value.applyAsDouble(loops.get(i), i), Integer.toString(i));
            }
        });
    }

    /**
     * Adds whether new devices are accepted.
     *
     * @param ready any thread
     */
    public void watchReady(BooleanSupplier ready) {
        readings.addFlag(Metric.READY, ready);
    }

    /** Adds how many connections, handshakes and sources there are and may be, and what headers told of their origin. */
    public void watchAdmission(Admission admission) {
        SourceCounts sources = admission.sources();
        connections.watch(admission);
        readings.add(Metric.HANDSHAKES_PENDING, admission::pending)
                .add(Metric.HANDSHAKES_PENDING_LIMIT, admission::maxPending)
                .add(Metric.HANDSHAKES_EVICTED, admission::pushedOut)
                .add(Metric.SOURCES, sources::connected)
                .addSeries(Metric.SOURCE_REFUSALS, family -> family.add(sources.tooMany(), "connections")
                        .add(sources.tooFast(), "rate"))
                .add(Metric.SOURCES_UNCOUNTED, sources::uncounted)
                .addSeries(
                        Metric.PROXY_HEADERS,
                        family -> admission.proxyOutcomes().forEach((outcome, count) -> family.add(count, outcome)))
                .addSeries(
                        Metric.FORWARDED_HEADERS,
                        family -> admission.forwardedOutcomes().forEach((outcome, count) -> family.add(count, outcome)))
                .addSeries(Metric.HTTP_REQUESTS, family -> admission
                        .plainRequests()
                        .counts()
                        .forEach((outcome, count) -> family.add(count, outcome)));
    }

    /** Adds how many device ids are in conflict. */
    public void watchIdConflicts(LongSupplier idConflicts) {
        readings.add(Metric.ID_CONFLICTS, idConflicts::getAsLong);
    }

    /** Adds connections by group, and what was refused for groups and attributes. */
    public void watchQuotas(ConnectionQuotas quotas) {
        readings.addSeries(Metric.GROUP_CONNECTIONS, family -> quotas.groupConnections()
                        .forEach((group, connections) -> family.add(connections, group)))
                .addSeries(Metric.CONNECTION_LIMIT_REFUSALS, family -> family.add(quotas.groupRefusals(), "group")
                        .add(quotas.attributeRefusals(), "attribute"))
                .add(Metric.RATE_CLASSES_UNKNOWN, quotas::unknownRateClasses);
    }

    /** Adds certificates and ticket keys. */
    public void watchTls(TlsListeners listeners) {
        TlsMetrics.watch(readings, listeners);
    }

    /** Adds the threads that carry a promise, by name. */
    public void watchThreads(ThreadSupervisor threads) {
        readings.addSeries(Metric.THREAD_STILL_SECONDS, family -> threads.all()
                .forEach(each -> family.add(seconds(each.stillNanos()), each.name())));
    }

    /**
     * Adds the methods of authentication.
     *
     * @param fileProblems mistakes in their files now; any thread
     * @param keys of the method jwt; its counts never fall, whatever a reload exchanges; any thread
     * @param service of the method http; the same
     */
    public void watchAuth(
            AuthChain chain, IntSupplier fileProblems, Supplier<JwkStatus> keys, Supplier<HookStatus> service) {
        AuthMetrics.watch(readings, chain, fileProblems);
        AuthMetrics.watchKeys(readings, keys);
        AuthMetrics.watchService(readings, service);
    }

    /**
     * Adds how full the journal is, and how it is kept.
     *
     * @param wallMillis milliseconds since 1970
     */
    public void watchJournal(Store journal, long maxBytes, LongSupplier wallMillis) {
        readings.add(Metric.JOURNAL_EVENTS, journal::lastNumber)
                .add(Metric.JOURNAL_BYTES, journal::recordBytes)
                .add(Metric.JOURNAL_LIMIT_BYTES, () -> maxBytes)
                .add(Metric.JOURNAL_SEGMENTS, () -> journal.figures().segments())
                .add(Metric.JOURNAL_OLDEST_AGE_SECONDS, () -> {
                    long oldest = journal.figures().oldestEpochMillis();
                    return oldest == 0 ? 0 : Math.max(0, wallMillis.getAsLong() - oldest) / 1_000.0;
                })
                .add(Metric.JOURNAL_KEEPER_LAG_EVENTS, () -> journal.figures().keeperLag())
                .add(Metric.JOURNAL_FAILED_COMMITS, () -> journal.figures().failures())
                .add(Metric.JOURNAL_DAMAGED_EVENTS, () -> journal.damage().lostRecords());
    }

    /**
     * Adds the events that make up for lost ones.
     *
     * @param lostDevices how many were reported; any thread
     */
    public void watchPresence(Snapshots snapshots, LongSupplier lostDevices) {
        readings.addSeries(Metric.PRESENCE_SNAPSHOTS, family -> family.add(snapshots.completed(), "ended")
                        .add(snapshots.progress().abandoned(), "abandoned"))
                .add(Metric.PRESENCE_LOST_DEVICES, lostDevices::getAsLong);
    }

    /** Adds messages to devices. */
    public void watchPushes(Pushes pushes) {
        MessageMetrics.watch(readings, pushes);
    }

    /** Adds messages that are sent later, or again and again. */
    public void watchSchedules(Schedules schedules) {
        MessageMetrics.watch(readings, schedules);
    }

    /** Adds messages to many devices. */
    public void watchJobs(Jobs jobs, GroupMembers members) {
        readings.add(Metric.JOBS_RUNNING, jobs::running).add(Metric.GROUP_MEMBERS, members::size);
    }

    /** Adds how much memory is in use, and whether it is short. */
    public void watchMemory(MemoryGuard guard) {
        readings.addSeries(Metric.MEMORY_USED_BYTES, family -> addAreas(family, guard, Area::usedBytes))
                .addSeries(Metric.MEMORY_LIMIT_BYTES, family -> addAreas(family, guard, Area::limitBytes))
                .addFlag(Metric.MEMORY_SHORT, guard::isShort)
                .add(Metric.MEMORY_SHORTAGES, guard::shortages);
    }

    private static void addAreas(Family family, MemoryGuard guard, ToLongFunction<Area> bytes) {
        MemoryReading latest = guard.latest();
        family.add(bytes.applyAsLong(latest.heap()), "heap")
                .add(bytes.applyAsLong(latest.direct()), "direct")
                .add(bytes.applyAsLong(latest.process()), "process");
    }

    /**
     * Adds the stalls of the event loops, and the pauses of the process.
     *
     * @param loops by index
     */
    public void watchStalls(List<Stalls> loops) {
        addEach(Metric.STALLS, loops, (loop, i) -> loop.count());
        addEach(Metric.STALL_SECONDS, loops, (loop, i) -> seconds(loop.totalNanos()));
        // all loops stand still when the process does: the one that lost most tells how long
        readings.addSeries(
                Metric.PAUSE_SECONDS,
                new ProcessPauses(
                        () -> loops.stream().mapToLong(Stalls::totalNanos).max().orElse(0))::fill);
    }

    /**
     * Adds how late expiries are now.
     *
     * @param overdueNanos how long the oldest has been waiting, 0 if none is; any thread
     */
    public void watchExpiries(LongSupplier overdueNanos) {
        overdue = overdueNanos;
    }

    /** Adds whether there is a mass expiry. */
    public void watchBreaker(Breaker breaker) {
        readings.addFlag(Metric.BREAKER_OPEN, breaker::isOpen)
                .addSeries(Metric.BREAKER_OPEN_SCOPES, family -> {
                    for (Breaker.Kind kind : Breaker.Kind.values()) {
                        family.add(breaker.openGroups(kind), kind.label());
                    }
                })
                .add(Metric.BREAKER_SUSPECTS, breaker::suspects);
    }

    /**
     * Adds the drain.
     *
     * @param progress of the latest; any thread
     * @param counts of all since the start
     */
    public void watchDrain(Supplier<DrainProgress> progress, DrainCounts counts) {
        readings.addSeries(Metric.DRAIN_PHASE, family -> {
                    DrainPhase now = progress.get().phase();
                    for (DrainPhase phase : DrainPhase.values()) {
                        family.add(phase == now ? 1 : 0, phase.label());
                    }
                })
                .add(Metric.DRAIN_REMAINING, () -> remaining(progress.get()))
                .add(Metric.DRAIN_TOLD, counts::toldTotal)
                .add(Metric.DRAIN_LEFT, counts::leftTotal)
                .add(Metric.DRAIN_CLOSED, counts::closedTotal);
    }

    private static long remaining(DrainProgress now) {
        return now.phase() == DrainPhase.NONE || now.phase() == DrainPhase.CANCELLED ? 0 : now.remaining();
    }

    /**
     * Adds the failures to notify the service manager.
     *
     * @param failures so far; any thread
     */
    public void watchSupervisor(LongSupplier failures) {
        readings.add(Metric.SUPERVISOR_FAILURES, failures::getAsLong);
    }

    // ------------------------------------------------------------------ the page

    /**
     * The page of this moment, sorted by name. Any thread; some milliseconds, and one more for each million connections.
     *
     * @param accept what the reader takes, as in the HTTP header: OpenMetrics 1.0.0 if it is named, else the text format 0.0.4
     */
    public Exposition render(@Nullable String accept) {
        String contentType = TextFormat.chooseContentType(accept);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 << 10);
        try (Writer text = new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
            TextFormat.writeFormat(contentType, text, page());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Exposition(contentType, bytes.toByteArray());
    }

    private Enumeration<MetricFamilySamples> page() {
        List<MetricFamilySamples> families = Collections.list(registry.metricFamilySamples());
        families.sort(Comparator.comparing(family -> family.name));
        families.replaceAll(GatewayMetrics::withoutCreated);
        return Collections.enumeration(families);
    }

    /** The client adds the time of creation to every series of a counter: as many lines again, of no use to us. */
    private static MetricFamilySamples withoutCreated(MetricFamilySamples family) {
        List<Sample> kept = family.samples.stream()
                .filter(sample -> !sample.name.endsWith(CREATED))
                .toList();
        return new MetricFamilySamples(family.name, family.unit, family.type, family.help, kept);
    }

    // ------------------------------------------------------------------ sessions

    @Override
    public void secured(String version, boolean resumed, long nanos) {
        tls.secured(version, resumed, nanos);
    }

    @Override
    public void tlsFailed(TlsFailure failure) {
        tls.failed(failure);
    }

    @Override
    public void established(String protocol) {
        connections.established(protocol);
    }

    @Override
    public void closed(Evidence close) {
        connections.closed(close);
        if (close.endedByDeadline()) {
            worstLateness.note(TimeUnit.MICROSECONDS.toNanos(close.timing().latenessMicros()));
        }
    }

    @Override
    public void traced() {
        traced.inc();
    }

    @Override
    public void probed() {
        probes.inc();
    }

    @Override
    public void keptAlive() {
        keepAlives.inc();
    }

    @Override
    public void tookOver() {
        takeovers.inc();
    }

    @Override
    public void readingPaused() {
        readingPauses.inc();
    }

    @Override
    public void rateLimited() {
        ratePauses.inc();
    }

    @Override
    public void reprieved() {
        reprieves.inc();
    }

    // ------------------------------------------------------------------ stalls, mass expiries, the shadow policy

    @Override
    public void credited(long creditNanos) {
        credits.inc();
        credit.observe(seconds(creditNanos));
    }

    @Override
    public void suspected() {
        suspicions.inc();
    }

    @Override
    public void suspectSettled(SuspectOutcome outcome, long heldNanos) {
        suspectOutcomes[outcome.ordinal()].inc();
    }

    @Override
    public void incident(Incident incident) {
        if (!incident.ended()) {
            incidents.inc();
        }
    }

    @Override
    public void shadowed(DeadlineKind kind) {
        shadowKills.labels(kind.label()).inc();
    }

    @Override
    public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {
        shadowOutcomes.labels(kind.label(), outcome.label()).inc();
        if (outcome == ShadowOutcome.SPOKE) {
            shadowSpokeAfter.observe(seconds(nanosAfter));
        }
    }

    // ------------------------------------------------------------------ wheel

    @Override
    public void turned(int expired, int moved, long lagNanos) {
        wheelLag.observe(seconds(lagNanos));
    }

    // ------------------------------------------------------------------ counters with callers of their own

    /** Counters of authentications. */
    public AuthObserver auth() {
        return auth;
    }

    /** Counters of the admin listener. */
    public AdminMetrics admin() {
        return admin;
    }

    /** Counters of reloads. */
    public ReloadMetrics reloads() {
        return reloads;
    }

    /** Counters of the sink. */
    public SinkObserver sink() {
        return sink;
    }

    /** Counters of the liveness trace. */
    public TraceObserver trace() {
        return sink.trace();
    }
}
