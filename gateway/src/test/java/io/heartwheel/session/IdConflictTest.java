package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.IdConflict;
import io.heartwheel.event.ConnectionEvent.TakenOver;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.DefaultsBut;
import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Two devices with one id, or one that comes again and again before its old connection is gone: the newcomer waits, and the holder is left alone. */
class IdConflictTest {
    private static final String LEFT = "192.0.2.1:40000";
    private static final String RIGHT = "198.51.100.2:50000";
    /** How long a newcomer is held before it is told. */
    private static final int HELD_MILLIS = 4_000;

    private final List<IdConflict> told = new ArrayList<>();
    private final SessionObserver counting = new SessionObserver() {
        @Override
        public void idConflict(IdConflict conflict) {
            told.add(conflict);
        }
    };
    // its clock crosses its greatest value meanwhile
    private VirtualGateway gateway = new VirtualGateway(Long.MAX_VALUE - 2_000_000_000L, LivenessSettings.defaults());
    private long sessions;

    private FakeSession connect(String remote) {
        return connect(remote, Runnable::run);
    }

    private FakeSession connect(String remote, Executor loop) {
        SessionContext context = FakeSession.watchedBy(
                SessionObserver.all(List.of(gateway.sessionContext.observer(), counting)), gateway.sessionContext);
        FakeSession session = new FakeSession(context, "heartwheel", remote, loop);
        session.onProbe = session::beat;
        return session.accept(++sessions).hello("d", "");
    }

    /** The holder after four takeovers. */
    private FakeSession contested() {
        FakeSession holder = connect(LEFT);
        for (int i = 0; i < 4; i++) {
            holder = connect(i % 2 == 0 ? RIGHT : LEFT);
            assertEquals(List.of("WELCOME"), holder.frames);
        }
        return holder;
    }

    /** The holder after so many more takeovers, for which somebody waited each time: whoever comes now waits for twice as long as before, 2 s at first. */
    private FakeSession contestedAfter(int waits) {
        return contestedAfter(waits, Runnable::run);
    }

    private FakeSession contestedAfter(int waits, Executor lastLoop) {
        FakeSession holder = contested();
        for (int i = 1; i <= waits; i++) {
            connect(RIGHT).hangUp();
            passMillis(1_000L << i);
            holder = connect(RIGHT, i == waits ? lastLoop : Runnable::run);
            assertEquals(List.of("WELCOME"), holder.frames);
        }
        return holder;
    }

    /** A holder which has not been heard for a second, for which whoever comes now waits for 32 s. It heeds no probe any more. */
    private FakeSession deadHolder() {
        return deadHolder(Runnable::run);
    }

    private FakeSession deadHolder(Executor loop) {
        FakeSession holder = contestedAfter(4, loop);
        holder.onProbe = () -> {};
        passMillis(1_000);
        return holder;
    }

    /** From when it is told on a newcomer waits so long at least. */
    private long toldMillis() {
        FakeSession newcomer = connect(RIGHT);
        passMillis(HELD_MILLIS + 20);
        assertEquals(CloseReason.ID_CONFLICT, newcomer.closeFrames.get(0).reason());
        return newcomer.goAways.get(0).retryMinMillis();
    }

    private void passMillis(long millis) {
        gateway.pass(Duration.ofMillis(millis));
    }

    @Test
    void fifthTakeover_withinAMinute_isHeldAndThenToldWhenToComeBack() {
        FakeSession holder = contestedAfter(2);
        FakeSession newcomer = connect(LEFT);
        passMillis(HELD_MILLIS - 100);
        assertEquals(ConnectionState.CLAIMING, newcomer.state());
        assertEquals(List.of(), newcomer.frames);
        passMillis(200);
        assertEquals(List.of("GOAWAY"), newcomer.frames);
        GoAway window = newcomer.goAways.get(0);
        assertTrue(window.retryMinMillis() > 3_900 && window.retryMinMillis() <= 4_001, window::toString);
        assertEquals(window.retryMinMillis() * 3 / 2, window.retryMaxMillis());
        assertEquals(
                List.of(new FakeSession.Farewell(
                        CloseReason.ID_CONFLICT, "two connections with this device id displace each other")),
                newcomer.closeFrames);
        Evidence refused = gateway.evidence.get(gateway.evidence.size() - 1);
        assertEquals("two connections from " + RIGHT + " and " + LEFT + " displace each other", refused.cause());
        assertEquals("d", refused.claimedDevice());
        assertTrue(refused.refused());
        assertTrue(holder.isEstablished());
        assertEquals(holder, gateway.registry.find("d"));
        assertEquals(0, gateway.sessionContext.stats().handshakesPending());
    }

    @Test
    void conflict_whileItLasts_isToldOnceWithBothAddresses() {
        FakeSession holder = contested();
        IdConflict conflict = new IdConflict(holder.identity(), VirtualGateway.WALL_MILLIS, LEFT, RIGHT);
        for (int i = 0; i < 40; i++) {
            connect(i % 2 == 0 ? RIGHT : LEFT);
            passMillis(700);
        }
        assertEquals(List.of(conflict), told);
        assertEquals(
                List.of(conflict),
                gateway.events.stream().filter(IdConflict.class::isInstance).toList());
        assertEquals(1, gateway.registry.idConflicts());
        gateway.pass(Duration.ofSeconds(100));
        assertEquals(0, gateway.registry.idConflicts());
    }

