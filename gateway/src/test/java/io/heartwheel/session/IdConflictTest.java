package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.IdConflict;
import io.heartwheel.event.ConnectionEvent.TakenOver;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two devices with one id, or one that comes again and again before its old connection is gone: the newcomer waits, and the holder is left alone. */
class IdConflictTest {
    private static final String LEFT = "192.0.2.1:40000";
    private static final String RIGHT = "198.51.100.2:50000";

    private final List<IdConflict> told = new ArrayList<>();
    private final SessionObserver counting = new SessionObserver() {
        @Override
        public void idConflict(IdConflict conflict) {
            told.add(conflict);
        }
    };
    // its clock crosses its greatest value meanwhile
    private final VirtualGateway gateway =
            new VirtualGateway(Long.MAX_VALUE - 2_000_000_000L, LivenessSettings.defaults());
    private long sessions;

    private FakeSession connect(String remote) {
        SessionContext context = FakeSession.watchedBy(
                SessionObserver.all(List.of(gateway.sessionContext.observer(), counting)), gateway.sessionContext);
        return new FakeSession(context, "heartwheel", remote, Runnable::run)
                .accept(++sessions)
                .hello("d", "");
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

    private void passMillis(long millis) {
        gateway.pass(Duration.ofMillis(millis));
    }

    @Test
    void fifthTakeover_withinAMinute_isHeldAndThenToldWhenToComeBack() {
        FakeSession holder = contested();
        FakeSession newcomer = connect(RIGHT);
        passMillis(900);
        assertEquals(ConnectionState.CLAIMING, newcomer.state());
        assertEquals(List.of(), newcomer.frames);
        passMillis(200);
        assertEquals(List.of("GOAWAY"), newcomer.frames);
        GoAway window = newcomer.goAways.get(0);
        assertTrue(window.retryMinMillis() > 900 && window.retryMinMillis() <= 1_001, window::toString);
        assertEquals(window.retryMinMillis() * 3 / 2, window.retryMaxMillis());
        assertEquals(
                List.of(new FakeSession.Farewell(
                        CloseReason.ID_CONFLICT, "two connections with this device id displace each other")),
                newcomer.closeFrames);
        Evidence refused = gateway.evidence.get(gateway.evidence.size() - 1);
        assertEquals("two connections from " + LEFT + " and " + RIGHT + " displace each other", refused.cause());
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
        connect(RIGHT);
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
        connect(RIGHT);
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
        passMillis(1_100);
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
}
