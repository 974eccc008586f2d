package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two arm something in a wheel whose thread is started when needed: one of them starts it. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "started once")
@Outcome(expect = FORBIDDEN, desc = "not started, or twice")
@State
public class FirstArmStartsTheThreadStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final int handle = wheel.register(new StressEntry());
    private final int otherHandle = wheel.register(new StressEntry());
    private final AtomicInteger started = new AtomicInteger();

    public FirstArmStartsTheThreadStress() {
        wheel.wokenBy(started::incrementAndGet);
        wheel.sleepUntilArmed(0);
    }

    @Actor
    public void owner() {
        wheel.arm(handle, 50);
    }

    @Actor
    public void otherOwner() {
        wheel.arm(otherHandle, 1_000_000);
    }

    @Arbiter
    public void afterwards(I_Result result) {
        result.r1 = started.get();
    }
}
