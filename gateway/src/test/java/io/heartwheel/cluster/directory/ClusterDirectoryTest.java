package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.Directory;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims, releases, kicks and outages. */
class ClusterDirectoryTest extends TwoGateways {
    @Test
    void claim_isGrantedOnlyAfterTheRowIsWritten() {
        FakeSession session = a.connect("d");
        assertEquals(ConnectionState.CLAIMING, session.state());
        assertSame(session, a.local.find("d"), "it is found here before");
        assertFalse(fleet.row("d").held());
        pass(SECOND);
        assertTrue(session.isEstablished());
        assertTrue(fleet.row("d").isHeldBy(a.id, session.sessionId()));
        assertEquals(session.epoch(), fleet.row("d").epoch());
    }

    @Test
    void takeover_onAnotherNode_closesTheFirstWithItsSuccessor() {
        FakeSession first = a.connect("d");
        pass(SECOND);
        FakeSession second = b.connect("d");
        pass(SECOND);
        assertEquals(CloseReason.TAKEN_OVER, first.closeFrames.get(0).reason());
        assertEquals("b", a.gateway.evidence.get(0).successorNode());
        assertEquals(second.sessionId(), a.gateway.evidence.get(0).successorSessionId());
        assertTrue(second.isEstablished());
        assertTrue(second.epoch() > first.epoch());
        assertTrue(fleet.row("d").isHeldBy(b.id, second.sessionId()), "the release of the first changes nothing");
        assertEquals(1, b.counts.get(What.KICK_ANSWERED));
    }

    @Test
    void takeover_byANodeWhoseClockIsBehind_hasALaterEpoch() {
        FakeSession first = b.connect("d");
        pass(SECOND);
        FakeSession second = a.connect("d");
        pass(SECOND);
        assertEquals(first.epoch() + 1, second.epoch());
        FakeSession other = a.connect("other");
        pass(SECOND);
        assertTrue(other.epoch() < first.epoch(), "nobody else is moved");
    }

    @Test
    void takeover_whoseKickIsLost_isFoundByTheSweep() {
        FakeSession first = a.connect("d");
        pass(SECOND);
        fleet.join(a.id); // who answers for a now, knows nothing
        FakeSession second = b.connect("d");
        pass(SECOND);
        assertTrue(first.isEstablished());
        pass(12 * SECOND);
        assertEquals(CloseReason.TAKEN_OVER, a.lastReason());
        assertEquals(1, a.counts.get(What.SWEEP_TAKEN));
        assertTrue(second.isEstablished());
    }

    /** The kick is answered before the loop has had its turn. */
    @Test
    void takeover_fromAGatewayThatIsGone_tellsNothingOfTheConnectionThere() {
        a.connect("d");
        pass(SECOND);
        fleet.kill(a.id);
        Deque<Runnable> loop = new ArrayDeque<>();
        FakeSession second = new FakeSession(
                        FakeSession.claimingFrom(b.directory, b.gateway.sessionContext),
                        "heartwheel",
                        "192.0.2.1:1",
                        loop::add)
                .accept(++sessions)
                .hello("d", "");
        fleet.pass(SECOND);
        assertEquals(1, b.counts.get(What.KICK_NO_NODE));
        loop.forEach(Runnable::run);
        assertTrue(second.isEstablished());
        assertEquals(1, b.gateway.events.size(), b.gateway.events::toString);
    }

    @Test
    void kick_ofAnEarlierEpoch_changesNothing() {
        FakeSession session = a.connect("d");
        pass(SECOND);
        BusMessage late =
                new BusMessage(Command.KICK, session.epoch(), 77, b.id, 0, "d".getBytes(StandardCharsets.UTF_8));
        fleet.await(fleet.join(new NodeId("c", 1)).bus().request(a.id, late.encode()));
        assertTrue(session.isEstablished());
    }

    @Test
    void kick_thatComesBeforeTheGrantIsKnown_closesBehindIt() {
        FakeSession session = a.connect("d");
        BusMessage kick =
                new BusMessage(Command.KICK, Long.MAX_VALUE, 77, b.id, 0, "d".getBytes(StandardCharsets.UTF_8));
        fleet.mostDelayNanos = 1;
        fleet.await(fleet.join(new NodeId("c", 1)).bus().request(a.id, kick.encode()));
        pass(SECOND);
        assertEquals(CloseReason.TAKEN_OVER, session.closeFrames.get(0).reason());
    }

