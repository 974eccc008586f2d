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

/** A timer is cancelled by two at once. One of them is told so, and the handle is given back once; twice would throw. */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "told once")
@Outcome(expect = FORBIDDEN, desc = "not told, told twice, ran all the same, or the handle is lost")
@State
public class CancelIsToldOnceStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger prevented = new AtomicInteger();
    private final Timer timer = timers.once(10, ran::incrementAndGet);

    public CancelIsToldOnceStress() {
        wheel.advance(0, 1);
    }

    @Actor
    public void canceller() {
        prevented.addAndGet(timer.cancel() ? 1 : 0);
    }

    @Actor
    public void otherCanceller() {
        prevented.addAndGet(timer.cancel() ? 1 : 0);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(100, 1);
        result.r1 = prevented.get();
        result.r2 = ran.get();
        result.r3 = timers.pending() + wheel.counters().registered();
    }
}
