package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.event.TraceSegment;
import io.heartwheel.liveness.LivenessSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Activity traces of connections, in virtual time. */
class ActivityTracesTest {
    /** Begins shortly before nanoTime goes over, so that only differences are right. */
    private final VirtualGateway gateway =
            new VirtualGateway(Long.MAX_VALUE - Duration.ofSeconds(2).toNanos(), LivenessSettings.defaults());

    private final List<TraceSegment> told = new ArrayList<>();
    private int chosen;

    private final EventSink sink = new EventSink() {
        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            throw new AssertionError(message);
        }

        @Override
        public void publish(Fact fact) {
            told.add((TraceSegment) fact);
        }

        @Override
        public void close() {}
    };

    private ActivityTraces activityTraces(double share, int stamps) {
        SessionObserver counting = new SessionObserver() {
            @Override
            public void traced() {
                chosen++;
            }
        };
        return new ActivityTraces(
                new TraceSettings(true, Path.of("t"), share, stamps, 1 << 20),
                77,
                gateway.sessionContext.policy(),
                sink,
                counting,
                gateway::now,
                () -> 5);
    }

    /** A session and its track, as the tap has them. */
    private final class Traced {
        final FakeSession session;
        final ActivityTraces.ActivityTrace activityTrace;

        Traced(ActivityTraces activityTraces, long sessionId) {
            session = new FakeSession(FakeSession.watchedBy(activityTraces, gateway.sessionContext)).accept(sessionId);
            activityTrace = activityTraces.begin(sessionId, gateway.now(), () -> session);
        }

        /** Says HELLO a millisecond after it was accepted. */
        Traced greeted() {
            gateway.pass(Duration.ofMillis(1));
            session.hello("d", "");
            activityTrace.look();
            return this;
        }

        void beatAfter(long millis) {
            gateway.pass(Duration.ofMillis(millis));
            session.beat();
            activityTrace.look();
        }
    }

    @Test
    void life_ofADevice_isOneSegmentWithItsEnd() {
        ActivityTraces activityTraces = activityTraces(1, 16);
        gateway.pass(Duration.ofMillis(500));
        Traced traced = new Traced(activityTraces, 7);
        gateway.pass(Duration.ofMillis(40));
        traced.session.hello("d", "");
        traced.activityTrace.look();
        traced.beatAfter(30_000);
        traced.activityTrace.look();
        traced.beatAfter(31_001);
        gateway.pass(Duration.ofMillis(59));
        traced.session.hangUp();

        assertEquals(1, told.size());
        TraceSegment traceSegment = told.get(0);
        assertEquals(
                List.of(77L, 1L, 500L, 500L),
                List.of(
                        traceSegment.trace(),
                        traceSegment.connection(),
                        traceSegment.connectedMillis(),
                        traceSegment.fromMillis()));
        assertArrayEquals(new int[] {40, 30_000, 31_001}, traceSegment.readsMillis());
        assertEquals(500 + 40 + 30_000 + 31_001 + 59, traceSegment.endedMillis());
        assertEquals(CloseReason.PEER_CLOSED, traceSegment.ended());
        assertEquals("heartwheel", traceSegment.protocol());
        assertEquals(60_000, traceSegment.intervalMillis());
        assertEquals(150, traceSegment.graceHundredths());
        assertEquals(0, activityTraces.size());
        assertEquals(1, chosen);
    }

    @Test
    void silence_foundOut_isToldWithItsReason() {
        new Traced(activityTraces(1, 16), 7).greeted();
        gateway.pass(Duration.ofSeconds(91));

        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, told.get(0).ended());
        assertEquals(90_001, told.get(0).endedMillis(), VirtualGateway.TICK_NANOS / 1e6);
        assertArrayEquals(new int[] {1}, told.get(0).readsMillis());
    }

    @Test
    void handshake_neverFinished_isALifeWithoutFrames() {
        new Traced(activityTraces(1, 16), 7);
        gateway.pass(Duration.ofSeconds(11));

        assertEquals("handshake", told.get(0).protocol());
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, told.get(0).ended());
        assertEquals(0, told.get(0).readsMillis().length);
        assertEquals(0, told.get(0).intervalMillis());
    }

    @Test
    void stamps_moreThanKept_areToldInSegmentsThatJoin() {
        Traced traced = new Traced(activityTraces(1, 20), 7).greeted();
        for (int i = 1; i < 50; i++) {
            traced.beatAfter(100 + i);
        }
        traced.session.hangUp();

        assertEquals(
                List.of(20, 20, 10),
                told.stream()
                        .map(traceSegment -> traceSegment.readsMillis().length)
                        .toList());
        long at = 0;
        for (TraceSegment traceSegment : told) {
            assertEquals(at, traceSegment.fromMillis());
            at += IntStream.of(traceSegment.readsMillis()).sum();
        }
        assertEquals(1 + IntStream.range(1, 50).map(i -> 100 + i).sum(), at);
        assertEquals(at, told.get(2).endedMillis());
        assertEquals(CloseReason.PEER_CLOSED, told.get(2).ended());
        assertNull(told.get(1).ended());
        assertEquals(0, told.get(0).endedMillis());
    }

    @Test
    void frame_thatEndsTheConnection_isTakenDownToo() {
        Traced traced = new Traced(activityTraces(1, 16), 7).greeted();
        gateway.pass(Duration.ofSeconds(1));
        traced.session.beat();
        traced.session.hangUp();
        traced.activityTrace.look();

        assertEquals(1, told.size());
        assertArrayEquals(new int[] {1, 1_000}, told.get(0).readsMillis());
    }

    @Test
    void look_nothingCameIn_addsNothing() {
        Traced traced = new Traced(activityTraces(1, 16), 7).greeted();
        for (int i = 0; i < 3; i++) {
            traced.activityTrace.look();
        }
        gateway.pass(Duration.ofSeconds(3));
        traced.session.pause(true, gateway.now());
        gateway.pass(Duration.ofSeconds(2));
        traced.session.pause(false, gateway.now());
        traced.activityTrace.moved();
        traced.activityTrace.look();
        traced.session.hangUp();

        assertArrayEquals(new int[] {1}, told.get(0).readsMillis());
    }

    @Test
    void look_sessionGone_addsNothing() {
        ActivityTraces activityTraces = activityTraces(1, 16);
        ActivityTraces.ActivityTrace activityTrace = activityTraces.begin(7, gateway.now(), () -> null);
        activityTrace.look();
        activityTrace.moved();
        assertEquals(1, activityTraces.size());
        activityTraces.forget(7);
        assertEquals(0, activityTraces.size());
        assertTrue(told.isEmpty());
    }

    @Test
    void chooses_share_isKeptByManyAndExactAtTheEnds() {
        long few = LongStream.range(1, 100_001)
                .filter(activityTraces(0.01, 16)::chooses)
                .count();
        assertTrue(few > 850 && few < 1_150, few + " of 100000 at 0.01");
        assertEquals(
                0,
                LongStream.range(1, 10_001)
                        .filter(activityTraces(0, 16)::chooses)
                        .count());
        assertEquals(
                10_000,
                LongStream.range(1, 10_001)
                        .filter(activityTraces(1, 16)::chooses)
                        .count());
    }

    @Test
    void ended_connectionThatIsNotTraced_isNotTold() {
        ActivityTraces activityTraces = activityTraces(0, 16);
        assertFalse(activityTraces.chooses(7));
        FakeSession session = new FakeSession(FakeSession.watchedBy(activityTraces, gateway.sessionContext)).accept(7);
        session.hello("d", "").hangUp();
        assertTrue(told.isEmpty());
        assertEquals(0, chosen);
    }
}
