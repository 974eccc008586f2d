package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.wheel.TimingWheel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time is handed in; each loop is a queue that the test works off. */
class WatchdogRoundTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PERIOD = 1_000 * MILLI;
    private static final int LOOPS = 3;

    private long nowNanos = Long.MAX_VALUE - 700 * MILLI;
    private final TimingWheel wheel = new TimingWheel(10 * MILLI, 64, 16, nowNanos);
    private final List<Queue<Runnable>> queues = new ArrayList<>();
    private boolean ended;
    private int fed;

    WatchdogRoundTest() {
        List<Executor> loops = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            Queue<Runnable> queue = new ArrayDeque<>();
            queues.add(queue);
            loops.add(task -> execute(queue, task));
        }
        new WatchdogRound(wheel, loops, () -> nowNanos, PERIOD, () -> fed++);
    }

    private void execute(Queue<Runnable> queue, Runnable task) {
        if (ended) {
            throw new RejectedExecutionException();
        }
        queue.add(task);
    }

    private void pass(long millis) {
        for (long i = 0; i < millis; i += 10) {
            nowNanos += 10 * MILLI;
            while (wheel.advance(nowNanos, 100) > 0) {
                // until nothing is due
            }
        }
    }

    /**
     * One loop turns once.
     *
     * @return whether there was anything to do
     */
    private boolean turn(int loop) {
        Runnable task = queues.get(loop).poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    private void turnAll() {
        for (int i = 0; i < LOOPS; i++) {
            turn(i);
        }
    }

    @Test
    void round_everythingTurns_feedsOncePeriod() {
        for (int round = 1; round <= 10; round++) {
            pass(1_000);
            turnAll();
            pass(10);
            turnAll();
            assertEquals(round, fed);
        }
    }

    /** The one {@code long} by which the wheel is told that there is no deadline. */
    @Test
    void round_dueAtTheLowestTime_feedsAllTheSame() {
        nowNanos = Long.MIN_VALUE - PERIOD;
        TimingWheel own = new TimingWheel(10 * MILLI, 64, 16, nowNanos);
        new WatchdogRound(own, List.of(Runnable::run), () -> nowNanos, PERIOD, () -> fed++);
        for (int round = 1; round <= 3; round++) {
            nowNanos += PERIOD + 10 * MILLI;
            own.advance(nowNanos, 100);
            assertEquals(round, fed);
        }
    }

    /** The token passes each loop: none can be left out. */
    @Test
    void round_anyOneLoopStands_feedsNothing() {
        for (int standing = 0; standing < LOOPS; standing++) {
            int before = fed;
            for (int second = 0; second < 30; second++) {
                pass(1_000);
                for (int i = 0; i < LOOPS; i++) {
                    if (i != standing) {
                        turn(i);
                    }
                }
            }
            assertEquals(before, fed, "loop " + standing + " stands");
            turnAll();
            assertEquals(before + 1, fed, "it goes on");
        }
    }

    @Test
    void round_wheelStands_feedsNothing() {
        nowNanos += 30 * PERIOD;
        turnAll();

        assertEquals(0, fed);
    }

    /** However long one stood, there is one token and one sign of life, and the next round begins at once. */
    @Test
    void round_longerThanThePeriod_isFollowedAtOnceByOne() {
        pass(1_020);
        turn(0);
        pass(7_000);
        turn(1);
        turn(2);
        assertEquals(1, fed);
        pass(20);
        turnAll();
        assertEquals(2, fed);
        pass(20);
        turnAll();
        assertEquals(2, fed);
    }

    @Test
    void round_loopsEnded_isTheLast() {
        ended = true;
        pass(3_000);

        assertEquals(0, fed);
        assertEquals(0, wheel.counters().failed());
    }
}
