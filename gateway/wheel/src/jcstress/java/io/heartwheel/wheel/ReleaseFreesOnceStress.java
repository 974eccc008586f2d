package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A cell is released, freed, given out and released again while marks are still under way: it is free once, not twice. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "two handles for two cells")
@Outcome(expect = FORBIDDEN, desc = "a cell was freed twice or lost")
@State
public class ReleaseFreesOnceStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 2, 0);
    private final int handle = wheel.register(new StressEntry());

    public ReleaseFreesOnceStress() {
        wheel.arm(handle, 1_000);
    }

    @Actor
    public void owner() {
        wheel.release(handle);
        int again = wheel.tryRegister(new StressEntry());
        if (again != TimingWheel.NO_HANDLE) {
            wheel.arm(again, 5);
            wheel.release(again);
        }
    }

    @Actor
    public void turner() {
        wheel.advance(0, 1);
        wheel.advance(0, 1);
    }

    @Arbiter
    public void afterwards(Z_Result result) {
        wheel.advance(0, 1);
        wheel.advance(0, 1);
        int one = wheel.tryRegister(new StressEntry());
        int other = wheel.tryRegister(new StressEntry());
        int none = wheel.tryRegister(new StressEntry());
        result.r1 = one >= 0 && other >= 0 && one != other && none == TimingWheel.NO_HANDLE;
    }
}
