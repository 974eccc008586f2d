package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** An owner moves a deadline later while the wheel is about to expire it: whoever is first, the new deadline is kept to. */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "moved in time")
@Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "the old one expired first, the new one in its time")
@Outcome(expect = FORBIDDEN, desc = "early, lost or doubled")
@State
public class ArmLaterOrExpireKeepsDeadlineStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    public ArmLaterOrExpireKeepsDeadlineStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
    }

    @Actor
    public void owner() {
        wheel.arm(handle, 100);
    }

    @Actor
    public void turner() {
        wheel.advance(20, 1);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        result.r1 = entry.expired;
        wheel.advance(99, 1);
        result.r2 = entry.expired;
        wheel.advance(100, 1);
        result.r3 = entry.expired;
    }
}
