package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Someone waits for a condition while another makes it true and then checks: one of them completes the wait. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "completed")
@Outcome(expect = FORBIDDEN, desc = "waits for what has happened, or something is left behind")
@State
public class AwaitOrCheckNeverMissedStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final PendingResults<String, Integer> waits =
            new PendingResults<>(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4);
    private final AtomicInteger completed = new AtomicInteger();
    private int plain;

    @Actor
    public void waiter() {
        waits.await("key", () -> plain > 0 ? 1 : null, 10).thenRun(completed::incrementAndGet);
    }

    @Actor
    public void changer() {
        plain = 1;
        waits.check("key");
    }

    @Arbiter
    public void afterwards(II_Result result) {
        wheel.advance(0, 1);
        result.r1 = completed.get();
        result.r2 = waits.waiting() + waits.keys() + wheel.counters().registered();
    }
}
