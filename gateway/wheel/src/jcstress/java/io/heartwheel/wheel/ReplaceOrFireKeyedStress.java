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

/** A due timer is replaced under its key. The old timer runs or is cancelled; the new one stays, and with it the key. */
@JCStressTest
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the old one was cancelled")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the old one ran")
@Outcome(expect = FORBIDDEN, desc = "a timer is lost or doubled, or the key")
@State
public class ReplaceOrFireKeyedStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 8, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 8, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();

    public ReplaceOrFireKeyedStress() {
        timers.replace("key", Schedule.once(10), ran::incrementAndGet);
        wheel.advance(0, 1);
    }

    @Actor
    public void replacer() {
        timers.replace("key", Schedule.once(1_000), ran::incrementAndGet);
    }

    @Actor
    public void turner() {
        wheel.advance(10, 1);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(100, 1);
        boolean one = timers.pending() == 1
                && timers.keys() == 1
                && timers.get("key") != null
                && wheel.counters().registered() == 1;
        result.r1 = ran.get();
        result.r2 = (int) timers.counters().cancelled();
        result.r3 = one ? 1 : 0;
    }
}
