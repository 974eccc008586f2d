package io.heartwheel.loadgen.client;

import static io.heartwheel.loadgen.client.Rig.MILLI;
import static io.heartwheel.loadgen.client.Rig.WELCOME;
import static io.heartwheel.loadgen.client.Rig.close;
import static io.heartwheel.loadgen.client.Rig.pong;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A second connection under the same id, and what becomes of the first. */
final class TakeoverTest {

    private static final ActionTime AT_ONCE = new ActionTime(0, 0);

    private final Rig rig = new Rig();

    @AfterEach
    void tidy() {
        rig.close();
    }

    private Device moved(Behaviour behaviour) {
        Device device = rig.welcomed(behaviour);
        rig.step(device);
        assertEquals(2, rig.channels.size());
        return device;
    }

    private EmbeddedChannel older() {
        return rig.channels.get(0);
    }

    @Test
    void duplicateId_momentCome_saysHelloOnASecondConnection() {
        Device device = moved(Behaviours.duplicateId(AT_ONCE));
        assertTrue(rig.sent().startsWith("0100002b4857"));
        assertTrue(older().isOpen());
        assertEquals(0, device.hop());
        assertFalse(device.superseded().isUnreachable());
        rig.receive(WELCOME);
        assertEquals(List.of("opened", "took over"), rig.seen);
        assertTrue(device.tookOver());
        rig.receive(older(), close(4409));
        older().close();
        assertEquals("predecessor ended CLOSE 4409", rig.seen.get(2));
        assertTrue(device.superseded().isTakenOver());
        rig.step(device);
        assertTrue(rig.seen.contains("beat lag 0"), "the newer one beats");
        rig.runTo(device, 60_000);
        assertEquals(2, rig.channels.size(), "it moves once");
    }

    @Test
    void predecessor_closedBeforeTheWelcome_isTakenOverAllTheSame() {
        Device device = moved(Behaviours.duplicateId(AT_ONCE));
        rig.receive(older(), close(4409));
        older().close();
        rig.receive(WELCOME);
        assertEquals(List.of("predecessor ended CLOSE 4409", "opened", "took over"), rig.seen);
        assertTrue(device.superseded().hasEnded());
    }

    @Test
    void predecessor_diedOfItsOwnSilenceBeforeTheWelcome_isNoTakeover() {
        Device device = moved(Behaviours.duplicateId(AT_ONCE));
        rig.now += 3_001 * MILLI;
        rig.receive(older(), close(4001));
        older().close();
        rig.receive(WELCOME);
        assertEquals(List.of("predecessor ended CLOSE 4001", "opened"), rig.seen);
        assertNull(device.superseded());
        assertFalse(device.tookOver());
    }

    @Test
    void predecessor_asked_saysNothing() {
        moved(Behaviours.duplicateId(AT_ONCE));
        Rig.sent(older());
        rig.receive(older(), "03000003cafe01");
        assertNull(Rig.sent(older()));
    }

    @Test
    void predecessor_withHalfAFrame_readsItsOwnRestAndTheNewOneItsOwn() {
        Device device = rig.welcomed(Behaviours.duplicateId(AT_ONCE));
        rig.receive(close(4409).substring(0, 6));
        rig.step(device);
        rig.receive(WELCOME);
        assertEquals(List.of("opened", "took over"), rig.seen);
        rig.receive(older(), close(4409).substring(6));
        assertEquals("predecessor ended CLOSE 4409", rig.seen.get(2));
    }

    @Test
    void natRebind_momentCome_leavesTheOldOneInTheDark() {
        Device device = moved(Behaviours.natRebind(AT_ONCE));
        assertTrue(device.superseded().isUnreachable());
        assertFalse(older().config().isAutoRead());
        assertEquals(0, device.hop());
        assertFalse(device.isUnreachable(), "the new one hears");
        rig.receive(WELCOME);
        rig.step(device);
        rig.receive(pong(1));
        assertEquals("answered 0 uncorrected 0", rig.seen.get(rig.seen.size() - 1));
    }

    @Test
    void roaming_momentCome_goesToAnotherAddress() {
        assertEquals(1, moved(Behaviours.roaming(AT_ONCE)).hop());
    }

    @Test
    void successor_closed_endsAsTheDeviceDoes() {
        Device device = moved(Behaviours.duplicateId(AT_ONCE));
        rig.receive(WELCOME + close(4409));
        assertEquals(List.of("opened", "took over", "ended CLOSE 4409"), rig.seen);
        assertTrue(device.isFinished());
    }

    @Test
    void leave_withAPredecessor_endsBoth() {
        Device device = moved(Behaviours.natRebind(AT_ONCE));
        rig.receive(WELCOME);
        device.leave();
        assertFalse(older().isOpen());
        assertFalse(rig.channel().isOpen());
    }
}
