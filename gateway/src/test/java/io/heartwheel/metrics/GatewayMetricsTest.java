package io.heartwheel.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.http.BreakerState;
import io.heartwheel.auth.http.HookStatus;
import io.heartwheel.auth.jwt.JwkStatus;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.drain.DrainCounts;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Closes;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessObserver;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.LoopLagProbe;
import io.heartwheel.liveness.LoopTasks;
import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.liveness.WheelPulse;
import io.heartwheel.outlet.OutletState;
import io.heartwheel.outlet.OutletStatus;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.ConnectionQuotaSettings;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.transport.Admission;
import io.heartwheel.transport.AdmissionFixture;
import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class GatewayMetricsTest {
    private static final long MILLI = 1_000_000;

    private final GatewayMetrics metrics = new GatewayMetrics("1.2.3", "nio");

    private Page page() {
        return new Page(metrics.render(null));
    }

    // ------------------------------------------------------------------ the page

    @Test
    void render_allWatched_showsTheWholeCatalogueAsDeclared() {
        watchAll(metrics);
        Page page = page();
        Set<String> own = new TreeSet<>(page.type.keySet());
        own.removeIf(name -> name.matches("(jvm|process)_.*"));
        for (Metric metric : Metric.values()) {
            own.remove(metric.fullName());
            assertEquals(metric.help(), page.help.get(metric.fullName()), metric.fullName());
            assertEquals(metric.type().name().toLowerCase(Locale.ROOT), page.type.get(metric.fullName()));
            // no listener, no certificate
            assertTrue(
                    metric.labels().contains("certificate")
                            || page.series.keySet().stream().anyMatch(series -> series.startsWith(metric.fullName())),
                    metric.fullName());
        }
        assertEquals(Set.of(), own, "not in the catalogue");
    }

    @Test
    void render_noAccept_isTextFormatWithoutTimesOfCreation() {
        Exposition exposition = metrics.render(null);
        assertEquals("text/plain; version=0.0.4; charset=utf-8", exposition.contentType());
        assertFalse(text(exposition).contains("_created"));
    }

    @Test
    void render_openMetricsAccepted_isOpenMetrics() {
        Exposition exposition =
                metrics.render("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2");
        assertEquals("application/openmetrics-text; version=1.0.0; charset=utf-8", exposition.contentType());
        assertTrue(text(exposition).endsWith("# EOF\n"));
        assertTrue(text(exposition).contains("# TYPE heartwheel_probes counter\n"));
    }

    @Test
    void render_twoGateways_countApart() {
        GatewayMetrics other = new GatewayMetrics("1.2.3", "nio");
        other.probed();
        assertEquals(0, page().value("heartwheel_probes_total"));
        assertEquals(1, new Page(other.render(null)).value("heartwheel_probes_total"));
    }

    @Test
    void render_always_tellsBuildAndProcess() {
        Page page = page();
        String build = page.series.keySet().stream()
                .filter(series -> series.startsWith("heartwheel_build_info"))
                .findFirst()
                .orElseThrow();
        assertTrue(build.contains("version=\"1.2.3\"") && build.contains("transport=\"nio\""), build);
        assertTrue(build.matches(".*netty=\"4\\..*"), build);
        assertTrue(page.value("process_start_time_seconds") > 1.6e9);
        assertTrue(page.series.keySet().stream().anyMatch(series -> series.startsWith("jvm_memory_")));
    }

    @Test
    void ready_asked_isOneOrZero() {
        boolean[] ready = {true};
        metrics.watchReady(() -> ready[0]);
        assertEquals(1, page().value("heartwheel_ready"));
        ready[0] = false;
        assertEquals(0, page().value("heartwheel_ready"));
    }

    // ------------------------------------------------------------------ connections

    @Test
    void closes_beforeTheFirst_haveASeriesForEachReasonAndProtocol() {
        Page page = page();
        for (CloseReason reason : CloseReason.all()) {
            for (String protocol : List.of("handshake", "heartwheel", "heartwheel.v1", "heartwheel.json.v1", "plain")) {
                assertEquals(0, page.value(closes(protocol, reason)));
            }
        }
    }

    @Test
    void closed_eachReason_countsOnceUnderItAlone() {
        for (CloseReason reason : CloseReason.all()) {
            metrics.closed(Closes.of("plain", reason, true, -1, 0));
            metrics.closed(Closes.of("handshake", reason, false, -1, 0));
        }
        Page page = page();
        for (CloseReason reason : CloseReason.all()) {
            assertEquals(1, page.value(closes("plain", reason)));
            assertEquals(1, page.value(closes("handshake", reason)));
            String turnedAway = reason.reconnect() == CloseReason.Reconnect.LATER
                    ? "heartwheel_refusals_total"
                    : "heartwheel_handshake_failures_total";
            assertEquals(1, page.value(turnedAway + "{reason=\"" + reason.label() + "\"}"));
        }
        assertEquals(CloseReason.all().size(), sum(page, "heartwheel_refusals_total", "handshake_failures_total"));
    }

    @Test
    void connections_comingAndGoing_addUp() {
        Admission admission = AdmissionFixture.of(100);
        metrics.watchAdmission(admission);
        AdmissionFixture.enter(admission, 10);
        metrics.established("heartwheel");
        metrics.established("heartwheel");
        metrics.established("plain");
        metrics.closed(Closes.of("heartwheel", CloseReason.PEER_CLOSED, true, -1, 0));
        metrics.closed(Closes.of("handshake", CloseReason.BAD_MAGIC, false, -1, 0));
        metrics.closed(Closes.of("handshake", CloseReason.CONNECTION_LIMIT, false, -1, 0));

        assertShows("connections{protocol=heartwheel} 1, connections{protocol=plain} 1,"
                + " connections{protocol=heartwheel.v1} 0, connections{protocol=handshake} 5,"
                + " accepts_total 10, connections_limit 100");
    }

    @Test
    void protocol_unknownToTheCatalogue_isCountedAsOther() {
        metrics.established("mqtt");
        metrics.closed(Closes.of("mqtt", CloseReason.NORMAL, true, -1, 0));
        assertShows("opens_total{protocol=other} 1, closes_total{protocol=other,reason=normal} 1");
    }

    @Test
    void histograms_closesOfAllKinds_holdWhatTheySay() {
        metrics.closed(Closes.of("heartwheel", CloseReason.HEARTBEAT_TIMEOUT, true, 12 * MILLI, 90_012 * MILLI));
        metrics.closed(Closes.of("heartwheel", CloseReason.MAX_AGE, true, 3 * MILLI, 20_000 * MILLI));
        metrics.closed(Closes.of("heartwheel", CloseReason.PEER_CLOSED, true, -1, 4_000 * MILLI));
        metrics.closed(Closes.of("handshake", CloseReason.HANDSHAKE_TIMEOUT, false, 0, 10_000 * MILLI));

        assertShows("expiry_lateness_seconds_count 3, expiry_lateness_seconds_sum 0.015,"
                + " expiry_lateness_seconds_bucket{le=0.005} 2, detection_seconds_count 1,"
                + " detection_seconds_sum 90.012, close_silence_seconds_count 3,"
                + " close_silence_seconds_bucket{le=30.0} 2");
    }

    @Test
    void session_wholeLife_isCountedThroughTheObserver() {
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        SessionContext sessionContext = FakeSession.watchedBy(metrics, gateway.sessionContext);
        FakeSession first = new FakeSession(sessionContext).accept(1).hello("dev-1", "");
        FakeSession second = new FakeSession(sessionContext).accept(2).hello("dev-1", "");
        gateway.pass(Duration.ofSeconds(91));

        assertEquals(1, first.closeFrames.size());
        assertEquals(1, second.closeFrames.size());
        assertShows("opens_total{protocol=heartwheel} 2, takeovers_total 1, probes_total 1,"
                + " closes_total{protocol=heartwheel,reason=taken_over} 1,"
                + " closes_total{protocol=heartwheel,reason=heartbeat_timeout} 1, expiry_lateness_seconds_count 1");
    }

    // ------------------------------------------------------------------ the other floors

    @Test
    void observed_each_countsOne() {
        metrics.probed();
        metrics.keptAlive();
        metrics.tookOver();
        metrics.readingPaused();
        metrics.reprieved();
        metrics.turned(3, 2, 5 * MILLI);
        assertShows("probes_total 1, keep_alives_total 1, takeovers_total 1, reading_pauses_total 1,"
                + " reprieves_total 1, wheel_lag_seconds_sum 0.005");
    }

    @Test
    void sink_settled_isCountedByOutcome() {
        metrics.sink().queue(() -> 7, 64);
        metrics.sink().waiting(() -> 4);
        metrics.sink().accepted(5);
        metrics.sink().refused(2);
        metrics.sink().lost(6);
        metrics.sink().dropped(3);
        metrics.sink().writeFailed();
        assertShows("sink_messages_total{outcome=accepted} 5, sink_messages_total{outcome=refused} 2,"
                + " sink_messages_total{outcome=lost} 6, sink_waiting_peers 4,"
                + " sink_dropped_events_total 3, sink_write_failures_total 1, sink_queue_events 7,"
                + " sink_queue_limit 64");
    }

    @Test
    void loops_several_areSummedButForTheirLag() {
        LoopStats one = new LoopStats();
        LoopStats two = new LoopStats();
        one.frameIn(FrameType.PING);
        two.frameIn(FrameType.PING);
        two.frameIn(0);
        two.frameOut(FrameType.PONG);
        one.bytesIn(4);
        two.bytesIn(8);
        two.bytesOut(16);
        one.lag().waited(3 * MILLI);
        one.lag().waited(MILLI);
        AtomicLong nowNanos = new AtomicLong();
        Stalls stalls = new Stalls(1, StallSettings.DEFAULTS, 0, SessionObserver.NONE);
        TimingWheel wheel = new TimingWheel(20 * MILLI, 64, 100, 0);
        WheelPulse pulse = new WheelPulse(wheel, nowNanos::get, 1_000 * MILLI, StallSettings.DEFAULTS, () -> {});
        new LoopLagProbe(two.lag(), stalls, pulse, nowNanos::get, new StuckLoop()).begin();
        nowNanos.set(Stalls.PERIOD_NANOS + 5 * MILLI);
        metrics.watchLoops(List.of(one, two), index -> index * 10, nowNanos::get);

        assertShows("frames_received_total{type=ping} 2, frames_received_total{type=other} 1,"
                + " frames_sent_total{type=pong} 1, received_bytes_total 12, sent_bytes_total 16,"
                + " loop_lag_seconds{loop=0} 0.001, loop_lag_max_seconds{loop=0} 0.003,"
                + " loop_lag_seconds{loop=1} 0.005, loop_lag_max_seconds{loop=1} 0.005,"
                + " loop_pending_tasks{loop=1} 10");
    }

    /** Runs nothing. */
    private static final class StuckLoop implements LoopTasks {
        @Override
        public void execute(Runnable task) {}

        @Override
        public void executeAfterReads(Runnable task) {}

        @Override
        public void executeIn(Runnable task, long nanos) {}
    }

    @Test
    void wheel_turned_showsItsEntries() {
        TimingWheel wheel = new TimingWheel(20 * MILLI, 64, 100, 0, metrics);
        int due = wheel.register(new Idle());
        wheel.register(new Idle());
        wheel.arm(due, 30 * MILLI);
        wheel.advance(10 * MILLI, 10);
        metrics.watchWheel(wheel, () -> true);

        assertShows("wheel_entries{state=registered} 2, wheel_entries{state=armed} 1,"
                + " wheel_entries_limit 100, wheel_tick_seconds 0.02, wheel_running 1");
        wheel.advance(60 * MILLI, 10);
        assertShows("wheel_expiries_total 1, wheel_lag_seconds_count 1");
    }

    // ------------------------------------------------------------------ stalls, mass expiries, the shadow policy

    @Test
    void stalls_ofEachLoop_areTheirOwnCount() {
        Stalls first = new Stalls(0, StallSettings.DEFAULTS, 0, SessionObserver.NONE);
        Stalls second = new Stalls(1, StallSettings.DEFAULTS, 0, SessionObserver.NONE);
        metrics.watchStalls(List.of(first, second));
        first.turned(500 * MILLI);
        second.turned(1_500 * MILLI);
        second.turned(1_600 * MILLI);
        second.turned(2_600 * MILLI);

        assertShows("stalls_total{loop=0} 1, stall_seconds_total{loop=0} 0.5, stalls_total{loop=1} 2,"
                + " stall_seconds_total{loop=1} 2.5");
    }

    @Test
    void credited_some_isCountedAndMeasured() {
        metrics.credited(400 * MILLI);
        metrics.credited(3_000 * MILLI);

        assertShows("credits_total 2, credit_seconds_sum 3.4, credit_seconds_bucket{le=0.5} 1");
    }

    @Test
    void overdue_watched_isThatOfTheMoment() {
        assertEquals(0, page().value("heartwheel_expiry_overdue_seconds"));
        long[] overdueNanos = {0};
        metrics.watchExpiries(() -> overdueNanos[0]);
        overdueNanos[0] = 1_500 * MILLI;
        assertEquals(1.5, page().value("heartwheel_expiry_overdue_seconds"), 1e-9);
    }

    @Test
    void latenessWorst_closesByDeadline_isTheGreatest() {
        metrics.closed(Closes.of("plain", CloseReason.PEER_CLOSED, true, -1, 0));
        assertEquals(0, page().value("heartwheel_expiry_lateness_worst_seconds"));
        metrics.closed(Closes.of("plain", CloseReason.READ_IDLE, true, 12 * MILLI, 0));
        metrics.closed(Closes.of("plain", CloseReason.READ_IDLE, true, 250 * MILLI, 0));
        metrics.closed(Closes.of("plain", CloseReason.READ_IDLE, true, 1 * MILLI, 0));
        assertEquals(0.25, page().value("heartwheel_expiry_lateness_worst_seconds"), 1e-9);
    }

    @Test
    void incident_beginAndEnd_isOne() {
        metrics.incident(new Incident(1, false, 0, 0, List.of("all"), 100, 500, 0, 0, 0, 0));
        metrics.suspected();
        metrics.suspected();
        metrics.suspected();
        metrics.suspectSettled(LivenessObserver.SuspectOutcome.CLEARED, 1);
        metrics.suspectSettled(LivenessObserver.SuspectOutcome.CLEARED, 1);
        metrics.suspectSettled(LivenessObserver.SuspectOutcome.CLOSED, 1);
        metrics.incident(new Incident(1, true, 0, 9, List.of("all"), 100, 500, 3, 2, 1, 0));

        assertShows("breaker_incidents_total 1, breaker_suspicions_total 3,"
                + " breaker_suspect_outcomes_total{outcome=absolved} 2,"
                + " breaker_suspect_outcomes_total{outcome=closed} 1,"
                + " breaker_suspect_outcomes_total{outcome=left} 0");
    }

    @Test
    void breaker_watched_tellsWhetherItIsOpen() {
        BreakerSettings touchy =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.1, 0.5, 5, Duration.ofSeconds(10), 1_000);
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults(), AuthPolicy.ANYBODY, touchy, null);
        metrics.watchBreaker(gateway.breaker);
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            devices.add(new FakeSession(gateway.sessionContext).accept(i).hello("d" + i, ""));
        }
        gateway.pass(Duration.ofSeconds(60));
        devices.forEach(FakeSession::beat);
        assertEquals(0, page().value("heartwheel_breaker_open"));
        gateway.pass(Duration.ofSeconds(91));

        assertShows("breaker_open 1, breaker_open_scopes{kind=subnet} 1, breaker_open_scopes{kind=all} 0,"
                + " breaker_suspects 20");
    }

    @Test
    void drain_underWay_tellsPhaseAndWhoIsLeft() {
        AtomicReference<DrainProgress> progress = new AtomicReference<>(DrainProgress.NONE);
        metrics.watchDrain(progress::get, new DrainCounts());
        assertShows("drain_phase{phase=none} 1, drain_remaining 0");
        for (DrainPhase phase : List.of(DrainPhase.WAITING, DrainPhase.CANCELLED)) {
            progress.set(new DrainProgress(phase, null, true, 0, 0, 100, 60, 50, 7, 43));
            int left = phase == DrainPhase.WAITING ? 43 : 0;
            assertShows(
                    "drain_phase{phase=" + phase.label() + "} 1, drain_phase{phase=none} 0, drain_remaining " + left);
        }
    }

    @Test
    void shadow_outcomes_areCountedByDeadline() {
        metrics.shadowed(DeadlineKind.HEARTBEAT);
        metrics.shadowed(DeadlineKind.HEARTBEAT);
        metrics.shadowSettled(DeadlineKind.HEARTBEAT, LivenessObserver.ShadowOutcome.SPOKE, 2_000 * MILLI, "d");
        metrics.shadowSettled(DeadlineKind.HEARTBEAT, LivenessObserver.ShadowOutcome.CLOSED, 9_000 * MILLI, "d");

        assertShows("shadow_kills_total{deadline=heartbeat} 2, shadow_kills_total{deadline=write-progress} 0,"
                + " shadow_outcomes_total{deadline=heartbeat,outcome=spoke} 1,"
                + " shadow_outcomes_total{deadline=heartbeat,outcome=closed} 1,"
                + " shadow_spoke_after_seconds_count 1, shadow_spoke_after_seconds_sum 2");
    }

    private static final class Idle implements Timed {
        @Override
        public long deadlineNanos() {
            return 0;
        }

        @Override
        public void expire(long nowNanos) {}
    }

    @Test
    void trace_whatBecomesOfLines_isCounted() {
        metrics.traced();
        metrics.trace().written(3, 400);
        metrics.trace().beyond(2);
        metrics.trace().dropped(1);
        metrics.trace().writeFailed();
        metrics.trace().queue(() -> 5, 10);
        assertShows("trace_connections_total 1, trace_lines_total{outcome=written} 3,"
                + " trace_lines_total{outcome=beyond} 2, trace_lines_total{outcome=dropped} 1,"
                + " trace_written_bytes_total 400, trace_write_failures_total 1, trace_queue_lines 5,"
                + " sink_dropped_events_total 0");
    }

    @Test
    void outlets_figures_areThoseOfTheirStatus() {
        watchAll(metrics);
        assertShows(
                "outlet_delivered_events_total{outlet=main} 5, outlet_failures_total{outlet=main} 1, outlet_oversized_events_total{outlet=main} 3,"
                        + " outlet_lag_events{outlet=main} 2, outlet_oldest_age_seconds{outlet=main} 3.5,"
                        + " outlet_state{outlet=main,state=running} 1, outlet_state{outlet=main,state=paused} 0");
    }

    @Test
    void render_journalWatched_showsHowFullItIs() throws Exception {
        MemoryStore store = new MemoryStore();
        store.at(1_000);
        store.append(1, "d-1", "hello");
        metrics.watchJournal(store, 1_000, () -> 3_500);
        Page page = page();
        assertEquals(1, page.value("heartwheel_journal_events_total"));
        assertEquals(store.recordBytes(), page.value("heartwheel_journal_bytes"));
        assertEquals(1_000, page.value("heartwheel_journal_limit_bytes"));
        assertEquals(1, page.value("heartwheel_journal_segments"));
        assertEquals(2.5, page.value("heartwheel_journal_oldest_age_seconds"));
    }

    @Test
    void render_pushesWatched_countsByOutcomeAndShowsTheLimit() {
        watchAll(metrics);
        assertShows("push_results_total{outcome=acknowledged} 0, push_results_total{outcome=expired} 0,"
                + " push_waiting 0, push_waiting_bytes 0, push_waiting_limit_bytes 67108864, push_resends_total 0,"
                + " push_stray_acks_total 0, push_keys 0, push_keys_bytes 0, push_repeats_total 0");
    }

    @Test
    void render_presenceWatched_countsSnapshotsAndLostDevices() {
        watchAll(metrics);
        assertShows("presence_snapshots_total{outcome=ended} 0,"
                + " presence_snapshots_total{outcome=abandoned} 0, presence_lost_devices_total 3");
    }

    @Test
    void auth_answers_areCountedByMethodAndResult() {
        metrics.auth().asked(100_000);
        metrics.auth().answered("jwt", null, 2_000_000);
        metrics.auth().answered("jwt", AuthCause.EXPIRED, 3_000_000);
        metrics.auth().answered("none", AuthCause.TOO_MANY_FAILURES, 0);
        watchAll(metrics);

        Page page = page();
        assertEquals(1, page.value("heartwheel_auth_results_total{method=\"jwt\",result=\"admitted\"}"));
        assertEquals(1, page.value("heartwheel_auth_results_total{method=\"jwt\",result=\"expired\"}"));
        assertEquals(1, page.value("heartwheel_auth_results_total{method=\"none\",result=\"too_many_failures\"}"));
        assertEquals(0, page.value("heartwheel_auth_results_total{method=\"tokens\",result=\"admitted\"}"));
        assertEquals(3, page.value("heartwheel_auth_seconds_count"));
        assertEquals(1, page.value("heartwheel_auth_call_seconds_bucket{le=\"1.0E-4\"}"));
        assertEquals(0, page.value("heartwheel_auth_pending"));
        assertEquals(2, page.value("heartwheel_auth_file_problems"));
    }

    static void watchAll(GatewayMetrics metrics) {
        metrics.watchWheel(new TimingWheel(20 * MILLI, 64, 100, 0, metrics), () -> true);
        metrics.watchLoops(List.of(new LoopStats(), new LoopStats()), index -> 0, () -> 0);
        metrics.watchReady(() -> true);
        metrics.watchIdConflicts(() -> 0);
        metrics.watchAdmission(AdmissionFixture.of(1_000));
        metrics.watchQuotas(
                new ConnectionQuotas(new ConnectionQuotaSettings(Map.of("acme", 5), Map.of()), RateClasses.OFF));
        metrics.watchAuth(
                new AuthChain(
                        AuthSettings.of(AuthSettings.Mode.SHARED_TOKEN, new byte[8]),
                        List.of(),
                        metrics.auth(),
                        () -> 0),
                () -> 2,
                () -> new JwkStatus(3, 40_000_000_000L, 5, 6),
                () -> new HookStatus("", BreakerState.OPEN, 1, 2, 12, 7, 4, 1, 0, 0, 8, 9, 10, 11));
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        metrics.watchStalls(List.of(gateway.sessionContext.stalls()));
        metrics.watchBreaker(gateway.breaker);
        metrics.watchMemory(new MemoryGuard(MemorySettings.DEFAULTS));
        metrics.watchDrain(() -> DrainProgress.NONE, new DrainCounts());
        metrics.watchSupervisor(() -> 0);
        OutletStatus outlet =
                new OutletStatus("main", "console", "", OutletState.RUNNING, 5, 2, 1_000, 5, 0, 3, 1, "down", 900, 0);
        metrics.watchOutlets(() -> List.of(outlet), () -> 4_500);
        metrics.watchCluster(new ClusterCounts(), () -> true, () -> 0, () -> 1);
        metrics.watchJournal(new MemoryStore(), 1_000, () -> 0);
        watchMessages(metrics, gateway);
        metrics.watchPresence(
                new Snapshots(
                        gateway.registry,
                        gateway.sessionContext.sink(),
                        PresenceSettings.DEFAULTS,
                        gateway::now,
                        gateway::now),
                () -> 3);
        ThreadSupervisor threads = new ThreadSupervisor((thread, problem) -> {}, () -> {});
        threads.watch("heartwheel-event-sink");
        metrics.watchThreads(threads);
        metrics.watchTls(new TlsListeners(TlsUpkeepSettings.DEFAULTS, Runnable::run, () -> 0, () -> 0));
    }

    private static void watchMessages(GatewayMetrics metrics, VirtualGateway gateway) {
        metrics.watchPushes(gateway.pushes);
        GroupMembers members = new GroupMembers(gateway.registry, null, 1);
        metrics.watchJobs(
                new Jobs(
                        members,
                        gateway.registry,
                        gateway.pushes,
                        gateway.timers,
                        Runnable::run,
                        gateway::now,
                        () -> 0,
                        JobSettings.DEFAULTS),
                members);
        metrics.watchSchedules(new Schedules(
                new TimingWheel(1_000_000, 64, 16, 0),
                () -> 0,
                () -> 0,
                new MemoryRows(),
                (spec, id, payload) -> CompletableFuture.completedFuture(RunResult.SENT),
                Runnable::run,
                new AtomicLong(),
                ScheduleLimits.DEFAULTS));
    }

    /** @param series names without our prefix, labels without quotes, and values: {@code a_total{b=c} 1, d 2} */
    private void assertShows(String series) {
        Page page = page();
        for (String each : series.split(", ")) {
            String[] words = each.split(" ");
            String name = "heartwheel_" + words[0].replaceAll("=([^,}]+)", "=\"$1\"");
            assertEquals(Double.parseDouble(words[1]), page.value(name), 1e-9, name);
        }
    }

    private static String text(Exposition exposition) {
        return new String(exposition.body(), StandardCharsets.UTF_8);
    }

    private static String closes(String protocol, CloseReason reason) {
        return "heartwheel_closes_total{protocol=\"" + protocol + "\",reason=\"" + reason.label() + "\"}";
    }

    private static double sum(Page page, String... names) {
        return page.series.entrySet().stream()
                .filter(entry ->
                        Arrays.stream(names).anyMatch(name -> entry.getKey().contains(name)))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
