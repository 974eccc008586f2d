package io.heartwheel.metrics;

import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Incident;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.log.LogCounts;
import io.heartwheel.protocol.proxy.ProxyCounts;
import io.heartwheel.protocol.websocket.ForwardedCounts;
import io.heartwheel.session.Breaker;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.Stalls;
import io.heartwheel.sink.SinkObserver;
import io.heartwheel.sink.TraceObserver;
import io.heartwheel.transport.Admission;
import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelObserver;
import io.prometheus.client.Collector;
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
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All figures of a gateway: told of what is rare, reading what the floors below count for themselves when the page is asked for.
 *
 * <pre>
 *   event loops, wheel, sink --told--&gt; counters -----+
 *                                                      +--&gt; render(Accept) --&gt; bytes
 *   loops' stats, wheel, admission, JVM &lt;--asked------+
 * </pre>
 *
 * <p>The observer methods may be called by any thread at once; they add to striped cells, look nothing up, allocate nothing, never block and
 * never throw. A registry of its own: several gateways in one process do not meet, but for what is the process's.
 */
public final class GatewayMetrics implements SessionObserver, WheelObserver, SinkObserver {
    private static final String CREATED = "_created";

    private final CollectorRegistry registry = new CollectorRegistry();
    private final ConnectionMetrics connections = new ConnectionMetrics(registry);
    private final TlsMetrics tls = new TlsMetrics(registry);
    private final SinkMetrics sink = new SinkMetrics(registry);
    private final TraceMetrics trace = new TraceMetrics(registry);
    private final AdminMetrics admin = new AdminMetrics(registry);
    private final Counter probes = Metric.PROBES.counter(registry);
    private final Counter keepAlives = Metric.KEEP_ALIVES.counter(registry);
    private final Counter takeovers = Metric.TAKEOVERS.counter(registry);
    private final Counter readingPauses = Metric.READING_PAUSES.counter(registry);
    private final Counter ratePauses = Metric.RATE_PAUSES.counter(registry);
    private final Counter reprieves = Metric.REPRIEVES.counter(registry);
    private final PunctualityMetrics punctuality = new PunctualityMetrics(registry);
    private final Counter credits = Metric.CREDITS.counter(registry);
    private final Histogram credit = Metric.CREDIT_SECONDS.histogram(registry);
    private final BreakerMetrics breaker = new BreakerMetrics(registry);
    private final ShadowMetrics shadow = new ShadowMetrics(registry);
    private final ReloadMetrics reloads = new ReloadMetrics(registry);
    private final Histogram wheelLag = Metric.WHEEL_LAG_SECONDS.histogram(registry);

    /**
     * Counts from here on.
     *
     * @param version the gateway's own
     * @param transport {@code epoll}, {@code io_uring} or {@code nio}
     */
    public GatewayMetrics(String version, String transport) {
        new ProcessMetrics(registry, version, transport);
        registry.register(new LogMetrics(LogCounts.OF_PROCESS));
    }

    // ------------------------------------------------------------------ what is asked when the page is wanted; once
    // each, before the first page

    /**
     * Shows the wheel.
     *
     * @param running whether a thread turns it
     */
    public void watchWheel(TimingWheel wheel, BooleanSupplier running) {
        registry.register(new WheelMetrics(wheel, running));
    }

    /**
     * Shows the event loops, named by their index.
     *
     * @param loops what each counts
     * @param pendingTasks tasks that wait for the loop of an index
     * @param nanoClock the loops' clock
     */
    public void watchLoops(List<LoopStats> loops, IntUnaryOperator pendingTasks, LongSupplier nanoClock) {
        registry.register(new LoopMetrics(loops, pendingTasks, nanoClock));
    }

    /**
     * Shows whether new devices are taken.
     *
     * @param ready any thread
     */
    public void watchReady(BooleanSupplier ready) {
        registry.register(new ReadyMetric(ready));
    }

