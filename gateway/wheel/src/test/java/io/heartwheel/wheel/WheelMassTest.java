package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Very many due in one tick: worked off in slices, nothing lost, nothing twice, and what is due after them no later than their number explains. */
class WheelMassTest {

    private static final long TICK = 10_000_000;
    private static final int SLICE = 1_024;
    private static final int OTHERS = 100;

    private final class Entry implements Timed {
        final long deadline;
        int expired;
        int slice;

        Entry(long deadline) {
            this.deadline = deadline;
            wheel.arm(wheel.register(this), deadline);
        }

        @Override
        public long deadlineNanos() {
            return deadline;
        }

        @Override
        public void expire(long nowNanos) {
            assertTrue(nowNanos - deadline >= 0, "early");
            expired++;
            slice = slices;
        }
    }

    private final TimingWheel wheel = new TimingWheel(TICK, 512, 1_100_000, 0);
    private long now;
    private int slices;

    private void takeAll() {
        do {
            wheel.advance(now, Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
    }

    private Entry[] due(int count, long first, long step) {
        Entry[] entries = new Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] = new Entry(first + i * step);
        }
        return entries;
    }

    private static void assertEachOnce(Entry[] entries) {
        assertTrue(Arrays.stream(entries).allMatch(entry -> entry.expired == 1));
    }

    /** Half a second between two slices would be a very slow machine; the wheel is asked at each whether it wants to go on at once. */
    private void sliceBySlice(long nanosASlice) {
        while (wheel.nextWakeNanos(now) - now <= TICK) {
            now = Math.max(now, wheel.nextWakeNanos(now));
            assertTrue(wheel.advance(now, SLICE) <= SLICE);
            slices++;
            now += nanosASlice;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 1_000_000})
    void advance_massInOneTick_isWorkedOffInSlicesAndEachExpiresOnce(int mass) {
        Entry[] many = due(mass, 2_000_000_000, 0);
        Entry[] others = due(OTHERS, 2_000_000_000 + TICK, TICK);
        takeAll();
        now = 2_000_000_000;
        sliceBySlice(TICK / 10);
        assertEachOnce(many);
        assertEachOnce(others);
        int needed = (mass + SLICE - 1) / SLICE;
        assertEquals(
                needed, Arrays.stream(many).mapToInt(entry -> entry.slice).max().orElse(0) + 1);
        // All that became due meanwhile comes with the next slice, and not one after the other.
        long during = (long) needed * TICK / 10 / TICK;
        for (Entry other : others) {
            long behind = (other.deadline - 2_000_000_000) / TICK;
            if (behind < during) {
                assertEquals(needed, other.slice, 1, "of tick " + behind);
            }
        }
    }

    @Test
    void advance_newcomersDuringTheMass_areNotStarvedAndDoNotStarveIt() {
        Entry[] many = due(100_000, 2_000_000_000, 0);
        takeAll();
        now = 2_000_000_000;
        Entry[] newcomers = new Entry[400];
        for (int i = 0; i < newcomers.length; i++) {
            wheel.advance(now, SLICE);
            slices++;
            now += TICK;
            newcomers[i] = new Entry(now);
        }
        sliceBySlice(0);
        assertEachOnce(many);
        assertEachOnce(newcomers);
        int last = Arrays.stream(many).mapToInt(entry -> entry.slice).max().orElse(0);
        assertEquals(100_000.0 / SLICE, last, 1, "newcomers held the mass up");
        for (int i = last + 2; i < newcomers.length; i++) {
            assertEquals(i + 1, newcomers[i].slice, 1, "held up by what was over");
        }
    }

    @Test
    void advance_massAfterASuspendOfHours_isWorkedOffWithoutASpin() {
        Entry[] many = due(100_000, 1_000_000_000, 100_000);
        takeAll();
        now = 6L * 3_600_000_000_000L;
        sliceBySlice(0);
        assertEachOnce(many);
        assertEquals(100_000 / SLICE + 1, slices);
        assertTrue(wheel.nextWakeNanos(now) - now > 1L << 61, "sleeps");
    }
}
