package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.RejectedExecutionException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A timer is started under a key while the timers are stopped: it is rejected, or it is returned by the stop. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "started, and returned by the stop")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "rejected")
@Outcome(expect = FORBIDDEN, desc = "lost, told twice, or something is left behind")
@State
public class ScheduleOrStopNeverLostStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final Timers timers = new Timers(wheel, () -> 0, Timers.ON_WHEEL_THREAD, 4, TimerObserver.NONE);

    @Actor
    public void starter(III_Result result) {
        try {
            timers.replace("key", Schedule.once(10), () -> {});
            result.r1 = 1;
        } catch (RejectedExecutionException stopped) {
            result.r1 = 0;
        }
    }

    @Actor
    public void stopper(III_Result result) {
        result.r2 = timers.stop().size();
    }

    @Arbiter
    public void afterwards(III_Result result) {
        wheel.advance(100, 1);
        result.r3 = timers.pending()
                + timers.keys()
                + wheel.counters().registered()
                + (int) timers.counters().runs();
    }
}
