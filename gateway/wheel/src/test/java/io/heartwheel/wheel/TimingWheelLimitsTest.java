package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Budgets, handles that run out and come back, entries that throw, and what is told of it all. */
class TimingWheelLimitsTest {

    private static final long TICK = 10;
    private static final int ALL = Integer.MAX_VALUE;

    /** Writes down what it is told. */
    private static final class Notes implements WheelObserver {
        final List<String> turned = new ArrayList<>();
        final List<Timed> failedEntries = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();

        @Override
        public void turned(int expired, int moved, long lagNanos) {
            turned.add(expired + " expired, " + moved + " moved, lag " + lagNanos);
        }

        @Override
        public void failed(Timed timed, Throwable failure) {
            failedEntries.add(timed);
            failures.add(failure);
        }
    }

    private final Notes notes = new Notes();

    private TimingWheel wheel(int maxEntries, int maxLooks) {
        return new TimingWheel(TICK, 8, maxEntries, 0, notes, maxLooks);
    }

    // --- budget ---

    @Test
    void advance_moreMarksThanLooks_takesTheRestNextTime() {
        TimingWheel wheel = wheel(20_000, 100);
        for (int i = 0; i < 20_000; i++) {
            Probe.armed(wheel, 10);
        }
        int turns = 0;
        int expired = 0;
        while (expired < 20_000) {
            expired += wheel.advance(10, ALL);
            turns++;
            WheelInspector.check(wheel);
        }
        assertTrue(turns >= 20_000 / 164, "a call stops after the word in which it passes 100: " + turns);
        assertEquals(20_000, wheel.counters().handedOver());
    }

