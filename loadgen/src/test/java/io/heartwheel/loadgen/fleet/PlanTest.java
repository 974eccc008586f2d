package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.Habits;
import io.heartwheel.loadgen.scenario.Protocol;
import io.heartwheel.loadgen.scenario.Target;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlanTest {

    private static final long MILLI = 1_000_000L;
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress("127.0.0.1", 7070);

    private static Plan plan(int clients, long durationMillis, int sourceBlock) {
        List<Target> targets =
                List.of(Target.of(Protocol.TCP, LOOPBACK, "", 1), Target.of(Protocol.WS, LOOPBACK, "/ws", 1));
        Habits habits = new Habits(2_000, 0.9, 0, 150, "", "t-", 16, MILLI);
        return new Plan(
                targets,
                clients,
                1_000,
                durationMillis * MILLI,
                habits,
                0.1,
                0,
                1,
                2,
                sourceBlock,
                Contract.of(20, 20));
    }

    @Test
    void checked_durationTooShort_saysHowLongItMustBe() {
        String message = assertThrows(IllegalArgumentException.class, () -> plan(100, 3_000, 0)
                        .checked())
                .getMessage();
        assertEquals(
                "duration = 3000ms: need at least 9601ms to see devices with an interval of 2000ms fall silent and be closed",
                message);
        plan(100, 9_601, 0).checked();
    }

    @Test
    void roster_silentDevices_fallSilentInTheWindowAndInBothProtocols() {
        Plan plan = plan(1_000, 16_000, 0);
        Roster roster = new Roster(plan);
        int[] byKind = new int[2];
        for (int i = 0; i < 1_000; i++) {
            long from = roster.silentAfterNanos(i);
            if (from != Device.NEVER) {
                byKind[roster.kind(i)]++;
                assertTrue(from >= plan.silenceFromNanos() && from <= plan.silenceUntilNanos());
            }
        }
        assertEquals(100, byKind[0] + byKind[1]);
        assertTrue(byKind[0] > 25 && byKind[1] > 25);
    }

    @Test
    void roster_source_isBoundOnlyBeyondTheFirstBlockOfLoopbackConnections() {
        Roster first = new Roster(plan(40_001, 16_000, 0));
        Target target = Target.of(Protocol.TCP, LOOPBACK, "", 1);
        assertNull(first.source(19_999, target));
        assertEquals("127.1.1.1", first.source(20_000, target).getHostString());
        assertEquals("127.1.2.1", first.source(40_000, target).getHostString());
        assertEquals(
                "127.2.44.1", new Roster(plan(1, 16_000, 300)).source(0, target).getHostString());
        Target far = Target.of(Protocol.TCP, new InetSocketAddress("192.0.2.1", 7070), "", 1);
        assertNull(first.source(40_000, far));
    }

    @Test
    void target_text_isReadOrRefusedWithWhatIsNeeded() {
        assertEquals(Protocol.RAW_WS, Protocol.of("raw-ws"));
        assertEquals(
                "tcp=127.0.0.1:7070", Target.of(Protocol.TCP, LOOPBACK, "", 1).label());
        assertThrows(IllegalArgumentException.class, () -> Protocol.of("ftp"));
    }
}
