package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heartwheel.session.SessionObserver;
import io.heartwheel.wheel.TimingWheel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A loop that is probed while it has something to do, and sleeps while it has not. */
class LoopLagProbeTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    /** So that the clock wraps on the way. */
    private static final long START = Long.MAX_VALUE - 20 * SECOND;

    private long nowNanos = START;
    private @Nullable Runnable timer;
    private long timerNanos;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Long> stalled = new ArrayList<>();
    private final LoopLag lag = new LoopLag();
    private final TimingWheel wheel = new TimingWheel(10 * MILLI, 512, 8, START);
    private final WheelPulse pulse = new WheelPulse(wheel, () -> nowNanos, SECOND, StallSettings.DEFAULTS, () -> {});
    private final Stalls stalls = new Stalls(0, StallSettings.DEFAULTS, START, new SessionObserver() {
        @Override
        public void stalled(int loop, long nanos) {
            stalled.add(nanos);
        }
    });
    private final LoopLagProbe probe = new LoopLagProbe(lag, stalls, pulse, () -> nowNanos, new LoopTasks() {
        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void executeAfterReads(Runnable task) {
            throw new AssertionError();
        }

        @Override
        public void executeIn(Runnable task, long nanos) {
            assertNull(timer, "one at a time");
            timer = task;
            timerNanos = nowNanos + nanos;
        }
    });

    @BeforeEach
    void begin() {
        pulse.begin();
        probe.begin();
        pass(SECOND);
    }

    /** The wheel turns when it asks for it, and the loop runs what is due. */
    private int pass(long nanos) {
        long untilNanos = nowNanos + nanos;
        int runs = 0;
        while (untilNanos - nowNanos > 0) {
            nowNanos += Math.min(10 * MILLI, untilNanos - nowNanos);
            if (wheel.nextWakeNanos(nowNanos) - nowNanos <= 0) {
                wheel.advance(nowNanos, 10);
            }
            runs += runTimer();
        }
        return runs;
    }

    private int runTimer() {
        Runnable due = timer;
        if (due == null || timerNanos - nowNanos > 0) {
            return 0;
        }
        timer = null;
        due.run();
        return 1;
    }

    @Test
    void run_nothingToDo_isNotScheduled() {
        assertNull(timer);
        assertEquals(0, pass(3_600 * SECOND));
        stalls.turned(nowNanos);
        assertEquals(List.of(), stalled, "an hour of nothing is no stall");
        assertEquals(1, pass(3_600 * SECOND), "one look behind what there was to do");
    }

    @Test
    void run_somethingToDoAllTheTime_isEachPeriod() {
        int runs = 0;
        for (int i = 0; i < 50; i++) {
            stalls.turned(nowNanos);
            runs += pass(100 * MILLI);
        }
        assertEquals(50, runs);
    }

    @Test
    void run_aShortDeadline_isEachPeriodUntilNobodyHasOne() {
        stalls.exact(1);
        assertEquals(100, pass(10 * SECOND));
        stalls.exact(-1);
        pass(SECOND);
        assertEquals(0, pass(10 * SECOND));
        assertEquals(List.of(), stalled);
    }

    @Test
    void stall_whileRunning_isSinceTheLastTurn() {
        stalls.turned(nowNanos);
        nowNanos += 5 * SECOND;
        runTimer();
        assertEquals(List.of(5 * SECOND), stalled);
        assertEquals(5 * SECOND - Stalls.PERIOD_NANOS, lag.lastNanos());
    }

    @Test
    void standstill_whileIdle_isCredited() {
        pass(10 * SECOND);
        long heardNanos = nowNanos - 3 * SECOND;
        long beforeNanos = pulse.lastBeatNanos();
        nowNanos += 5 * SECOND;
        stalls.turned(nowNanos);
        assertEquals(List.of(nowNanos - beforeNanos), stalled, "from the beat before");
        assertEquals(nowNanos - beforeNanos, stalls.dueNanos(heardNanos, 60 * SECOND) - heardNanos - 60 * SECOND);
    }

    @Test
    void standstill_longAgoWhileIdle_isCreditedWhenTheLoopTurns() {
        pass(10 * SECOND);
        nowNanos += 5 * SECOND;
        pass(30 * SECOND);
        assertEquals(List.of(), stalled);
        stalls.turned(nowNanos);
        assertEquals(1, stalled.size());
        assertEquals(5.5 * SECOND, stalled.get(0), 0.6 * SECOND);
    }

    @Test
    void answer_lateWhileIdle_isAStallSinceItWasAsked() {
        pass(10 * SECOND);
        long askedNanos = nowNanos;
        pass(3 * SECOND);
        stalls.turned(nowNanos, askedNanos);
        assertEquals(List.of(3 * SECOND), stalled);
    }

    @Test
    void answer_lateAsTheProcessWas_isCreditedOnce() {
        pass(10 * SECOND);
        long askedNanos = nowNanos;
        long beforeNanos = pulse.lastBeatNanos();
        nowNanos += 3 * SECOND;
        stalls.turned(nowNanos, askedNanos);
        assertEquals(List.of(nowNanos - beforeNanos), stalled);
    }

    @Test
    void answer_soon_isNone() {
        pass(10 * SECOND);
        long askedNanos = nowNanos;
        pass(150 * MILLI);
        stalls.turned(nowNanos, askedNanos);
        assertEquals(List.of(), stalled);
    }

    @Test
    void lag_ofALoopThatIsStuck_growsWhileItIs() {
        stalls.turned(nowNanos);
        assertEquals(0, lag.nowNanos(nowNanos + Stalls.PERIOD_NANOS), "its next run is due just now");
        assertEquals(8 * SECOND, lag.nowNanos(nowNanos + 8 * SECOND + Stalls.PERIOD_NANOS));
        assertEquals(8 * SECOND, lag.maxNanos(nowNanos + 8 * SECOND + Stalls.PERIOD_NANOS));
        assertEquals(nowNanos, probe.lastSeenNanos());
    }

    @Test
    void lastSeenNanos_ofAnIdleLoop_asksItAndCountsUntilItAnswers() {
        pass(10 * SECOND);
        long askedNanos = nowNanos;
        assertEquals(askedNanos, probe.lastSeenNanos());
        pass(7 * SECOND);
        assertEquals(askedNanos, probe.lastSeenNanos(), "asked once");
        assertEquals(1, tasks.size());
        assertEquals(7 * SECOND, lag.nowNanos(nowNanos));
        tasks.remove().run();
        assertEquals(nowNanos, probe.lastSeenNanos());
        assertEquals(7 * SECOND, lag.nowNanos(nowNanos));
        pass(SECOND);
        assertEquals(0, lag.nowNanos(nowNanos), "the run after it was punctual");
        assertEquals(7 * SECOND, lag.maxNanos(nowNanos));
    }

    @Test
    void lag_withoutAProbe_isNone() {
        assertEquals(0, new LoopLag().nowNanos(START));
    }
}
