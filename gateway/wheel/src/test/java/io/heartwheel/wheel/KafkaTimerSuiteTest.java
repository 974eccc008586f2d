package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Kafka's own tests of its purgatory timer, run on ours in virtual time: one unit here is one millisecond there. Read, of the package {@code
 * org.apache.kafka.server.util.timer} on its trunk: {@code TimerTest} at 2e5fb8794be6, {@code TimerTaskListTest} at 6d8f061e6373, {@code
 * TimingWheelTest} at 088b333e2675, {@code SystemTimerReaperTest} at 2e5fb8794be6; each test names the case there.
 *
 * <p>Of their 17 cases one has no counterpart, as our timers have no name: {@code SystemTimerReaperTest.testRejectsNullName}.
 *
 * <p>One thing is different throughout. Kafka's timer runs what falls into the present tick at once, up to a tick early; ours never runs anything early.
 */
class KafkaTimerSuiteTest {

    private static final long START = 1_000;
    private static final long TICK = 10;
    private static final int BUCKETS = 4;
    private static final int ALL = Integer.MAX_VALUE;

    private final List<Integer> output = new ArrayList<>();
    private final long seed = Long.getLong("test.seed", System.nanoTime());

    // --- TimerTest: a tick of 1 ---

    private final TimingWheel fine = new TimingWheel(1, BUCKETS, 10_000, 0);
    private final Timers timers = new Timers(fine, () -> 0, Timers.ON_WHEEL_THREAD, 10_000, TimerObserver.NONE);

    @Test
    @DisplayName("TimerTest.testAlreadyExpiredTask")
    void once_negativeDelays_runInTheNextAdvance() {
        for (int i = -5; i < 0; i++) {
            int id = i;
            timers.once(i, () -> output.add(id));
        }
        fine.advance(0, ALL);
        assertEquals(5, output.size());
        assertEquals(Set.of(-5, -4, -3, -2, -1), Set.copyOf(output));
    }

    @Test
    @DisplayName("TimerTest.testTaskExpiration")
    void once_manyDelaysAndOneLongAdvance_runEachOnce() {
        List<Integer> delays = startShuffled();
        fine.advance(0, ALL);
        fine.advance(2_000, ALL);
        Collections.sort(output);
        assertEquals(delays, output, () -> "seed " + seed);
        assertEquals(0, timers.pending());
    }

    @Test
    @DisplayName("TimerTest.testTaskExpiration: turned tick by tick, in order as well")
    void once_manyDelaysAndEveryTick_runEachOnceAtItsTick() {
        List<Integer> delays = startShuffled();
        for (int now = 0; now < 500; now++) {
            fine.advance(now, ALL);
            int last = output.isEmpty() ? -1 : output.get(output.size() - 1);
            assertEquals(delays.contains(now), last == now, "at " + now + ", seed " + seed);
        }
        assertEquals(delays, output, () -> "seed " + seed);
    }

    /** Delays 0 to 4 and 100 to 499 once, 10 to 99 twice, in random order; returns them sorted. */
    private List<Integer> startShuffled() {
        List<Integer> delays = new ArrayList<>();
        for (int delay = 0; delay < 500; delay++) {
            int times = delay < 5 || delay >= 100 ? 1 : 2;
            delays.addAll(Collections.nCopies(delay >= 5 && delay < 10 ? 0 : times, delay));
        }
        List<Integer> shuffled = new ArrayList<>(delays);
        Collections.shuffle(shuffled, new Random(seed));
        shuffled.forEach(delay -> timers.once(delay, () -> output.add(delay)));
        return delays;
    }

    // --- TimerTaskListTest ---

    @Test
    @DisplayName("TimerTaskListTest.testAll")
    void replace_pendingKeys_changesNoCountUntilCancelled() {
        for (int i = 0; i < 10; i++) {
            putUnder(i, 20);
            assertEquals(i + 1, timers.pending());
        }
        fine.advance(0, ALL);
        for (int i = 0; i < 10; i++) {
            putUnder(i, i < 4 ? 2 : 300);
            assertEquals(10, timers.pending());
            assertEquals(10, timers.keys());
        }
        fine.advance(1, ALL);
        assertEquals(10, fine.counters().filed(), "none of the old places is kept");
        for (int i = 0; i < 10; i++) {
            assertTrue(timers.remove(i));
            assertEquals(9 - i, timers.pending());
        }
        fine.advance(1_000, ALL);
        assertEquals(List.of(), output);
        assertEquals(0, fine.counters().registered());
    }

