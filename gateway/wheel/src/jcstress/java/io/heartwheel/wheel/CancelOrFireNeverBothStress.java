package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A timer is cancelled, and once more, while it is due. It runs or the first cancel has prevented it, and the handle comes back. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "cancelled, told once")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "fired")
@Outcome(expect = FORBIDDEN, desc = "both, neither, told twice, or the handle is lost")
@State
public class CancelOrFireNeverBothStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();
    private int prevented;
    private final Timer timer = timers.once(10, ran::incrementAndGet);

    public CancelOrFireNeverBothStress() {
        wheel.advance(0, 1);
    }

    @Actor
    public void canceller() {
        prevented = (timer.cancel() ? 1 : 0) + (timer.cancel() ? 1 : 0);
    }

    @Actor
    public void turner() {
        wheel.advance(10, 1);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(100, 1);
        result.r1 = prevented;
        result.r2 = ran.get();
        result.r3 = timers.pending() + wheel.counters().registered();
    }
}
