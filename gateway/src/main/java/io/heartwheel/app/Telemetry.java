package io.heartwheel.app;

import io.heartwheel.admin.Diagnostics;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Incident;
import io.heartwheel.history.CloseLog;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.jfr.FlightEvents;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.log.LogSettings;
import io.heartwheel.log.ProcessLog;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.session.ActivityTraces;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.Journal;
import io.heartwheel.sink.RefusalEvents;
import io.heartwheel.sink.SinkFactory;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.WheelObserver;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receivers of session events: metrics, history, log, trace and sink. Opened by whoever starts the gateway. */
final class Telemetry {
    private static final Logger LOGGER = LoggerFactory.getLogger(Telemetry.class);

    /** As many bits as a JSON number keeps everywhere. */
    private static final int TRACE_BITS = 53;

    /** How long outlets may go on at the end. */
    private static final Duration LAST_DELIVERIES = Duration.ofSeconds(2);

    private final @Nullable Journal journal;
    private final @Nullable Outlets outlets;
    private final EventSink sink;
    private final @Nullable ActivityTraces activityTraces;
    private final RecentCloses closes;
    private final RecentIncidents incidents = new RecentIncidents();
    private final ShadowLedgers shadow = new ShadowLedgers();
    private volatile Diagnostics.@Nullable Shadow tried;
    private final CloseLog log = new CloseLog(System::nanoTime);
    private final RefusalEvents refusals;
    private final FlightEvents flightEvents = new FlightEvents();
    private final SessionObserver all;

    /**
     * Opens the sink, and the file of the trace.
     *
     * @param parts whoever closes what is opened here
     * @param minute who counts for the supervisor
     * @param threads who watches the threads of sink and outlets
     * @throws IOException naming what cannot be opened
     */
    Telemetry(
            OpenParts parts,
            GatewaySettings settings,
            GatewayMetrics metrics,
            ClosesLastMinute minute,
            DrainCounts drainCounts,
            ThreadSupervisor threads)
            throws IOException {
        TraceSettings trace = settings.trace();
        activityTraces = trace.enabled()
                ? traces(settings, metrics, parts.add("trace", SinkFactory.trace(trace, metrics.trace())))
                : null;
        boolean keeps = settings.sink().kind() == SinkKind.JOURNAL;
        journal =
                keeps ? parts.add("journal", Journal.open(settings.sink().journal(), System::currentTimeMillis)) : null;
        if (journal != null) {
            ThreadProgress keeper = threads.watch("journal-keeper");
            journal.store()
                    .onKeeping(
                            () -> {
                                keeper.started(Thread.currentThread());
                                keeper.works();
                            },
                            keeper::rests);
        }
        outlets = journal == null ? null : openOutlets(parts, settings, journal);
        sink = parts.add("sink", SinkFactory.create(settings.sink(), metrics.sink(), journal, Versions.own(), threads));
        if (journal != null && outlets != null) {
            metrics.watchJournal(journal.store(), journal.maxBytes(), System::currentTimeMillis);
            metrics.watchOutlets(outlets::all, System::currentTimeMillis);
        }
        tried = tried(settings);
        closes = new RecentCloses(settings.evidence());
        refusals = new RefusalEvents(sink, settings.evidence().refusalEvents());
        SessionObserver publisher = new SessionObserver() {
            @Override
            public void incident(Incident incident) {
                sink.publish(incident);
            }
        };
        List<SessionObserver> told = new ArrayList<>(List.of(
                metrics, closes, incidents, shadow, log, refusals, flightEvents, minute, drainCounts, publisher));
        if (activityTraces != null) {
            told.add(activityTraces);
        }
        all = SessionObserver.all(told);
        parts.atTheEnd("telemetry", this::end);
    }

    /** Before the sink: from then on nothing is dropped that an outlet needs. */
    private static Outlets openOutlets(OpenParts parts, GatewaySettings settings, Journal journal) throws IOException {
        Outlets outlets = Outlets.open(
                settings.outlets(), journal.store(), settings.sink().instance());
        parts.atTheEnd("outlets", () -> end(outlets, journal));
        return outlets;
    }

