package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** An entry is armed twice in a row, the second time earlier, with the wheel taking marks meanwhile. A belated mark expires nothing again. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "expired once")
@Outcome(expect = FORBIDDEN, desc = "never, or more than once")
@State
public class ArmExpiresExactlyOnceStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final StressEntry entry = new StressEntry();
    private final int handle = wheel.register(entry);

    @Actor
    public void owner() {
        wheel.arm(handle, 200);
        wheel.arm(handle, 10);
    }

    @Actor
    public void turner() {
        wheel.advance(10, 1);
    }

    @Arbiter
    public void afterwards(I_Result result) {
        wheel.advance(20, 1);
        wheel.advance(400, 1);
        result.r1 = entry.expired;
    }
}
