package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Stretch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is taken down of a connection, in virtual time. */
class TracksTest {
    /** Begins shortly before nanoTime goes over, so that only differences are right. */
    private final VirtualGateway gateway =
            new VirtualGateway(Long.MAX_VALUE - Duration.ofSeconds(2).toNanos(), LivenessSettings.defaults());

    private final List<Stretch> told = new ArrayList<>();
    private int chosen;

    private final EventSink sink = new EventSink() {
        @Override
        public void publish(ConnectionEvent event) {
            throw new AssertionError(event);
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            throw new AssertionError(message);
        }

        @Override
        public void publish(Stretch stretch) {
            told.add(stretch);
        }

        @Override
        public void close() {}
    };

    private Tracks tracks(double share, int stamps) {
        SessionObserver counting = new SessionObserver() {
            @Override
            public void traced() {
                chosen++;
            }
        };
        return new Tracks(
                new TraceSettings(true, Path.of("t"), share, stamps, 1 << 20),
                77,
                gateway.scope.policy(),
                sink,
                counting,
                gateway::now,
                () -> 5);
    }

    /** A session and its track, as the tap has them. */
    private final class Traced {
        final FakeSession session;
        final Track track;

        Traced(Tracks tracks, long sessionId) {
            session = new FakeSession(FakeSession.watchedBy(tracks, gateway.scope)).accept(sessionId);
            track = tracks.begin(sessionId, gateway.now(), () -> session);
        }

        /** Says HELLO a millisecond after it was accepted. */
        Traced greeted() {
            gateway.pass(Duration.ofMillis(1));
            session.hello("d", "");
            track.look();
            return this;
        }

        void beatAfter(long millis) {
            gateway.pass(Duration.ofMillis(millis));
            session.beat();
            track.look();
        }
    }

    @Test
    void life_ofADevice_isOneStretchWithItsEnd() {
        Tracks tracks = tracks(1, 16);
        gateway.pass(Duration.ofMillis(500));
        Traced traced = new Traced(tracks, 7);
        gateway.pass(Duration.ofMillis(40));
        traced.session.hello("d", "");
        traced.track.look();
        traced.beatAfter(30_000);
        traced.track.look();
        traced.beatAfter(31_001);
        gateway.pass(Duration.ofMillis(59));
        traced.session.hangUp();

        assertEquals(1, told.size());
        Stretch stretch = told.get(0);
        assertEquals(
                List.of(77L, 1L, 500L, 500L),
                List.of(stretch.trace(), stretch.connection(), stretch.connectedMillis(), stretch.fromMillis()));
        assertArrayEquals(new int[] {40, 30_000, 31_001}, stretch.readsMillis());
        assertEquals(500 + 40 + 30_000 + 31_001 + 59, stretch.endedMillis());
        assertEquals(CloseReason.PEER_CLOSED, stretch.ended());
        assertEquals("heartwheel", stretch.protocol());
        assertEquals(60_000, stretch.intervalMillis());
        assertEquals(150, stretch.graceHundredths());
        assertEquals(0, tracks.size());
        assertEquals(1, chosen);
    }

    @Test
    void silence_foundOut_isToldWithItsReason() {
        new Traced(tracks(1, 16), 7).greeted();
        gateway.pass(Duration.ofSeconds(91));

        assertEquals(CloseReason.HEARTBEAT_TIMEOUT, told.get(0).ended());
        assertEquals(90_001, told.get(0).endedMillis(), VirtualGateway.TICK_NANOS / 1e6);
        assertArrayEquals(new int[] {1}, told.get(0).readsMillis());
    }

    @Test
    void handshake_neverFinished_isALifeWithoutFrames() {
        new Traced(tracks(1, 16), 7);
        gateway.pass(Duration.ofSeconds(11));

        assertEquals("handshake", told.get(0).protocol());
        assertEquals(CloseReason.HANDSHAKE_TIMEOUT, told.get(0).ended());
        assertEquals(0, told.get(0).readsMillis().length);
        assertEquals(0, told.get(0).intervalMillis());
    }

