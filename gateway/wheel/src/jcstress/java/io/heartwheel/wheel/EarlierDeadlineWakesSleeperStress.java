package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The turning thread goes to sleep for long while an owner arms something for soon: it does not sleep, or it is woken. */
@JCStressTest
@Outcome(id = "false, false", expect = ACCEPTABLE, desc = "saw the mark and did not sleep")
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "slept and was woken")
@Outcome(id = "false, true", expect = ACCEPTABLE_INTERESTING, desc = "saw the mark, and was woken too")
@Outcome(id = "true, false", expect = FORBIDDEN, desc = "sleeps past the deadline")
@State
public class EarlierDeadlineWakesSleeperStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 1, 0);
    private final int handle = wheel.register(new StressEntry());
    private volatile boolean woken;

    public EarlierDeadlineWakesSleeperStress() {
        wheel.wokenBy(() -> woken = true);
    }

    @Actor
    public void owner() {
        wheel.arm(handle, 50);
    }

    @Actor
    public void turner(ZZ_Result result) {
        result.r1 = wheel.beginSleep(0) > 50;
    }

    @Arbiter
    public void afterwards(ZZ_Result result) {
        result.r2 = woken;
    }
}
