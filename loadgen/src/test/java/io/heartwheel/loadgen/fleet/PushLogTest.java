package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Pushes that are due to a device, and those no longer due when it leaves. */
final class PushLogTest {

    private static final long LATE = 20;

    private final PushLog log = new PushLog(true, 0);

    private static PushLog.Due due(int sequence, boolean accepted, long by) {
        PushOutcome.Said said = accepted ? PushOutcome.Said.ACCEPTED : PushOutcome.Said.ABSENT;
        return new PushLog.Due(sequence, said, "202", by - 10, by - 5, by);
    }

    @Test
    void deaf_whatMayLieUnread_isDueNoMore() {
        PushLog.Due due = due(1, true, 100);
        log.owe(due);
        // It goes at 150, but what came after 90 has not been read: that is the generator's own standstill.
        assertEquals(List.of(due), log.deaf(150, 90, LATE));
        assertEquals(List.of(), log.due());
    }

    @Test
    void deaf_whatIsOverdueForLong_staysDue() {
        PushLog.Due due = due(1, true, 100);
        log.owe(due);
        assertEquals(List.of(), log.deaf(150, 120, LATE));
        assertEquals(List.of(due), log.due());
    }

    @Test
    void deaf_whatIsOverdueForShort_isLateAtMost() {
        PushLog.Due due = due(1, true, 101);
        log.owe(due);
        assertEquals(List.of(due), log.deaf(150, 120, LATE));
    }

    @Test
    void deaf_aRefusal_isProvenWhenAllWasRead() {
        PushLog.Due refused = due(1, false, 100);
        log.owe(refused);
        assertEquals(List.of(), log.deaf(150, 100, LATE));
        assertEquals(List.of(refused), log.due());
    }

    @Test
    void came_eachOrder_isWhatItIs() {
        assertEquals(PushLog.Arrival.NEXT, log.came(2));
        assertEquals(PushLog.Arrival.OVERTAKEN, log.came(1));
        assertTrue(log.reported(1));
        assertEquals(PushLog.Arrival.DOUBLED, log.came(1));
        log.reported(3);
        log.owe(due(3, true, 100));
        assertEquals(PushLog.Arrival.NEXT, log.came(4));
        assertEquals(PushLog.Arrival.DISORDERED, log.came(3));
        assertFalse(log.reported(4));
    }

    @Test
    void due_damagedMessages_wereSomeOfThese() {
        log.owe(due(1, true, 100));
        log.owe(due(2, true, 100));
        log.damaged();
        assertEquals(List.of(due(2, true, 100)), log.due());
    }

    @Test
    void listened_overAConnection_isKnownForThisAndTheOneBefore() {
        assertTrue(log.listened(10, 1_000));
        log.deaf(50, 0, LATE);
        assertTrue(log.listened(10, 50));
        assertFalse(log.listened(10, 51));
        assertTrue(log.wasDeaf(51, 60));
        log.listens(70);
        assertTrue(log.listened(10, 50));
        assertFalse(log.listened(60, 80));
        assertFalse(log.wasDeaf(51, 80));
        assertFalse(new PushLog(false, 100).wasDeaf(90, 110));
    }
}