    @Test
    void stamps_moreThanKept_areToldInStretchesThatJoin() {
        Traced traced = new Traced(tracks(1, 20), 7).greeted();
        for (int i = 1; i < 50; i++) {
            traced.beatAfter(100 + i);
        }
        traced.session.hangUp();

        assertEquals(
                List.of(20, 20, 10),
                told.stream().map(stretch -> stretch.readsMillis().length).toList());
        long at = 0;
        for (Stretch stretch : told) {
            assertEquals(at, stretch.fromMillis());
            at += IntStream.of(stretch.readsMillis()).sum();
        }
        assertEquals(1 + IntStream.range(1, 50).map(i -> 100 + i).sum(), at);
        assertEquals(at, told.get(2).endedMillis());
        assertEquals(CloseReason.PEER_CLOSED, told.get(2).ended());
        assertNull(told.get(1).ended());
        assertEquals(0, told.get(0).endedMillis());
    }

    @Test
    void frame_thatEndsTheConnection_isTakenDownToo() {
        Traced traced = new Traced(tracks(1, 16), 7).greeted();
        gateway.pass(Duration.ofSeconds(1));
        traced.session.beat();
        traced.session.hangUp();
        traced.track.look();

        assertEquals(1, told.size());
        assertArrayEquals(new int[] {1, 1_000}, told.get(0).readsMillis());
    }

    @Test
    void look_nothingCameIn_addsNothing() {
        Traced traced = new Traced(tracks(1, 16), 7).greeted();
        for (int i = 0; i < 3; i++) {
            traced.track.look();
        }
        gateway.pass(Duration.ofSeconds(3));
        traced.session.pauseReading(true, gateway.now());
        gateway.pass(Duration.ofSeconds(2));
        traced.session.pauseReading(false, gateway.now());
        traced.track.moved();
        traced.track.look();
        traced.session.hangUp();

        assertArrayEquals(new int[] {1}, told.get(0).readsMillis());
    }

    @Test
    void look_sessionGone_addsNothing() {
        Tracks tracks = tracks(1, 16);
        Track track = tracks.begin(7, gateway.now(), () -> null);
        track.look();
        track.moved();
        assertEquals(1, tracks.size());
        tracks.forget(7);
        assertEquals(0, tracks.size());
        assertTrue(told.isEmpty());
    }

    @Test
    void chooses_share_isKeptByManyAndExactAtTheEnds() {
        long few =
                LongStream.range(1, 100_001).filter(tracks(0.01, 16)::chooses).count();
        assertTrue(few > 850 && few < 1_150, few + " of 100000 at 0.01");
        assertEquals(
                0, LongStream.range(1, 10_001).filter(tracks(0, 16)::chooses).count());
        assertEquals(
                10_000,
                LongStream.range(1, 10_001).filter(tracks(1, 16)::chooses).count());
    }

    @Test
    void ended_connectionThatIsNotTraced_isNotTold() {
        Tracks tracks = tracks(0, 16);
        assertFalse(tracks.chooses(7));
        FakeSession session = new FakeSession(FakeSession.watchedBy(tracks, gateway.scope)).accept(7);
        session.hello("d", "").hangUp();
        assertTrue(told.isEmpty());
        assertEquals(0, chosen);
    }

    @Test
    void settings_outOfRange_areRefused() {
        assertNull(refusal(0.5, 16, 1 << 20));
        assertTrue(refusal(-0.1, 16, 1 << 20).contains("trace.share = -0.1: need 0..1"));
        assertTrue(refusal(1.1, 16, 1 << 20).contains("need 0..1"));
        assertTrue(refusal(Double.NaN, 16, 1 << 20).contains("need 0..1"));
        assertTrue(refusal(1, 15, 1 << 20).contains("trace.stamps = 15: need 16..65536"));
        assertTrue(refusal(1, 65_537, 1 << 20).contains("need 16..65536"));
        assertTrue(refusal(1, 16, (1 << 20) - 1).contains("need 1MiB..64GiB"));
        assertTrue(refusal(1, 16, (64L << 30) + 1).contains("need 1MiB..64GiB"));
        assertThrows(IllegalArgumentException.class, () -> new TraceSettings(true, Path.of(""), 1, 16, 1 << 20));
    }

    private static String refusal(double share, int stamps, long maxBytes) {
        try {
            new TraceSettings(true, Path.of("t"), share, stamps, maxBytes);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }
}