    private void putUnder(int key, long delay) {
        timers.replace(key, Schedule.once(delay), () -> output.add(key));
    }

    @Test
    @DisplayName("TimerTaskListTest.testGetDelay")
    void remaining_halfTheDelayOver_isTheOtherHalf() {
        Timer timer = timers.once(TimeUnit.SECONDS.toNanos(10), () -> {});
        assertEquals(
                TimeUnit.SECONDS.toNanos(5), Deadline.remaining(timer.deadlineNanos(), TimeUnit.SECONDS.toNanos(5)));
    }

    // --- TimingWheelTest: starts at 1000, a tick of 10 ---

    private final TimingWheel wheel = new TimingWheel(TICK, BUCKETS, 100, START);

    @Test
    @DisplayName("TimingWheelTest.testAddValidTask")
    void arm_twoTicksAhead_isFiled() {
        Probe.armed(wheel, START + 2 * TICK);
        wheel.advance(START, ALL);
        assertEquals(1, wheel.counters().filed());
        assertEquals(1, wheel.countArmed());
        assertEquals(START + 2 * TICK, wheel.nextWakeNanos(START));
    }

    @Test
    @DisplayName("TimingWheelTest.testAddExpiredTask")
    void arm_deadlineReached_expiresAtOnceAndIsNotFiled() {
        Probe probe = Probe.armed(wheel, START - 1);
        assertEquals(1, wheel.advance(START, ALL));
        assertEquals(1, probe.expired);
        assertEquals(0, wheel.counters().filed());
    }

    @Test
    @DisplayName("TimingWheelTest.testAddCancelledTask")
    void disarm_beforeItWasFiled_isNeverFiled() {
        Probe probe = new Probe(START + 2 * TICK);
        int handle = wheel.register(probe);
        wheel.arm(handle, START + 2 * TICK);
        assertTrue(wheel.disarm(handle));
        wheel.advance(START, ALL);
        assertFalse(wheel.isArmed(handle));
        assertEquals(0, wheel.counters().filed());
        wheel.advance(START + 10 * TICK, ALL);
        assertEquals(0, probe.expired);
    }

    @Test
    @DisplayName("TimingWheelTest.testAddTaskInCurrentBucket: ours waits for its deadline")
    void arm_deadlineWithinThePresentTick_expiresWithItAndNotBefore() {
        Probe probe = Probe.armed(wheel, START + 5);
        assertEquals(0, wheel.advance(START, ALL));
        assertEquals(0, wheel.advance(START + 4, ALL));
        assertEquals(1, wheel.advance(START + TICK, ALL));
        assertEquals(START + TICK, probe.expiredAtNanos);
    }

    @Test
    @DisplayName("TimingWheelTest.testAdvanceClockWithinTick")
    void advance_withinATick_leavesTheCursor() {
        wheel.advance(START + 5, ALL);
        assertEquals(0, wheel.turner().ring().cursor());
        assertEquals(START, wheel.turner().nanosOf(0));
    }

    @Test
    @DisplayName("TimingWheelTest.testAdvanceClockToNextTick")
    void advance_toTheNextTick_movesTheCursor() {
        wheel.advance(START + TICK, ALL);
        assertEquals(1, wheel.turner().ring().cursor());
        assertEquals(START + TICK, wheel.turner().nanosOf(1));
    }

    @Test
    @DisplayName("TimingWheelTest.testOverflowWheelCreation")
    void arm_moreThanATurnAhead_makesTheNextLevelOnce() {
        assertEquals(1, wheel.turner().ring().height());
        Probe.armed(wheel, START + (BUCKETS + 1) * TICK);
        wheel.advance(START, ALL);
        assertEquals(2, wheel.turner().ring().height());
        Level made = wheel.turner().ring().level(1);
        Probe.armed(wheel, START + (BUCKETS + 1) * TICK + 1);
        wheel.advance(START, ALL);
        assertEquals(2, wheel.turner().ring().height());
        assertSame(made, wheel.turner().ring().level(1));
        assertEquals(2, made.filed());
    }