    private static ActivityTraces traces(GatewaySettings settings, GatewayMetrics metrics, EventSink file) {
        TraceSettings trace = settings.trace();
        LOGGER.info("tracing {} of the connections to {}", trace.share(), trace.file());
        return new ActivityTraces(
                trace,
                new SecureRandom().nextLong() >>> (Long.SIZE - TRACE_BITS),
                new LivenessPolicy(settings.liveness()),
                file,
                metrics,
                System::nanoTime,
                System::currentTimeMillis);
    }

    /** Where events go. */
    EventSink sink() {
        return sink;
    }

    /** The journal; null: there is none. */
    @Nullable
    Journal journal() {
        return journal;
    }

    /** Where events go from the journal. */
    Outlets outlets() {
        return outlets == null ? Outlets.NONE : outlets;
    }

    /** Who is traced; null: nobody. */
    @Nullable
    ActivityTraces activityTraces() {
        return activityTraces;
    }

    /** All of them as one. */
    SessionObserver all() {
        return all;
    }

    /** Who is told what the wheel does. */
    WheelObserver wheel(GatewayMetrics metrics) {
        return new WheelObserver() {
            @Override
            public void turned(int expired, int moved, long lagNanos) {
                metrics.turned(expired, moved, lagNanos);
                flightEvents.turned(expired, moved, lagNanos);
            }

            @Override
            public void failed(Timed timed, Throwable failure) {
                LOGGER.error(
                        "the deadline of a {} failed and is lost",
                        timed.getClass().getSimpleName(),
                        failure);
            }

            @Override
            public void turnFailed(Throwable failure) {
                LOGGER.error("the wheel failed to turn and tries again", failure);
            }
        };
    }

    /** Who tells the Flight Recorder. */
    FlightEvents flightEvents() {
        return flightEvents;
    }

    /** To be called once a second. Any thread. */
    void tell() {
        log.tell();
        refusals.tell();
        flightEvents.look();
        ProcessLog.ofProcess().tell();
    }

    /** The rest is told, after the last connection has ended. */
    private void end() {
        tell();
        flightEvents.close();
    }

    /** What is in the journal may still go out, for a moment; the rest does so after the next start. */
    private static void end(Outlets outlets, Journal journal) {
        try {
            outlets.awaitDelivered(journal.store().lastNumber(), LAST_DELIVERIES);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
        outlets.close();
    }

    /** What the operator may ask of them. */
    Diagnostics diagnostics(Breaker breaker) {
        return new Diagnostics(closes, breaker, incidents, () -> tried);
    }

    /** Another policy is tried from now on: its ledger begins with an empty page. */
    void tryAnother(GatewaySettings fresh) {
        tried = tried(fresh);
    }

    private Diagnostics.@Nullable Shadow tried(GatewaySettings settings) {
        LivenessSettings policy = settings.shadow();
        return policy == null ? null : new Diagnostics.Shadow(policy, settings.liveness(), shadow.turnPage());
    }

    /** A ledger for each policy tried, one after the other. */
    private static final class ShadowLedgers implements SessionObserver {
        private volatile ShadowLedger page = new ShadowLedger(System::currentTimeMillis);

        ShadowLedger turnPage() {
            ShadowLedger fresh = new ShadowLedger(System::currentTimeMillis);
            page = fresh;
            return fresh;
        }

        @Override
        public void shadowed(DeadlineKind kind) {
            page.shadowed(kind);
        }

        @Override
        public void shadowSettled(DeadlineKind kind, ShadowOutcome outcome, long nanosAfter, String deviceId) {
            page.shadowSettled(kind, outcome, nanosAfter, deviceId);
        }
    }

    /** Sets the log up as configured; a log file of the operator's own wins, which is logged. */
    static void applyLog(LogSettings settings) {
        ProcessLog log = ProcessLog.ofProcess();
        if (!log.apply(settings)) {
            LOGGER.info(
                    "the log is as {} says, not as log of the configuration",
                    log.ownFile().orElse(""));
        }
    }
}
