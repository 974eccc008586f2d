package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** An owner disarms and arms the same deadline again, while the wheel disarms the entry by its old answer that there is none. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "disarmed in time, armed again, expired once")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "disarmed by its answer or expired before, armed again, expired")
@Outcome(id = "0, 2, 2", expect = ACCEPTABLE, desc = "expired, armed again, expired")
@Outcome(expect = FORBIDDEN, desc = "lost, late, or doubled")
@State
public class DisarmAndArmEqualIsNeverLostStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    public DisarmAndArmEqualIsNeverLostStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
        entry.deadlineNanos = Deadline.NO_DEADLINE;
    }

    @Actor
    public void owner(III_Result result) {
        entry.deadlineNanos = 20;
        result.r1 = wheel.disarm(handle) ? 1 : 0;
        wheel.arm(handle, 10);
    }

    @Actor
    public void turner() {
        wheel.advance(20, 1);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(30, 1);
        result.r2 = entry.expired;
        wheel.advance(2_000, 1);
        result.r3 = entry.expired;
    }
}
