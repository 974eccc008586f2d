package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.UplinkLog.Arrival;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class UplinkLogTest {

    private static final long ONE = 1_000_001;
    private static final long TWO = -5; // unsigned

    private final UplinkLog log = new UplinkLog();

    private void sent(int... messages) {
        for (int message : messages) {
            log.sent(message, 8);
        }
    }

    @Test
    void came_twice_isDoubled() {
        log.welcomed(ONE);
        sent(1);
        log.welcomed(TWO);
        sent(1, 2);
        assertEquals(Arrival.FIRST, log.came(1, ONE));
        assertEquals(Arrival.DOUBLED, log.came(1, TWO));
        assertEquals(Arrival.FIRST, log.came(2, TWO));
        assertEquals(Arrival.DOUBLED, log.came(1, ONE));
    }

    @Test
    void came_ofTheOlderConnectionBehindTheNewerOne_isInItsPlace() {
        log.welcomed(ONE);
        sent(1, 2);
        log.welcomed(TWO);
        sent(3);
        assertEquals(Arrival.FIRST, log.came(3, TWO));
        assertEquals(Arrival.FIRST, log.came(1, ONE));
        assertEquals(Arrival.FIRST, log.came(2, ONE));
    }

    @Test
    void came_ofTheOlderConnectionSwapped_isOutOfOrderAlthoughSentAgain() {
        log.welcomed(ONE);
        sent(1, 2);
        log.welcomed(TWO);
        sent(1, 2, 3);
        assertEquals(Arrival.FIRST, log.came(2, ONE));
        assertEquals(Arrival.OUT_OF_ORDER, log.came(1, ONE));
    }

    @Test
    void came_refusedAndSentAgainOnTheSameConnection_mayComeBehindNewerOnes() {
        log.welcomed(ONE);
        sent(1, 2, 1, 3);
        assertEquals(Arrival.FIRST, log.came(2, ONE));
        assertEquals(Arrival.FIRST, log.came(1, ONE));
        assertEquals(Arrival.FIRST, log.came(3, ONE));
    }

    @Test
    void came_neverSentOrNotOnThatConnection_isUnknown() {
        log.welcomed(ONE);
        sent(1);
        log.welcomed(TWO);
        sent(2);
        assertEquals(Arrival.UNKNOWN, log.came(3, TWO));
        assertEquals(Arrival.UNKNOWN, log.came(0, TWO));
        assertEquals(Arrival.UNKNOWN, log.came(1, TWO));
        assertEquals(Arrival.UNKNOWN, log.came(1, 77));
        assertEquals(-1, log.bytes(Long.MAX_VALUE));
        assertEquals(-1, log.bytes(Long.MIN_VALUE));
    }

    /** Whatever of a faultless gateway: connections break anywhere, what was committed comes, in the order of its commits. */
    @Test
    void came_faultlessGateway_isNeverAFault() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 300; run++) {
            UplinkLog device = new UplinkLog();
            List<Integer> unacknowledged = new ArrayList<>();
            List<long[]> journal = new ArrayList<>();
            int newest = 0;
            for (int connection = 1; connection <= 4; connection++) {
                device.welcomed(connection);
                List<Integer> pending = new ArrayList<>(unacknowledged);
                unacknowledged.forEach(message -> device.sent(message, 8));
                for (int i = random.nextInt(10); i > 0; i--) {
                    newest++;
                    device.sent(newest, 8);
                    pending.add(newest);
                    unacknowledged.add(newest);
                }
                int committed = random.nextInt(pending.size() + 1);
                int told = random.nextInt(committed + 1);
                for (int i = 0; i < committed; i++) {
                    journal.add(new long[] {pending.get(i), connection});
                    if (i < told) {
                        device.accepted(pending.get(i));
                        unacknowledged.remove(pending.get(i));
                    }
                }
            }
            for (long[] record : journal) {
                Arrival arrival = device.came((int) record[0], record[1]);
                assertTrue(arrival == Arrival.FIRST || arrival == Arrival.DOUBLED, arrival + ", seed " + seed);
            }
            assertTrue(device.missing().isEmpty(), "seed " + seed);
        }
    }
}