    @Test
    void newcomer_whoseWaitEndsWhileItIsHeld_takesOver() {
        FakeSession holder = contested();
        connect(RIGHT).hangUp();
        passMillis(1_500);
        FakeSession newcomer = connect(RIGHT);
        passMillis(400);
        assertEquals(ConnectionState.CLAIMING, newcomer.state());
        passMillis(150);
        assertEquals(List.of("WELCOME"), newcomer.frames);
        assertEquals(CloseReason.TAKEN_OVER, holder.closeFrames.get(0).reason());
        assertEquals(
                "a newer connection has this device id",
                holder.closeFrames.get(0).text());
        TakenOver event = (TakenOver) gateway.events.stream()
                .filter(each -> each.identity().equals(holder.identity()) && each instanceof TakenOver)
                .findFirst()
                .orElseThrow();
        assertEquals(
                "a newer connection from " + RIGHT + " has this device id",
                event.evidence().cause());
        assertTrue(newcomer.epoch() > holder.epoch());
    }

    @Test
    void newcomer_thatRemembersALaterEpoch_getsALaterOneAfterItsWait() {
        contested();
        connect(RIGHT).hangUp();
        passMillis(1_500);
        long remembered = 1_000_000_000;
        FakeSession newcomer =
                new FakeSession(gateway.sessionContext).accept(++sessions).hello("d", "", remembered);
        passMillis(600);
        assertEquals(remembered + 1, newcomer.epoch());
    }

    @Test
    void newcomer_whoseHolderLeaves_getsTheIdAtOnce() {
        FakeSession holder = contested();
        FakeSession held = connect(RIGHT);
        holder.hangUp();
        assertEquals(List.of("WELCOME"), connect(RIGHT).frames);
        passMillis(2_100);
        assertEquals(CloseReason.ID_CONFLICT, held.closeFrames.get(0).reason());
    }

    @Test
    void newcomer_thatHangsUpWhileItIsHeld_leavesNothingBehind() {
        FakeSession holder = contested();
        FakeSession held = connect(RIGHT);
        int armed = gateway.armed();
        held.hangUp();
        passMillis(3_000);
        assertEquals(List.of(), held.frames);
        assertEquals(holder, gateway.registry.find("d"));
        assertEquals(armed - 1, gateway.armed());
        assertEquals(0, gateway.sessionContext.stats().handshakesPending());
    }

    @Test
    void newcomer_withoutTimeLeftForItsHandshake_isToldAtOnce() {
        FakeSession slow = new FakeSession(gateway.sessionContext).accept(++sessions);
        passMillis(9_100);
        contested();
        assertEquals(List.of("GOAWAY"), slow.hello("d", "").frames);
        assertEquals(CloseReason.ID_CONFLICT, slow.closeFrames.get(0).reason());
    }

    /** Who is not admitted claims nothing, so a stranger makes nobody wait. */
    @Test
    void strangers_whoAreRefused_makeNobodyWait() {
        VirtualGateway closed = new VirtualGateway(0, LivenessSettings.defaults(), FakeSession.NOBODY);
        SessionContext strangers = FakeSession.claimingFrom(gateway.registry, closed.sessionContext);
        FakeSession holder = connect(LEFT);
        for (int i = 0; i < 100; i++) {
            new FakeSession(strangers).accept(++sessions).hello("d", "wrong");
        }
        assertTrue(holder.isEstablished());
        FakeSession own = connect(LEFT);
        assertEquals(List.of("WELCOME"), own.frames);
        assertFalse(holder.isEstablished());
    }

    // ------------------------------------------------------------------ a holder that is dead

    @Test
    void holder_thatAnswersNoProbe_isTakenOverOnceTheProbeHadItsTime() {
        FakeSession holder = deadHolder();
        long millis = toldMillis();
        assertEquals(List.of("WELCOME", "PING"), holder.frames, "probed as somebody waits for it");
        assertTrue(
                millis > 10_000 && millis < 11_100, () -> "half of 30 s of grace since the probe, and not " + millis);
        passMillis(millis);
        FakeSession newcomer = connect(RIGHT);
        passMillis(HELD_MILLIS + 20);
        assertEquals(List.of("WELCOME"), newcomer.frames);
        Evidence taken = gateway.evidence.get(gateway.evidence.size() - 1);
        assertEquals(CloseReason.TAKEN_OVER, taken.reason());
        assertTrue(taken.text().contains("; probe at 1.0 s unanswered"), taken::text);
        assertEquals(0, gateway.registry.idConflicts());
        assertEquals(List.of("WELCOME"), connect(RIGHT).frames, "nobody waits for the dead");
    }

