package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An owner arms the deadline that stands there already, with an earlier answer behind it, while the wheel moves the entry later by the old answer. */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "expired once, in its time")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "expired, and once more as armed after that")
@Outcome(expect = FORBIDDEN, desc = "lost, late, or doubled")
@State
public class ArmEqualIsNeverLostStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    public ArmEqualIsNeverLostStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
        entry.deadlineNanos = 1_000;
    }

    @Actor
    public void owner(II_Result result) {
        entry.deadlineNanos = 20;
        wheel.arm(handle, 10);
    }

    @Actor
    public void turner() {
        wheel.advance(20, 1);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        wheel.advance(30, 1);
        result.r1 = entry.expired;
        wheel.advance(2_000, 1);
        result.r2 = entry.expired;
    }
}