    /** The answer is on its way to the loop, and the session does not know its epoch. */
    @Test
    void kick_thatComesJustBeforeTheGrant_closesBehindIt() {
        Engine c = fleet.join(new NodeId("c", 1));
        FakeSession session = new FakeSession(FakeSession.claimingFrom(
                        new Directory<Session>() {
                            @Override
                            public void claim(Session claimed, long lastEpoch, Claimant<Session> claimant) {
                                a.directory.claim(claimed, lastEpoch, kickedBefore(c, claimed, claimant));
                            }

                            @Override
                            public void release(Session closed) {
                                a.directory.release(closed);
                            }
                        },
                        a.gateway.sessionContext))
                .accept(++sessions);
        session.hello("d", "");
        pass(SECOND);
        assertEquals(CloseReason.TAKEN_OVER, session.closeFrames.get(0).reason());
    }

    private Directory.Claimant<Session> kickedBefore(
            Engine from, Session claimed, Directory.Claimant<Session> claimant) {
        return new Directory.Claimant<>() {
            @Override
            public void granted(long epoch, Session predecessor) {
                BusMessage kick =
                        new BusMessage(Command.KICK, epoch + 1, 77, new NodeId("c", 1), 0, claimed.deviceIdBytes());
                fleet.mostDelayNanos = 1;
                fleet.await(from.bus().request(a.id, kick.encode()));
                claimant.granted(epoch, predecessor);
            }

            @Override
            public void refused(CloseReason reason) {
                claimant.refused(reason);
            }

            @Override
            public void later(Directory.Wait wait, long lastEpoch, Session holder) {
                claimant.later(wait, lastEpoch, holder);
            }
        };
    }

    @Test
    void close_ofTheHolder_givesTheIdBack() {
        FakeSession session = a.connect("d");
        pass(SECOND);
        session.hangUp();
        pass(SECOND);
        assertFalse(fleet.row("d").held());
        assertEquals(session.epoch(), fleet.row("d").epoch());
    }

    @Test
    void close_whileTheClaimIsUnderWay_leavesNothing() {
        FakeSession session = a.connect("d");
        session.hangUp();
        pass(SECOND);
        assertFalse(fleet.row("d").held());
        assertNull(a.local.find("d"));
        assertEquals(0, a.directory.pending());
    }

    @Test
    void close_ofTheHolderAndThenOfTheOneThatClaims_givesTheIdBack() {
        FakeSession holder = a.connect("d");
        pass(SECOND);
        FakeSession claims = a.connect("d");
        holder.hangUp();
        claims.hangUp();
        pass(SECOND);
        assertFalse(fleet.row("d").held());
    }

    @Test
    void newerConnection_beforeTheRowOfTheOlderIsWritten_isTheOneThatStays() {
        FakeSession first = a.connect("d");
        pass(SECOND);
        FakeSession second = a.connect("d");
        FakeSession third = a.connect("d");
        pass(SECOND);
        assertFalse(first.isEstablished());
        assertFalse(second.isEstablished());
        assertTrue(third.isEstablished());
        assertTrue(fleet.row("d").isHeldBy(a.id, third.sessionId()));
        assertEquals(CloseReason.TAKEN_OVER, first.closeFrames.get(0).reason());
    }

    // ------------------------------------------------------------------ outages

    @Test
    void outage_connectionsStay_andAClaimWaitsAndIsAdmitted() {
        FakeSession there = a.connect("there");
        pass(SECOND);
        fleet.down = true;
        FakeSession comes = a.connect("comes");
        pass(PATIENCE - SECOND);
        assertEquals(ConnectionState.CLAIMING, comes.state());
        pass(2 * SECOND);
        assertTrue(comes.isEstablished());
        assertTrue(there.isEstablished());
        assertEquals(1, a.counts.get(What.CLAIM_LOCAL));
        FakeSession later = a.connect("later");
        assertTrue(later.isEstablished(), "nobody waits for what is away for longer");
    }

    @Test
    void outage_whileClaimsWait_theConnectionBeforeServes() {
        FakeSession first = a.connect("d");
        pass(SECOND);
        fleet.down = true;
        a.connect("d");
        FakeSession third = a.connect("d"); // its predecessor waits too
        FakeSession other = a.connect("other");
        assertSame(first, a.local.serving("d"));
        assertSame(other, a.local.serving("other"));
        assertEquals(
                List.of(first),
                a.local.page(null, 10, 10, Session::isEstablished).sessions());
        fleet.down = false;
        pass(SECOND);
        assertTrue(third.isEstablished());
        assertSame(third, a.local.serving("d"));
    }

    @Test
    void outage_thatEndsInTime_isNotNoticed() {
        fleet.down = true;
        FakeSession comes = a.connect("comes");
        pass(2 * SECOND);
        fleet.down = false;
        pass(2 * SECOND);
        assertTrue(comes.isEstablished());
        assertTrue(fleet.row("comes").isHeldBy(a.id, comes.sessionId()));
        assertEquals(0, a.counts.get(What.CLAIM_LOCAL));
    }

