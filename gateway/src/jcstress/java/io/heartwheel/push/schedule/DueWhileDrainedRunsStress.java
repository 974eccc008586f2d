package io.heartwheel.push.schedule;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heartwheel.push.Push;
import io.heartwheel.wheel.TimingWheel;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The wheel finds three schedules due while the schedules' thread takes what was found before: each runs once, and none is left. */
@JCStressTest
@Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "each ran once")
@Outcome(expect = FORBIDDEN, desc = "one waits for ever, or ran twice")
@State
public class DueWhileDrainedRunsStress {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TimingWheel wheel = new TimingWheel(SECOND_NANOS, 4, 8, 0);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private volatile long nowNanos;
    private final Schedules schedules = new Schedules(
            wheel,
            () -> nowNanos,
            () -> TimeUnit.NANOSECONDS.toMillis(nowNanos),
            new MemoryRows(),
            (spec, id, payload) -> {
                runs.incrementAndGet();
                return CompletableFuture.completedFuture(RunResult.SENT);
            },
            tasks::add,
            new AtomicLong(),
            new ScheduleLimits(4, 1 << 20, null));

    public DueWhileDrainedRunsStress() {
        schedules.start();
        for (int i = 0; i < 3; i++) {
            schedules.put("s" + i, ONCE, new byte[1]);
        }
        run();
        wheel.advance(0, 8);
        nowNanos = 2 * SECOND_NANOS;
    }

    private static final ScheduleSpec ONCE = new ScheduleSpec(
            new ScheduleSpec.To(ScheduleSpec.Kind.DEVICE, "d"),
            ScheduleSpec.Start.AFTER,
            1_000,
            ScheduleSpec.Repeat.ONCE,
            0,
            1,
            ScheduleSpec.Missed.ONCE,
            Push.Ack.SENT,
            10_000,
            false,
            true);

    private void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Actor
    public void wheel() {
        wheel.advance(2 * SECOND_NANOS, 8);
    }

    @Actor
    public void thread() {
        run();
        run();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        run();
        result.r1 = runs.get();
        result.r2 = schedules.size();
    }
}
