package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A periodic timer is cancelled while it runs and is armed anew. Wherever that falls, the handle is given back, and not twice, which would throw.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "cancelled during the run or after it")
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "cancelled before the run")
@Outcome(expect = FORBIDDEN, desc = "not cancelled, or the handle is lost")
@State
public class CancelDuringRearmReleasesOnceStress {
    private final TimingWheel wheel = new TimingWheel(10, 4, 4, 0);
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Timers timers = new Timers(wheel, () -> 10, queue::add, 4, TimerObserver.NONE);
    private final AtomicInteger ran = new AtomicInteger();
    private final Timer timer = timers.start(Schedule.withFixedDelay(-10, 10), ran::incrementAndGet);

    public CancelDuringRearmReleasesOnceStress() {
        wheel.advance(10, 1);
    }

    private void runOne() {
        Runnable run = queue.poll();
        if (run != null) {
            run.run();
        }
    }

    @Actor
    public void executor() {
        runOne();
    }

    @Actor
    public void canceller(III_Result result) {
        result.r1 = timer.cancel() ? 1 : 0;
    }

    @Arbiter
    public void afterwards(III_Result result) {
        runOne();
        wheel.advance(100, 1);
        result.r2 = timers.pending() + wheel.counters().registered() + queue.size();
        result.r3 = ran.get();
    }
}
