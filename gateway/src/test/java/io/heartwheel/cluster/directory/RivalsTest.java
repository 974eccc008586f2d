package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Answer;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.BusMessage.Outcome;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent.IdConflict;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.FakeSession;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections that take one id from each other at two gateways. */
class RivalsTest extends TwoGateways {
    /** A device that comes back at once whenever it has lost its id, and as late as it may when it was told to wait. */
    private final class Rival {
        final Node node;
        FakeSession session;
        long comesNanos;
        int taken;
        int told;

        Rival(Node node) {
            this.node = node;
            come();
        }

        private void come() {
            session = node.connect("d");
            session.onProbe = session::beat;
            comesNanos = Long.MAX_VALUE;
        }

        void turn() {
            if (session.state() != ConnectionState.CLOSED) {
                return;
            }
            if (comesNanos == Long.MAX_VALUE) {
                boolean waits = session.closeFrames.get(0).reason() == CloseReason.ID_CONFLICT;
                taken += waits ? 0 : 1;
                told += waits ? 1 : 0;
                long pauseMillis = waits ? session.goAways.get(0).retryMaxMillis() : 0;
                comesNanos = fleet.now() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            }
            if (fleet.now() - comesNanos >= 0) {
                come();
            }
        }
    }

    /** Of sessions too. */
    private void live(long nanos, Rival... rivals) {
        for (long passed = 0; passed < nanos; passed += SECOND / 10) {
            pass(SECOND / 10);
            a.gateway.moveTo(fleet.now());
            b.gateway.moveTo(fleet.now());
            for (Rival rival : rivals) {
                rival.turn();
            }
        }
    }

    /** The device comes to the two in turn, and waits for nobody. */
    private FakeSession comes(int time) {
        FakeSession session = (time % 2 == 0 ? a : b).connect("d");
        live(SECOND);
        assertTrue(session.isEstablished(), "time " + time);
        return session;
    }

    private static List<IdConflict> conflicts(Node node) {
        return node.gateway.events.stream()
                .filter(IdConflict.class::isInstance)
                .map(IdConflict.class::cast)
                .toList();
    }

    @Test
    void rivals_atTwoGateways_areSlowedAsAtOne() {
        Rival one = new Rival(a);
        live(SECOND, one);
        long epoch = one.session.epoch();
        Rival other = new Rival(b);
        live(2 * SECOND, one, other);
        assertEquals(4, one.taken + other.taken, "free within a minute");
        assertEquals(ConnectionState.CLAIMING, other.session.state());
        assertTrue(one.session.isEstablished());
        assertNull(b.local.find("d"), "whoever asks there is answered where the id is");
        assertTrue(fleet.row("d").isHeldBy(a.id, one.session.sessionId()));

        live(58 * SECOND, one, other);
        int soon = one.taken + other.taken;
        assertTrue(soon >= 7 && soon <= 9, () -> "after 2, 4, 8, 16 and 32 s: " + soon);
        assertEquals(1, a.local.idConflicts());
        assertEquals(1, b.local.idConflicts());

        live(600 * SECOND, one, other);
        int later = one.taken + other.taken - soon;
        assertTrue(later >= 9 && later <= 16, () -> "40 to 60 s each: " + later);
        assertTrue(one.told > 0 && other.told > 0);
        assertTrue(a.counts.get(What.CLAIM_CONFLICT) + b.counts.get(What.CLAIM_CONFLICT) >= one.told + other.told);

        assertEquals(List.of(), conflicts(a), "one when it begins, where the newer one waits");
        IdConflict told = conflicts(b).get(0);
        assertEquals(1, conflicts(b).size());
        assertEquals("node a", told.remote());
        assertEquals("192.0.2.1:40000", told.rival());
        assertTrue(told.identity().epoch() > epoch);
    }

    @Test
    void rivals_whoseHolderLeaves_waitForNobody() {
        Rival one = new Rival(a);
        live(SECOND, one);
        Rival other = new Rival(b);
        live(20 * SECOND, one, other);
        Rival holder = one.session.isEstablished() ? one : other;
        Rival waiting = holder == one ? other : one;
        assertFalse(waiting.session.isEstablished());
        holder.session.hangUp();
        pass(SECOND / 10);
        FakeSession comes = waiting.node.connect("d");
        pass(SECOND / 10);
        assertTrue(comes.isEstablished());
    }