    @Test
    void outage_withRefuse_refusesWhoIsNotKnownHere() {
        refusing();
        FakeSession first = a.connect("known");
        pass(SECOND);
        fleet.down = true;
        FakeSession stranger = a.connect("stranger");
        FakeSession second = a.connect("known");
        pass(PATIENCE + SECOND);
        assertEquals(CloseReason.AUTH_UNAVAILABLE, stranger.closeFrames.get(0).reason());
        assertTrue(second.isEstablished(), "this node held it");
        assertFalse(first.isEstablished());
        assertNull(a.local.find("stranger"));
    }

    @Test
    void outage_end_rowsOfConnectionsMadeMeanwhileAreWritten() {
        fleet.down = true;
        pass(PATIENCE + SECOND);
        FakeSession comes = a.connect("comes");
        fleet.down = false;
        pass(2 * SECOND);
        assertTrue(fleet.row("comes").isHeldBy(a.id, comes.sessionId()));
        assertEquals(1, a.counts.get(What.SWEEP_REASSERTED));
    }

    @Test
    void outage_end_ofTwoRivalsTheLaterEpochStays() {
        FakeSession first = a.connect("d");
        pass(SECOND);
        fleet.down = true;
        pass(PATIENCE + SECOND);
        FakeSession second = b.connect("d");
        assertTrue(first.isEstablished() && second.isEstablished(), "nobody can know");
        fleet.down = false;
        pass(15 * SECOND);
        assertFalse(first.isEstablished());
        assertTrue(second.isEstablished());
        assertTrue(fleet.row("d").isHeldBy(b.id, second.sessionId()));
    }

    // ------------------------------------------------------------------ taken for lost

    @Test
    void standstill_end_rowsAreWrittenBehindTheNodesOwn() {
        connectMany("stays");
        pass(SECOND);
        fleet.stop(a.id, true);
        passWithoutA(25 * SECOND);
        fleet.stop(a.id, false);
        connectMany("comes"); // before it turns
        writesItsOwnRowFirst();
    }

    /** Of its way to NATS alone. */
    @Test
    void outage_end_rowsAreWrittenBehindTheNodesOwn() {
        pass(SECOND);
        fleet.down = true;
        pass(PATIENCE + SECOND);
        connectMany("comes");
        fleet.down = false;
        Row own = ownRow();
        Row done = NodeRow.done(NodeRow.taken(own, a.id, b.id), b.id);
        assertTrue(fleet.await(b.part.engine.rows().write(NodeRow.key(a.id), done, own.revision())));
        writesItsOwnRowFirst();
    }

    private void connectMany(String names) {
        IntStream.range(0, 20).forEach(i -> a.connect(names + i));
    }

    private Row ownRow() {
        return fleet.row("node a." + a.id.incarnation());
    }

    /** Others are done with it: if it was killed now, nobody would look after what it has written. */
    private void writesItsOwnRowFirst() {
        assertTrue(NodeRow.isDone(ownRow(), a.id));
        for (int i = 0; rowsOfA().noneMatch(Row::held); i++) {
            if (i % 1_000 == 0) {
                a.part.turn();
            }
            fleet.pass(SECOND / 10_000);
        }
        assertTrue(NodeRow.lives(ownRow(), a.id));
        pass(SECOND);
        assertTrue(rowsOfA().allMatch(Row::held));
    }

    private Stream<Row> rowsOfA() {
        return a.local.ids().stream().map(id -> fleet.row(new String(id, StandardCharsets.UTF_8)));
    }

    @Test
    void rows_allDeleted_areWrittenAgainByTheSweep() {
        FakeSession session = a.connect("d");
        pass(SECOND);
        fleet.deleteRows();
        pass(15 * SECOND);
        assertTrue(session.isEstablished());
        assertTrue(fleet.row("d").isHeldBy(a.id, session.sessionId()));
    }

    /** Its row is written over, and its gateway is gone: nobody else knows that it was ever there. */
    @Test
    void claim_overALostGatewaysRowByADeviceThatLeavesAtOnce_tellsTheEndOfTheOneBefore() {
        FakeSession lost = a.connect("d");
        pass(SECOND);
        fleet.kill(a.id);
        FakeSession brief = b.connect("d");
        while (!fleet.row("d").isHeldBy(b.id, brief.sessionId())) {
            fleet.pass(1_000);
        }
        brief.hangUp();
        passWithoutA(3 * SECOND);
        assertFalse(fleet.row("d").held());
        assertEquals(
                List.of(lost.epoch()),
                b.gateway.events.stream()
                        .filter(ConnectionEvent.NodeLost.class::isInstance)
                        .map(event -> event.identity().epoch())
                        .toList());
    }
}
