package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A timer is due when it is started, and the wheel turns meanwhile: the expiry may come before the starter has let go of the handle. The timer
 * runs, once.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "ran once")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, or the handle is lost")
@State
public class ExpireWhileArmingIsNotLostStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();
    /** Set from within the arming: the timer is in the wheel and its starter has not let go. */
    private volatile boolean arming;

    public ExpireWhileArmingIsNotLostStress() {
        wheel.advance(0, 1);
        wheel.wokenBy(() -> arming = true);
        wheel.beginSleep(0);
    }

    @Actor
    public void starter() {
        timers.once(0, ran::incrementAndGet);
    }

    @Actor
    public void turner() {
        for (int i = 0; i < 10_000 && !arming; i++) {
            Thread.onSpinWait();
        }
        wheel.advance(0, 1);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        wheel.advance(20, 1);
        wheel.advance(30, 1);
        result.r1 = ran.get();
        result.r2 = timers.pending() + wheel.counters().registered();
    }
}
