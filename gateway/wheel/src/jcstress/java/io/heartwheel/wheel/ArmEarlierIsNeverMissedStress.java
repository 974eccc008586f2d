package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** An owner moves a deadline earlier while the wheel moves the entry later, as its answer says: the earlier one is kept to. */
@JCStressTest
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "expired once, in its time")
@Outcome(expect = FORBIDDEN, desc = "early, late, or doubled")
@State
public class ArmEarlierIsNeverMissedStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    public ArmEarlierIsNeverMissedStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
        entry.deadlineNanos = 1_000;
    }

    @Actor
    public void owner() {
        entry.deadlineNanos = 60;
        wheel.arm(handle, 60);
    }

    @Actor
    public void turner() {
        wheel.advance(20, 1);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(59, 1);
        result.r1 = entry.expired;
        wheel.advance(60, 1);
        result.r2 = entry.expired;
        wheel.advance(2_000, 1);
        result.r3 = entry.expired;
    }
}
