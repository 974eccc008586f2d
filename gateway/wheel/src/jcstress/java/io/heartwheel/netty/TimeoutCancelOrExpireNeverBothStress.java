package io.heartwheel.netty;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.netty.util.Timeout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A timeout of the drop-in timer is cancelled, and once more, while it is due. It runs or the first cancel has prevented it, and nothing is left. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "cancelled, told once")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "ran")
@Outcome(expect = FORBIDDEN, desc = "both, neither, told twice, or something is left")
@State
public class TimeoutCancelOrExpireNeverBothStress {
    private final WheelTimerRig rig = WheelTimerRig.ordinary();
    private final Timeout timeout = rig.after(100);
    private int prevented;

    public TimeoutCancelOrExpireNeverBothStress() {
        rig.advance(0);
    }

    @Actor
    public void canceller() {
        prevented = (timeout.cancel() ? 1 : 0) + (timeout.cancel() ? 1 : 0);
    }

    @Actor
    public void turner() {
        rig.advance(100);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        result.r1 = prevented;
        result.r3 = rig.isEmpty() ? 0 : 1;
        result.r2 = rig.ran.size();
    }
}