    @Test
    void holder_thatAnswersLate_keepsItsId() {
        FakeSession holder = deadHolder();
        toldMillis();
        passMillis(10_900);
        holder.beat();
        passMillis(200);
        assertTrue(toldMillis() > 10_000, "as long as another probe has");
        assertEquals(List.of("WELCOME", "PING", "PING"), holder.frames, "and is asked anew");
        assertTrue(holder.isEstablished());
    }

    /** It promised a heartbeat each 2 s, and half of its grace is less than its way takes. */
    @Test
    void holder_thatBeatsInTimeAndAnswersSlowly_keepsItsId() {
        Duration interval = Duration.ofSeconds(2);
        gateway = new VirtualGateway(
                0,
                DefaultsBut.heartbeat(
                        new LivenessSettings.Heartbeat(true, interval, interval, interval, 1.1, true, 0.25, null)));
        FakeSession holder = contestedAfter(4);
        holder.onProbe = () -> {};
        holder.beat();
        for (int i = 0; i < 5; i++) {
            passMillis(1_100);
            connect(RIGHT);
            passMillis(800);
            connect(RIGHT);
            connect(RIGHT);
            assertTrue(holder.isEstablished());
            holder.beat();
        }
    }

    /** While this process stands still, no answer can come in. */
    @Test
    void holder_whoseAnswerCannotBeReadForAStall_keepsItsId() {
        FakeSession holder = deadHolder();
        toldMillis();
        gateway.stall(Duration.ofSeconds(15));
        FakeSession newcomer = connect(RIGHT);
        passMillis(HELD_MILLIS + 20);
        assertEquals(CloseReason.ID_CONFLICT, newcomer.closeFrames.get(0).reason());
        assertTrue(holder.isEstablished());
    }

    @Test
    void holder_whichIsNotRead_isNotJudged() {
        FakeSession holder = deadHolder();
        holder.pause(true, gateway.now());
        toldMillis();
        assertEquals(List.of("WELCOME"), holder.frames);
        assertTrue(toldMillis() > 20_000);
    }

    /** What it said meanwhile lies in its socket until the next read. */
    @Test
    void holder_whichIsReadAgainSinceAMomentAgo_isNotJudged() {
        FakeSession holder = deadHolder();
        toldMillis();
        holder.pause(true, gateway.now());
        passMillis(16_000);
        holder.pause(false, gateway.now());
        connect(RIGHT);
        holder.beat();
        passMillis(HELD_MILLIS + 20);
        assertTrue(holder.isEstablished());
    }

    /** It died within a second of its last word, and its loop is another one: nobody has probed it before the newcomer is told. */
    @Test
    void newcomer_whoseHolderIsProbedJustNow_isToldTheTimeOfThatProbe() {
        List<Runnable> loop = new ArrayList<>();
        boolean[] own = {true};
        FakeSession holder = deadHolder(task -> {
            if (own[0]) {
                task.run();
            } else {
                loop.add(task);
            }
        });
        holder.beat();
        passMillis(300);
        own[0] = false;
        FakeSession newcomer = connect(RIGHT);
        loop.forEach(Runnable::run);
        loop.clear();
        passMillis(HELD_MILLIS + 20);
        loop.forEach(Runnable::run);
        assertEquals(List.of("WELCOME", "PING"), holder.frames);
        long millis = newcomer.goAways.get(0).retryMinMillis();
        assertTrue(millis <= 15_001, () -> "the probe has 15 s, and not " + millis);
    }

    @Test
    void holder_whichIsNeverProbed_keepsItsIdForTheWholeWait() {
        LivenessSettings.Heartbeat beat = LivenessSettings.defaults().heartbeat();
        gateway = new VirtualGateway(
                0,
                DefaultsBut.heartbeat(new LivenessSettings.Heartbeat(
                        true,
                        beat.interval(),
                        beat.min(),
                        beat.max(),
                        beat.grace(),
                        false,
                        beat.probeMargin(),
                        beat.pingEvery())));
        FakeSession holder = deadHolder();
        assertTrue(toldMillis() > 27_000);
        assertEquals(List.of("WELCOME"), holder.frames);
    }

    @Test
    void holder_whileManyCome_isProbedOnceASecondAtMost() {
        FakeSession holder = deadHolder();
        holder.onProbe = holder::beat;
        for (int i = 0; i < 100; i++) {
            connect(i % 2 == 0 ? RIGHT : LEFT);
            passMillis(100);
        }
        long pings = holder.frames.stream().filter("PING"::equals).count();
        assertTrue(pings >= 9 && pings <= 11, () -> pings + " probes in 10 s");
    }

    /** The directory has it before its own loop knows. */
    @Test
    void conflict_ofAHolderThatIsNotEstablishedYet_isToldWithItsEpoch() {
        FakeSession holder = connect(LEFT);
        for (int i = 0; i < 3; i++) {
            holder = connect(RIGHT);
        }
        List<Runnable> loop = new ArrayList<>();
        FakeSession last = connect(LEFT, loop::add);
        assertEquals(last, gateway.registry.find("d"));
        connect(RIGHT);
        List.copyOf(loop).forEach(Runnable::run);
        assertEquals(
                List.of(last.identity()),
                told.stream().map(IdConflict::identity).toList());
        assertTrue(last.epoch() > holder.epoch());
    }
}
