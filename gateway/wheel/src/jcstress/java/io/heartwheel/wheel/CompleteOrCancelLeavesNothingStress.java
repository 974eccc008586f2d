package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A wait is completed while its holder cancels it: one or the other it is, and nothing is left. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "completed")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "cancelled")
@Outcome(expect = FORBIDDEN, desc = "both, neither, told twice, or something is left behind")
@State
public class CompleteOrCancelLeavesNothingStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final PendingResults<String, Integer> waits =
            new PendingResults<>(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4);
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final CompletableFuture<Integer> future = waits.await("key", 10);

    public CompleteOrCancelLeavesNothingStress() {
        future.exceptionally(failure -> failed.incrementAndGet());
        wheel.advance(0, 1);
    }

    @Actor
    public void completer() {
        completed.addAndGet(waits.complete("key", 1));
    }

    @Actor
    public void holder() {
        future.cancel(false);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(0, 1);
        result.r1 = completed.get();
        result.r2 = failed.get();
        result.r3 = waits.waiting() + waits.keys() + wheel.counters().registered();
    }
}
