package io.heartwheel.push.group;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heartwheel.push.Push;
import io.heartwheel.push.StressPushes;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The only device of a job acknowledges while the jobs' thread finds that all have had their turn, and the job is cancelled: it ends, once, with one result. */
@JCStressTest
@Outcome(id = "1, 1, 1, 0", expect = ACCEPTABLE, desc = "over, told once, one result, nothing left")
@Outcome(expect = FORBIDDEN, desc = "never over, told twice or never, no result or two, or something is left")
@State
public class JobEndsOnceStress {
    private final StressPushes world = new StressPushes();
    private final StressPushes.Loop loop = world.loop();
    private final FakeSession device = world.connect(loop);
    private final StressPushes.Tasks thread = new StressPushes.Tasks();
    private final Jobs jobs = new Jobs(
            new GroupMembers(world.registry(), null, 1),
            world.registry(),
            world.pushes(),
            world.timers(),
            thread,
            () -> 0,
            () -> 0,
            new JobSettings(1, Duration.ofMinutes(1), 1));
    private final AtomicInteger told = new AtomicInteger();
    private final long id;

    public JobEndsOnceStress() {
        id = jobs.start(
                        new Broadcast(
                                7, null, false, new byte[1], Push.Ack.DEVICE, TimeUnit.SECONDS.toNanos(5), false, 0),
                        over -> told.incrementAndGet())
                .id();
        thread.run();
        loop.run(); // the device has the message
    }

    @Actor
    public void loop() {
        device.ack(7, true);
        loop.run();
    }

    @Actor
    public void jobs() {
        thread.run(); // all have had their turn
        jobs.cancel(id);
        thread.run();
    }

    @Arbiter
    public void afterwards(IIII_Result result) {
        while (thread.run() || loop.run()) {
            // until nothing waits
        }
        JobProgress progress = jobs.find(id).orElseThrow();
        result.r1 = progress.state().isOver() ? 1 : 0;
        result.r2 = told.get();
        result.r3 = progress.unanswered()
                + progress.outcomes().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum();
        result.r4 = (int) world.left();
    }
}
