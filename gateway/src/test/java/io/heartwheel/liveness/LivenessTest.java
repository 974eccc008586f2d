package io.heartwheel.liveness;

import static io.heartwheel.wheel.Deadline.NO_DEADLINE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.wheel.TimingWheel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The verdict, state by event, on clocks that start anywhere: a function of the connection's fields and of a time that is handed in. */
class LivenessTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long CENTURY = TimeUnit.DAYS.toNanos(36_525);
    private static final long STALL = 20 * SECOND;

    /** At the least long; below zero and across it; at zero; across the greatest. */
    private static final long[] STARTS = {Long.MIN_VALUE + 1, -20 * SECOND, 0, Long.MAX_VALUE - 2 * SECOND};

    /**
     * The first verdict that is not KEEP, and milliseconds until then, by state. A device is asked after 67.5 s of silence and closed after 90 s.
     */
    private static final String TABLE =
            """
            event       | HANDSHAKE               | AUTHENTICATING             | CLAIMING                | ESTABLISHED               | LEAVING                   | CLOSED
            NOTHING     | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 67500 PROBE               | 67500 PROBE               | never
            FRAME_BEGUN | 4000 CLOSE_READ_STALLED | 4000 CLOSE_READ_STALLED    | 4000 CLOSE_READ_STALLED | 4000 CLOSE_READ_STALLED   | 4000 CLOSE_READ_STALLED   | never
            UNDRAINED   | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 30000 CLOSE_WRITE_STALLED | 30000 CLOSE_WRITE_STALLED | never
            PAUSED      | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 67500 PROBE               | 67500 PROBE               | never
            SINK_FULL   | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 300000 KEEP_ALIVE         | 300000 KEEP_ALIVE         | never
            NO_INTERVAL | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 300000 KEEP_ALIVE         | 300000 KEEP_ALIVE         | never
            READER_IDLE | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 200000 CLOSE_READ_IDLE    | 200000 CLOSE_READ_IDLE    | never
            PROBED      | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 22500 CLOSE_HEARTBEAT     | 22500 CLOSE_HEARTBEAT     | never
            PROBED_LATE | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 15000 CLOSE_HEARTBEAT     | 15000 CLOSE_HEARTBEAT     | never
            PHASE_BEGUN | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 1000 CLAIM_AGAIN        | 1000 SEND_AWAY            | 1000 CLOSE_LEAVING        | 1000 CUT
            EXPIRY      | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 1000 CLOSE_EXPIRED        | 1000 CLOSE_EXPIRED        | never
            WARNING     | 10000 CLOSE_HANDSHAKE   | 10000 CLOSE_AUTHENTICATION | 10000 CLOSE_CLAIM       | 1000 WARN_OF_EXPIRY       | 1000 WARN_OF_EXPIRY       | never
            """;

    /** What happened at the start, when the last frame came in. */
    private enum Event {
        NOTHING,
        FRAME_BEGUN,
        UNDRAINED,
        /** The peer does not drain, so it is not read. */
        PAUSED,
        /** It is not read, which is not its fault. */
        SINK_FULL,
        NO_INTERVAL,
        READER_IDLE,
        /** Asked as soon as it is silent for long enough; the last frame came so long before. */
        PROBED,
        /** Asked late, because we were: half of its grace is left for the answer. */
        PROBED_LATE,
        /** Its wait for its id, its age, its time to leave or its lingering ends in a second. */
        PHASE_BEGUN,
        /** What it was admitted with expires in a second. */
        EXPIRY,
        /** It is to be told in a second that this will be. */
        WARNING
    }

    private static LivenessPolicy policy(double grace, Duration readProgress) {
        return new LivenessPolicy(new LivenessSettings(
                on(10),
                new LivenessSettings.Heartbeat(
                        true,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        LivenessSettings.MAX_INTERVAL,
                        grace,
                        true,
                        0.25,
                        null),
                new LivenessSettings.ReadProgress(true, readProgress, 128),
                on(200),
                on(300),
                on(30),
                new LivenessSettings.Age(true, Duration.ofHours(1), 0, Duration.ofSeconds(30)),
                Set.of()));
    }

    private static LivenessSettings.Deadline on(int seconds) {
        return new LivenessSettings.Deadline(true, Duration.ofSeconds(seconds));
    }

    private static BareConnection connection(ConnectionState state, Event event, long nowNanos) {
        return connection(state, event, nowNanos, policy(1.5, Duration.ofSeconds(4)));
    }

    private static BareConnection connection(ConnectionState state, Event event, long nowNanos, LivenessPolicy policy) {
        BareConnection made = new BareConnection(
                new BareConnection.Context(
                        new TimingWheel(10_000_000, 64, 1, nowNanos),
                        policy,
                        new ShadowPolicy(null),
                        new Stalls(0, StallSettings.DEFAULTS, nowNanos, new LivenessObserver() {})),
                null);
        made.began(nowNanos);
        made.state(state);
        made.intervalMillis(60_000);
        happen(event, made, nowNanos);
        return made;
    }

    /** Of a sender that is not there. */
    static final EventSink.Reply NO_REPLY = new EventSink.Reply() {
        @Override
        public void accepted() {}

        @Override
        public void refused() {}

        @Override
        public void send(long messageId, boolean text, byte[] payload) {}
    };

    private static void happen(Event event, BareConnection to, long nowNanos) {
        switch (event) {
            case NOTHING -> {}
            case FRAME_BEGUN -> to.partial(1, nowNanos);
            case UNDRAINED -> {
                to.pending = 100;
                to.flushed(nowNanos);
            }
            case PAUSED -> to.pauseReading(true, nowNanos);
            case SINK_FULL ->
                to.hold(
                        new ConnectionEvent.Message(
                                new ConnectionEvent.Identity("d", 1, 1), 2, 0, 1, false, new byte[] {1}),
                        NO_REPLY,
                        nowNanos);
            case NO_INTERVAL -> to.intervalMillis(0);
            case READER_IDLE -> {
                to.intervalMillis(0);
                to.readerIdle(true);
            }
            case PROBED -> askedAfter(67_500, to, nowNanos);
            case PROBED_LATE -> askedAfter(80_000, to, nowNanos);
            case PHASE_BEGUN -> to.phase(nowNanos + SECOND);
            case EXPIRY -> to.expiryNanos = nowNanos + SECOND;
            case WARNING -> to.warningNanos = nowNanos + SECOND;
        }
    }

    private static void askedAfter(long silentMillis, BareConnection device, long nowNanos) {
        device.activity(nowNanos - TimeUnit.MILLISECONDS.toNanos(silentMillis));
        device.enforce(nowNanos);
    }

    /** One cell of the table. */
    private record Cell(Verdict verdict, long afterNanos) {
        static Cell of(String text) {
            String[] parts = text.trim().split(" ");
            return parts.length == 1
                    ? new Cell(Verdict.KEEP, CENTURY)
                    : new Cell(Verdict.valueOf(parts[1]), TimeUnit.MILLISECONDS.toNanos(Long.parseLong(parts[0])));
        }

        /** Whether the peer gets credit for a time in which we did not listen. */
        boolean isTimeoutOfThePeer() {
            return verdict == Verdict.CUT
                    || (verdict.closes() && verdict != Verdict.CLOSE_LEAVING && verdict != Verdict.CLOSE_EXPIRED);
        }
    }

    /** Checks one cell. */
    private interface Check {
        void of(BareConnection connection, Cell cell, long startNanos, String where);
    }

    private static void eachState(ArgumentsAccessor row, Check check) {
        Event event = row.get(0, Event.class);
        for (ConnectionState state : ConnectionState.values()) {
            Cell cell = Cell.of(row.getString(1 + state.ordinal()));
            for (long startNanos : STARTS) {
                String where = state + ", " + event + ", clock at " + startNanos;
                check.of(connection(state, event, startNanos), cell, startNanos, where);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = TABLE)
    void judge_anyStateAndEvent_comesAtItsNanosecond(ArgumentsAccessor row) {
        eachState(row, (it, cell, start, where) -> {
            long dueNanos = start + cell.afterNanos;
            assertEquals(Verdict.KEEP, Liveness.judge(it, dueNanos - 1), where);
            assertEquals(cell.verdict, Liveness.judge(it, dueNanos), where);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = TABLE)
    void judge_timeThatJumps_skipsNothingAheadAndActsOnNothingBack(ArgumentsAccessor row) {
        eachState(row, (it, cell, start, where) -> {
            boolean ever = cell.verdict != Verdict.KEEP;
            assertEquals(ever, Liveness.judge(it, start + CENTURY) != Verdict.KEEP, where);
            assertEquals(Verdict.KEEP, Liveness.judge(it, start - CENTURY), where);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = TABLE)
    void nextNanos_anyStateAndEvent_isNotBehindAClose(ArgumentsAccessor row) {
        eachState(row, (it, cell, start, where) -> {
            if (cell.verdict != Verdict.KEEP) {
                long lateNanos = Liveness.nextNanos(it) - (start + cell.afterNanos);
                boolean ends = cell.verdict.closes() || cell.verdict == Verdict.CUT;
                assertTrue(ends ? lateNanos <= 0 : lateNanos < SECOND, where + ": late by " + lateNanos);
                assertEquals(Liveness.nextNanos(it), Liveness.uncredited(it), where);
            }
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = TABLE)
    void judge_weDidNotListen_peersTimeoutsMoveByThatAndOursDoNot(ArgumentsAccessor row) {
        eachState(row, (it, cell, start, where) -> {
            it.livenessContext().stalls().turned(start + STALL);
            long plainNanos = start + cell.afterNanos;
            boolean moves = cell.isTimeoutOfThePeer();
            long dueNanos = moves ? plainNanos + STALL : plainNanos;
            assertEquals(Verdict.KEEP, Liveness.judge(it, dueNanos - 1), where);
            assertEquals(cell.verdict, Liveness.judge(it, dueNanos), where);
            if (cell.verdict.closes()) {
                assertEquals(moves ? STALL : 0, Liveness.creditInForceNanos(it, plainNanos), where);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "HANDSHAKE, HANDSHAKE, NOTHING, 10000",
        "AUTHENTICATION, AUTHENTICATING, NOTHING, 10000",
        "CLAIM, CLAIMING, NOTHING, 10000",
        "HEARTBEAT, ESTABLISHED, NOTHING, 90000",
        "HEARTBEAT, ESTABLISHED, PROBED_LATE, 15000",
        "READER_IDLE, ESTABLISHED, READER_IDLE, 200000",
        "READ_PROGRESS, ESTABLISHED, FRAME_BEGUN, 4000",
        "WRITE_PROGRESS, ESTABLISHED, UNDRAINED, 30000",
        "AGE, ESTABLISHED, PHASE_BEGUN, 1000",
        "LEAVING, LEAVING, PHASE_BEGUN, 1000",
        "EXPIRY, ESTABLISHED, EXPIRY, 1000"
    })
    void deadlineNanos_eachKind_runsFromItsEvent(DeadlineKind kind, ConnectionState state, Event event, long millis) {
        for (long startNanos : STARTS) {
            BareConnection it = connection(state, event, startNanos);
            long dueNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(millis);
            assertEquals(dueNanos, Liveness.deadlineNanos(it, kind));
            it.livenessContext().stalls().turned(startNanos + STALL);
            assertEquals(dueNanos, Liveness.uncreditedNanos(it, kind));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "READER_IDLE, ESTABLISHED, NOTHING",
        "HEARTBEAT, ESTABLISHED, NO_INTERVAL",
        "HEARTBEAT, ESTABLISHED, SINK_FULL",
        "HEARTBEAT, HANDSHAKE, NOTHING",
        "HANDSHAKE, ESTABLISHED, NOTHING",
        "READ_PROGRESS, ESTABLISHED, NOTHING",
        "WRITE_PROGRESS, ESTABLISHED, NOTHING",
        "AGE, HANDSHAKE, PHASE_BEGUN"
    })
    void deadlineNanos_kindWithoutItsEvent_doesNotRun(DeadlineKind kind, ConnectionState state, Event event) {
        assertEquals(NO_DEADLINE, Liveness.deadlineNanos(connection(state, event, 0), kind));
    }

    @Test
    void judge_frameOrItsBytes_countAsHeard() {
        BareConnection device = connection(ConnectionState.ESTABLISHED, Event.NOTHING, 0);
        device.activity(60 * SECOND);
        assertEquals(Verdict.KEEP, Liveness.judge(device, 127 * SECOND));
        assertEquals(Verdict.PROBE, Liveness.judge(device, 128 * SECOND));
        device.partial(1_000, 127 * SECOND);
        assertEquals(
                Verdict.KEEP, Liveness.judge(device, 128 * SECOND), "a byte of a frame under way is heard as well");
        device.partial(0, 128 * SECOND);
        assertEquals(Verdict.PROBE, Liveness.judge(device, 128 * SECOND), "it was no frame");
    }

    @Test
    void judge_answerToAProbe_isAskedAnew() {
        BareConnection device = connection(ConnectionState.ESTABLISHED, Event.PROBED, 0);
        device.activity(20 * SECOND);
        assertEquals(Verdict.KEEP, Liveness.judge(device, 23 * SECOND));
        assertEquals(Verdict.PROBE, Liveness.judge(device, 88 * SECOND));
    }

    @Test
    void judge_writeThatMoves_hasItsTimeAnew() {
        BareConnection device = connection(ConnectionState.ESTABLISHED, Event.UNDRAINED, 0);
        device.pending = 50;
        device.lookAtWrites(29 * SECOND);
        assertEquals(Verdict.KEEP, Liveness.judge(device, 58 * SECOND));
        assertEquals(Verdict.CLOSE_WRITE_STALLED, Liveness.judge(device, 59 * SECOND));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE + 1, 0, Long.MAX_VALUE - 2})
    void judge_suspect_isHeldUntilItsTimeAndNotBeyondItsLeaving(long startNanos) {
        BareConnection suspect = connection(ConnectionState.LEAVING, Event.PROBED, startNanos);
        long deadNanos = startNanos + 23 * SECOND;
        suspect.holdBack(Verdict.CLOSE_HEARTBEAT, deadNanos);
        long heldUntilNanos = deadNanos + 20 * SECOND;
        assertEquals(Verdict.KEEP, Liveness.judge(suspect, heldUntilNanos - 1));
        assertEquals(heldUntilNanos, Liveness.nextNanos(suspect));
        assertEquals(Verdict.CLOSE_HEARTBEAT, Liveness.judge(suspect, heldUntilNanos));
        suspect.phase(deadNanos + SECOND);
        assertEquals(Verdict.CLOSE_LEAVING, Liveness.judge(suspect, deadNanos + SECOND));
    }

    @ParameterizedTest
    @CsvSource({"true, 0, 1000", "true, 700, 1700", "false, 0, 30000", "false, 29500, 30000"})
    void judge_closedThatLingers_isCutAfterItsLastWordsAndAtTheLatestAfterThirtySeconds(
            boolean saidAll, long cameMillis, long cutMillis) {
        for (long startNanos : STARTS) {
            BareConnection closed = connection(ConnectionState.CLOSED, Event.NOTHING, startNanos);
            closed.linger(saidAll, startNanos, MonitoredConnection.MOST_LINGER_NANOS);
            closed.cameAfterTheEnd(startNanos + TimeUnit.MILLISECONDS.toNanos(cameMillis));
            long cutNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(cutMillis);
            assertEquals(Verdict.KEEP, Liveness.judge(closed, cutNanos - 1));
            assertEquals(Verdict.CUT, Liveness.judge(closed, cutNanos));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HANDSHAKE, 5000, 0",
        "ESTABLISHED, 0, 0",
        "ESTABLISHED, 5000, 1",
        "ESTABLISHED, 9000, 1",
        "ESTABLISHED, 10000, 0",
        "LEAVING, 9000, 1",
        "CLOSED, 60000, 1"
    })
    void exactness_timeoutUnderTenSecondsOrGraceUnderFive_isOne(ConnectionState state, int interval, int exactness) {
        BareConnection it = connection(state, Event.NOTHING, 0, policy(1.5, Duration.ofSeconds(10)));
        it.intervalMillis(interval);
        assertEquals(exactness, Liveness.exactness(it));
    }

    @ParameterizedTest
    @CsvSource({"72000, ", "73499, ", "73500, HEARTBEAT"})
    void judgeShadow_silence_isLeftTimeToAnswerTheProbeInForce(long millis, DeadlineKind found) {
        BareConnection device = connection(ConnectionState.ESTABLISHED, Event.NOTHING, 500_000_000);
        LivenessPolicy shadow = policy(1.2, Duration.ofSeconds(2));
        long nowNanos = 500_000_000 + TimeUnit.MILLISECONDS.toNanos(millis);
        assertEquals(found, Liveness.judgeShadow(device, shadow, nowNanos));
    }

    @Test
    void judgeShadow_severalHavePassed_isTheEarliest() {
        BareConnection device = connection(ConnectionState.ESTABLISHED, Event.UNDRAINED, 0);
        device.partial(1, 0);
        LivenessPolicy shadow = policy(1.1, Duration.ofSeconds(2));
        assertEquals(DeadlineKind.READ_PROGRESS, Liveness.judgeShadow(device, shadow, CENTURY));
        assertEquals(2 * SECOND, Liveness.shadowDeadlineNanos(device, shadow, DeadlineKind.READ_PROGRESS));
        device.partial(0, 0);
        assertEquals(DeadlineKind.WRITE_PROGRESS, Liveness.judgeShadow(device, shadow, CENTURY));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 2, 1",
        "2, 1, 1",
        "-1, 1, -1",
        "9223372036854775807, -9223372036854775807, 9223372036854775807",
        "-9223372036854775808, 5, 5",
        "5, -9223372036854775808, 5",
        "-9223372036854775808, -9223372036854775808, -9223372036854775808"
    })
    void earlier_ofTwo_goesByTheirDifferenceAndPrefersOneThatRuns(long a, long b, long earlier) {
        assertEquals(earlier, Liveness.earlier(a, b));
    }
}