    @Test
    void device_aloneWhoseReleasesAreLost_isNoRivalOfItself() {
        for (int i = 0; i < 20; i++) {
            FakeSession session = comes(i);
            fleet.down = true;
            session.hangUp();
            fleet.down = false;
            assertTrue(fleet.row("d").held());
        }
        assertEquals(0, a.local.idConflicts() + b.local.idConflicts());
        assertEquals(0, a.counts.get(What.CLAIM_CONFLICT) + b.counts.get(What.CLAIM_CONFLICT));
    }

    /** A gateway of an earlier release says so of one whose claim is on its way. */
    @Test
    void rivals_whoseHolderComesJustWhenItIsSaidToBeGone_waitForIt() {
        NodeId c = new NodeId("c", 1);
        Engine there = fleet.join(c);
        DeviceRegistry rows = new DeviceRegistry(there.rows());
        byte[] id = {'d'};
        Answer[] answers = {Answer.ABSENT};
        there.bus()
                .serve(message -> CompletableFuture.completedFuture(BusMessage.answer(message, asked -> {
                    Answer answer = answers[0];
                    if (asked.command() == Command.WHERE && answer.outcome() == Outcome.ABSENT) {
                        answers[0] = new Answer(
                                Outcome.HERE,
                                fleet.await(rows.claim(id, c, 9, 1, row -> true))
                                        .epoch(),
                                9);
                    }
                    return answer;
                })));
        for (int i = 0; i < 4; i++) {
            fleet.await(rows.claim(id, c, i, 1, row -> true));
            FakeSession session = b.connect("d");
            pass(SECOND / 10);
            assertTrue(session.isEstablished());
            session.hangUp();
            pass(SECOND / 10);
        }
        fleet.await(rows.claim(id, c, 8, 1, row -> true));
        FakeSession fifth = b.connect("d");
        pass(SECOND / 10);
        assertEquals(ConnectionState.CLAIMING, fifth.state());
        assertTrue(fleet.row("d").isHeldBy(c, 9));
        assertEquals(1, b.counts.get(What.CLAIM_CONFLICT));
    }

    @Test
    void rivals_whoseHoldersGatewayIsLost_waitForNobody() {
        for (int i = 0; i < 5; i++) {
            (i % 2 == 0 ? a : b).connect("soon");
            (i % 2 == 0 ? a : b).connect("later");
            pass(SECOND);
        }
        fleet.kill(a.id);
        passWithoutA(SECOND);
        FakeSession soon = b.connect("soon");
        passWithoutA(SECOND);
        assertEquals(ConnectionState.CLAIMING, soon.state(), "its gateway may be there, and nobody reach it");
        passWithoutA(4 * SECOND);
        FakeSession later = b.connect("later");
        passWithoutA(SECOND / 10);
        assertTrue(later.isEstablished());
    }

    @Test
    void where_whileAClaimIsUnderWay_isNotKnown() {
        FakeSession session = a.connect("d");
        fleet.mostDelayNanos = 1;
        assertEquals(Outcome.UNKNOWN, where("d"));
        a.connect("left").hangUp();
        assertEquals(Outcome.ABSENT, where("left"), "it will not have the id, whatever becomes of its claim");
        pass(SECOND);
        assertEquals(Outcome.HERE, where("d"));
        session.hangUp();
        assertEquals(Outcome.ABSENT, where("d"));
    }

    private Outcome where(String device) {
        return fleet.await(b.directory.where(a.id, device.getBytes(StandardCharsets.UTF_8), SECOND))
                .outcome();
    }

    @Test
    void device_thatMovesEverySixteenSeconds_waitsForNobody() {
        for (int i = 0; i < 20; i++) {
            comes(i);
            live(15 * SECOND);
        }
        assertEquals(0, a.local.idConflicts() + b.local.idConflicts());
    }
}
