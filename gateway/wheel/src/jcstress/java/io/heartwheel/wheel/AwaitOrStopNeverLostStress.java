package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.RejectedExecutionException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Someone begins to wait while the waits are stopped: it is rejected, or cancelled by the stop. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "waited, and was cancelled by the stop")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "rejected")
@Outcome(expect = FORBIDDEN, desc = "waits for ever, told twice, or something is left behind")
@State
public class AwaitOrStopNeverLostStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final PendingResults<String, Integer> waits =
            new PendingResults<>(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4);

    @Actor
    public void waiter(III_Result result) {
        try {
            waits.await("key", 10);
            result.r1 = 1;
        } catch (RejectedExecutionException stopped) {
            result.r1 = 0;
        }
    }

    @Actor
    public void stopper(III_Result result) {
        result.r2 = waits.stop();
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(0, 1);
        result.r3 = waits.waiting() + waits.keys() + wheel.counters().registered();
    }
}
