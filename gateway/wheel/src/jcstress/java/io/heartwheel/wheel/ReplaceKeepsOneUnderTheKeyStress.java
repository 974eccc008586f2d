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

/** Two replace what is under a key. They cancel it and one of the new timers; the other stays, and with it the key. */
@JCStressTest
@Outcome(id = "0, 2, 1", expect = ACCEPTABLE, desc = "one stays")
@Outcome(expect = FORBIDDEN, desc = "a timer is lost or doubled, or the key")
@State
public class ReplaceKeepsOneUnderTheKeyStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 8, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 8, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();

    public ReplaceKeepsOneUnderTheKeyStress() {
        timers.replace("key", Schedule.once(10), ran::incrementAndGet);
        wheel.advance(0, 1);
    }

    @Actor
    public void replacer() {
        timers.replace("key", Schedule.once(1_000), ran::incrementAndGet);
    }

    @Actor
    public void otherReplacer() {
        timers.replace("key", Schedule.once(1_000), ran::incrementAndGet);
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
