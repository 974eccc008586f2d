package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A handle is released and given out again while the wheel is about to expire the old entry. The next one keeps its own deadline. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "released in time")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the old one expired")
@Outcome(expect = FORBIDDEN, desc = "the next one expired before its deadline, or the old one twice")
@State
public class ReleaseKeepsExpiryFromNextEntryStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry old = new StressEntry();
    private final StressEntry next = new StressEntry();
    private final int handle = wheel.register(old);

    public ReleaseKeepsExpiryFromNextEntryStress() {
        wheel.arm(handle, 10);
        wheel.advance(0, 1);
        next.deadlineNanos = 1_000;
    }

    @Actor
    public void owner() {
        wheel.release(handle);
        int again = wheel.tryRegister(next);
        if (again != TimingWheel.NO_HANDLE) {
            wheel.arm(again, 1_000);
        }
    }

    @Actor
    public void turner() {
        wheel.advance(10, 1);
        wheel.advance(20, 1);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        wheel.advance(999, 1);
        result.r1 = old.expired;
        result.r2 = next.expired;
    }
}