    @Test
    void advance_moreMovesThanLooks_goesOnNextTime() {
        TimingWheel wheel = wheel(100, 10);
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            probes.add(Probe.armed(wheel, 30));
        }
        wheel.advance(0, ALL);
        probes.forEach(probe -> probe.deadlineNanos = 50);
        Probe.armed(wheel, 40);
        int expired = 0;
        int turns = 0;
        while (expired == 0) {
            expired = wheel.advance(40, ALL);
            WheelInspector.check(wheel);
            turns++;
        }
        assertTrue(turns > 1, "the moves alone fill a turn");
        assertEquals(10, wheel.counters().moved());
    }

    // --- handles ---

    @Test
    void register_allHandlesInUse_isRefusedWithTheLimitNamed() {
        TimingWheel wheel = wheel(2, 100);
        wheel.register(new Probe(0));
        wheel.register(new Probe(0));
        assertEquals(TimingWheel.NO_HANDLE, wheel.tryRegister(new Probe(0)));
        WheelFullException refusal = assertThrows(WheelFullException.class, () -> wheel.register(new Probe(0)));
        assertEquals("wheel.maxEntries = 2: every handle is in use", refusal.getMessage());
        assertEquals(2, refusal.maxEntries());
        assertEquals(2, wheel.counters().rejected());
    }

    @Test
    void advance_belatedMarkOfAFreeCell_leavesItAlone() {
        TimingWheel wheel = wheel(10_000, 100);
        for (int i = 0; i < 10_000; i++) {
            wheel.register(new Probe(0));
        }
        // Freed in this order, the first one's link to the next free cell is no place that ever was.
        wheel.release(9_999);
        wheel.advance(0, ALL);
        wheel.release(0);
        wheel.advance(0, ALL);
        wheel.dirty().mark(0);
        wheel.advance(TICK, ALL);
        WheelInspector.check(wheel);
        assertEquals(0, wheel.register(new Probe(0)));
        assertEquals(9_999, wheel.register(new Probe(0)));
    }

    @Test
    void use_releasedHandle_isRefused() {
        TimingWheel wheel = wheel(1, 100);
        int handle = wheel.register(new Probe(0));
        wheel.release(handle);
        for (int i = 0; i < 2; i++) {
            assertThrows(IllegalStateException.class, () -> wheel.arm(handle, 1));
            assertThrows(IllegalStateException.class, () -> wheel.disarm(handle));
            assertThrows(IllegalStateException.class, () -> wheel.release(handle));
            wheel.advance(TICK, ALL);
        }
        WheelInspector.check(wheel);
        assertEquals(0, wheel.counters().registered());
    }

    @Test
    void release_whileTheTurnerSleeps_wakesItWhenHandlesRunOut() {
        TimingWheel wheel = wheel(16, 100);
        int[] wakes = new int[1];
        wheel.wokenBy(() -> wakes[0]++);
        int[] handles = new int[16];
        for (int i = 0; i < 16; i++) {
            handles[i] = wheel.register(new Probe(0));
        }
        wheel.beginSleep(0);
        wheel.release(handles[0]);
        assertEquals(0, wakes[0], "one in sixteen is no hurry");
        assertEquals(0, wheel.tryRegister(new Probe(0)) + 1);
        assertEquals(1, wakes[0], "somebody needs it");
        wheel.advance(TICK, ALL);
        wheel.beginSleep(TICK);
        wheel.release(handles[1]);
        wheel.release(handles[2]);
        assertEquals(2, wakes[0], "an eighth is waiting");
    }

    // --- entries that throw ---

    @Test
    void expire_throws_isCountedAndTheOthersExpire() {
        TimingWheel wheel = wheel(10, 100);
        Probe bad = Probe.armed(wheel, 10);
        Error failure = new StackOverflowError("as planned");
        bad.then = () -> {
            throw failure;
        };
        Probe good = Probe.armed(wheel, 10);
        Probe later = Probe.armed(wheel, 20);
        assertEquals(2, wheel.advance(10, ALL));
        assertEquals(1, wheel.advance(20, ALL));
        assertEquals(1, good.expired);
        assertEquals(1, later.expired);
        assertEquals(List.of(bad), notes.failedEntries);
        assertSame(failure, notes.failures.get(0));
        assertEquals(1, wheel.counters().failed());
    }

    @Test
    void deadlineNanos_throws_disarmsAndNeverExpires() {
        TimingWheel wheel = wheel(10, 100);
        Timed bad = new Timed() {
            @Override
            public long deadlineNanos() {
                throw new IllegalStateException("as planned");
            }

            @Override
            public void expire(long nowNanos) {
                throw new AssertionError("expired");
            }
        };
        int handle = wheel.register(bad);
        wheel.arm(handle, 10);
        assertEquals(0, wheel.advance(100, ALL));
        assertFalse(wheel.isArmed(handle));
        assertEquals(List.of(bad), notes.failedEntries);
        assertEquals(1, wheel.counters().failed());
        WheelInspector.check(wheel);
    }

    @Test
    void observer_throws_isCountedAndGoesNoFurther() {
        WheelObserver bad = new WheelObserver() {
            @Override
            public void turned(int expired, int moved, long lagNanos) {
                throw new IllegalStateException("as planned");
            }

            @Override
            public void failed(Timed timed, Throwable failure) {
                throw new IllegalStateException("as planned", failure);
            }
        };
        TimingWheel wheel = new TimingWheel(TICK, 8, 10, 0, bad);
        Probe.armed(wheel, 10).then = () -> {
            throw new IllegalStateException("as planned");
        };
        assertEquals(1, wheel.advance(10, ALL));
        assertEquals(3, wheel.counters().failed());
    }

    // --- what is told ---

    @Test
    void turned_somethingMet_tellsBatchMovesAndLag() {
        TimingWheel wheel = wheel(10, 100);
        Probe moves = Probe.armed(wheel, 30);
        Probe.armed(wheel, 30);
        Probe.armed(wheel, 50);
        wheel.advance(0, ALL);
        assertEquals(List.of(), notes.turned);
        moves.deadlineNanos = 70;
        wheel.advance(54, ALL);
        assertEquals(List.of("2 expired, 1 moved, lag 24"), notes.turned);
        assertEquals(24, wheel.counters().lagNanos());
        wheel.advance(69, ALL);
        assertEquals(1, notes.turned.size(), "nothing met, nothing told");
        wheel.advance(70, ALL);
        assertEquals("1 expired, 0 moved, lag 0", notes.turned.get(1));
    }

    @Test
    void counters_afterALife_addUp() {
        TimingWheel wheel = wheel(10, 100);
        Probe far = Probe.armed(wheel, 8 * 8 * TICK + 75);
        int disarmed = wheel.register(new Probe(20));
        wheel.arm(disarmed, 20);
        wheel.advance(0, ALL);
        wheel.disarm(disarmed);
        for (long now = 0; now <= 1_000; now += TICK) {
            wheel.advance(now, ALL);
        }
        assertEquals(1, far.expired);
        assertEquals(2, wheel.counters().handedOver());
        assertEquals(1, wheel.counters().expired());
        assertEquals(0, wheel.counters().moved());
        assertEquals(2, wheel.counters().cascaded(), "from level 2 to level 1 to level 0");
        assertEquals(1, wheel.counters().dropped());
        assertEquals(0, wheel.counters().filed());
        assertEquals(2, wheel.counters().registered());
        assertEquals(10, wheel.maxEntries());
        assertEquals(TICK, wheel.tickNanos());
    }
}