    @Test
    @DisplayName("TimingWheelTest.testAdvanceClockWithOverflowWheel")
    void advance_overATurn_movesAllLevelsAndExpiresOnTime() {
        Probe probe = Probe.armed(wheel, START + (BUCKETS + 1) * TICK);
        wheel.advance(START, ALL);
        assertEquals(0, wheel.advance(START + BUCKETS * TICK, ALL));
        assertEquals(0, wheel.turner().ring().level(1).filed(), "the tick is near now");
        assertEquals(1, wheel.turner().ring().level(0).filed());
        assertEquals(1, wheel.advance(START + (BUCKETS + 1) * TICK, ALL));
        assertEquals(START + (BUCKETS + 1) * TICK, probe.expiredAtNanos);
        WheelInspector.check(wheel);
    }

    // --- SystemTimerReaperTest: futures that time out ---

    private final TimersRig rig = TimersRig.direct();
    private final PendingResults<String, Integer> waits = waits();

    private PendingResults<String, Integer> waits() {
        return new PendingResults<>(rig.wheel, () -> rig.now, Runnable::run, 100);
    }

    private static void timedOut(CompletableFuture<?> future) {
        assertSame(
                TimeoutException.class,
                assertThrows(ExecutionException.class, future::get).getCause().getClass());
    }

    @Test
    @DisplayName("SystemTimerReaperTest.testReaper")
    void await_nobodyCompletes_eachTimesOutInItsTime() {
        List<CompletableFuture<Integer>> futures =
                List.of(waits.await("a", 100), waits.await("b", 200), waits.await("c", 300));
        for (int done = 0; done < 3; done++) {
            rig.tickTo(done * 100 + 90);
            assertFalse(futures.get(done).isDone());
            rig.tickTo(done * 100 + 100);
            assertTrue(futures.get(done).isDone());
            timedOut(futures.get(done));
        }
        assertTrue(rig.isEmpty());
    }

    @Test
    @DisplayName("SystemTimerReaperTest.testReaperClose")
    void stop_timersAndWaits_endsEachOnceAndLeavesNothing() {
        Timer timer = rig.timers.once(100, rig.task());
        CompletableFuture<Integer> future = waits.await("a", 100);
        assertEquals(List.of(timer), rig.timers.stop());
        assertTrue(rig.timers.isStopped());
        assertFalse(future.isDone(), "who shares the wheel is left alone");
        assertEquals(1, waits.stop());
        assertTrue(future.isDone());
        assertEquals(0, waits.stop());
        assertTrue(rig.isEmpty());
    }

    @Test
    @DisplayName("SystemTimerReaperTest.testSharedTimerBetweenConsumers")
    void await_twoConsumersOfOneWheel_oneGoesOnWhenTheOtherStops() {
        PendingResults<String, Integer> others = waits();
        CompletableFuture<Integer> mine = waits.await("a", 100);
        CompletableFuture<Integer> theirs = others.await("a", 200);
        rig.tickTo(200);
        timedOut(mine);
        timedOut(theirs);
        waits.stop();
        CompletableFuture<Integer> late = others.await("a", 100);
        rig.tickTo(290);
        assertFalse(late.isDone());
        rig.tickTo(300);
        timedOut(late);
        assertTrue(rig.isEmpty());
    }

    @Test
    @DisplayName("SystemTimerReaperTest.testRejectsNullTimer")
    void waits_nulls_areRefused() {
        assertThrows(NullPointerException.class, () -> new PendingResults<>(null, () -> 0, Runnable::run, 1));
        assertThrows(NullPointerException.class, () -> new PendingResults<>(wheel, null, Runnable::run, 1));
        assertThrows(NullPointerException.class, () -> new PendingResults<>(wheel, () -> 0, null, 1));
    }
}
