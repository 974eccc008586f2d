package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An owner disarms what the wheel is about to expire. One of them wins, and the owner is told which. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "disarmed in time")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "expired first")
@Outcome(id = "1, 1", expect = FORBIDDEN, desc = "expired though prevented")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "neither")
@State
public class DisarmOrExpireNeverBothStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    public DisarmOrExpireNeverBothStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
    }

    @Actor
    public void owner(II_Result result) {
        result.r1 = wheel.disarm(handle) ? 1 : 0;
    }

    @Actor
    public void turner() {
        wheel.advance(10, 1);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        wheel.advance(100, 1);
        result.r2 = entry.expired;
    }
}