    /** Shows how many connections there are and may be. */
    public void watchAdmission(Admission admission) {
        connections.watch(admission);
        registry.register(new AdmissionMetrics(admission));
    }

    /** Shows what balancers told of the origin of connections, and others tried to. */
    public void watchOrigins(ProxyCounts proxies, ForwardedCounts forwarded) {
        registry.register(new OriginMetrics(proxies, forwarded));
    }

    /**
     * Shows certificates and ticket keys.
     *
     * @param wallMillis milliseconds since 1970
     */
    public void watchTls(TlsListeners listeners, LongSupplier wallMillis) {
        tls.watch(listeners, wallMillis);
    }

    /** Shows how much memory is held, and whether it is short. */
    public void watchMemory(MemoryGuard guard) {
        registry.register(new MemoryMetrics(guard));
    }

    /**
     * Shows when the event loops stood still, and what the process lost beside.
     *
     * @param loops by index
     */
    public void watchStalls(List<Stalls> loops) {
        StallMetrics stalls = new StallMetrics(loops);
        registry.register(stalls);
        registry.register(new ProcessPauses(stalls::worstLossNanos));
    }

    /**
     * Shows how late expiries are now.
     *
     * @param overdueNanos for how long the oldest has been waiting, 0 if none is; any thread
     */
    public void watchExpiries(LongSupplier overdueNanos) {
        punctuality.watch(overdueNanos);
    }

    /** Who is told of each reload. */
    public ReloadMetrics reloads() {
        return reloads;
    }

    /** Shows whether there is a mass expiry. */
    public void watchBreaker(Breaker watched) {
        breaker.watch(watched);
    }

    /**
     * Shows the drain.
     *
     * @param progress where the latest stands; any thread
     * @param counts of all since the start
     */
    public void watchDrain(Supplier<DrainProgress> progress, DrainCounts counts) {
        registry.register(new DrainMetrics(progress, counts));
    }

    /**
     * Shows how often the service manager could not be told.
     *
     * @param failures so far; any thread
     */
    public void watchSupervisor(LongSupplier failures) {
        registry.register(new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                return List.of(Family.of(Metric.SUPERVISOR_FAILURES, failures.getAsLong()));
            }
        });
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
            punctuality.late(TimeUnit.MICROSECONDS.toNanos(close.timing().latenessMicros()));
        }
    }

    @Override
    public void traced() {
        trace.traced();
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
        credit.observe(creditNanos / 1e9);
    }

    @Override
    public void suspected() {
        breaker.suspected();
    }

    @Override
    public void suspectSettled(SuspectOutcome outcome, long heldNanos) {
        breaker.settled(outcome);
    }

    @Override
    public void incident(Incident incident) {
        breaker.incident(incident);
    }

    @Override
    public void shadowed(DeadlineKind kind) {
        shadow.shadowed(kind);
    }

    @Override
    public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, Session session) {
        shadow.settled(kind, outcome, nanosAfter);
    }

    // ------------------------------------------------------------------ wheel

    @Override
    public void turned(int expired, int moved, long lagNanos) {
        wheelLag.observe(lagNanos / 1e9);
    }

    // ------------------------------------------------------------------ admin, sink and trace

    /** Who counts the callers of the admin listener. */
    public AdminMetrics admin() {
        return admin;
    }

    /** Who counts the lines of the liveness trace. */
    public TraceObserver trace() {
        return trace;
    }

    @Override
    public void accepted(int messages) {
        sink.accepted(messages);
    }

    @Override
    public void refused(int messages) {
        sink.refused(messages);
    }

    @Override
    public void lost(int messages) {
        sink.lost(messages);
    }

    @Override
    public void waiting(IntSupplier peers) {
        sink.waiting(peers);
    }

    @Override
    public void dropped(int events) {
        sink.dropped(events);
    }

    @Override
    public void writeFailed() {
        sink.writeFailed();
    }

    @Override
    public void queue(IntSupplier depth, int capacity) {
        sink.queue(depth, capacity);
    }
}
