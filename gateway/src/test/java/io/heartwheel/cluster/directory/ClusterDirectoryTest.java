package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.Directory;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two gateways, sessions without channels, and an engine that comes and goes in virtual time. */
class ClusterDirectoryTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE = MemoryGateway.PATIENCE_NANOS;

    private final MemoryFleet fleet = new MemoryFleet(1);
    private long sessions;

    /** A gateway of the fleet. */
    private final class Node {
        final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        final SessionRegistry local;
        final MemoryGateway part;
        final NodeId id;
        final ClusterCounts counts;
        final ClusterDirectory directory;

        Node(String name, long wallMicros, OnOutage onOutage) {
            local = new SessionRegistry(fleet::now, () -> wallMicros + fleet.now() / 1_000, 0);
            part = new MemoryGateway(fleet, name, local, onOutage, gateway.sessionContext.sink());
            id = part.id;
            counts = part.counts;
            directory = part.directory;
        }

        FakeSession connect(String device) {
            return new FakeSession(FakeSession.claimingFrom(directory, gateway.sessionContext))
                    .accept(++sessions)
                    .hello(device, "");
        }

        CloseReason lastReason() {
            return gateway.evidence.get(gateway.evidence.size() - 1).reason();
        }
    }

    private Node a = new Node("a", 5_000_000, OnOutage.LOCAL);
    private Node b = new Node("b", 9_000_000, OnOutage.LOCAL);

    private void pass(long nanos) {
        for (long passed = 0; passed < nanos; passed += SECOND / 10) {
            fleet.pass(SECOND / 10);
            a.part.turn();
            b.part.turn();
        }
    }

    private void refusing() {
        a = new Node("a2", 5_000_000, OnOutage.REFUSE);
    }

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

    @Test
    void kick_ofAnEarlierEpoch_changesNothing() {
        FakeSession session = a.connect("d");
        pass(SECOND);
        BusMessage late = new BusMessage(Command.KICK, session.epoch(), 77, b.id, "d".getBytes(StandardCharsets.UTF_8));
        fleet.await(fleet.join(new NodeId("c", 1)).bus().request(a.id, late.encode()));
        assertTrue(session.isEstablished());
    }

    @Test
    void kick_thatComesBeforeTheGrantIsKnown_closesBehindIt() {
        FakeSession session = a.connect("d");
        BusMessage kick = new BusMessage(Command.KICK, Long.MAX_VALUE, 77, b.id, "d".getBytes(StandardCharsets.UTF_8));
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
                        new BusMessage(Command.KICK, epoch + 1, 77, new NodeId("c", 1), claimed.deviceIdBytes());
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
        for (int i = 0; i < 30; i++) {
            fleet.pass(SECOND / 10);
            b.part.turn();
        }
        assertFalse(fleet.row("d").held());
        assertEquals(
                List.of(lost.epoch()),
                b.gateway.events.stream()
                        .filter(ConnectionEvent.NodeLost.class::isInstance)
                        .map(event -> event.identity().epoch())
                        .toList());
    }
}
