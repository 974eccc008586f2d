package io.heartwheel.push;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heartwheel.session.FakeSession;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** The wheel finds the deadline of a message over while its loop reads the ACK. It has one result, and nothing of it is left, neither in the wheel. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "acknowledged")
@Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "expired")
@Outcome(expect = FORBIDDEN, desc = "no result, or something of it is left")
@State
public class AckOrDeadlineLeavesNothingStress {
    private final StressPushes world = new StressPushes();
    private final StressPushes.Loop loop = world.loop();
    private final FakeSession device = world.connect(loop);
    private final CompletableFuture<PushResult> message = world.push(1);

    public AckOrDeadlineLeavesNothingStress() {
        loop.run();
    }

    @Actor
    public void loop() {
        loop.run();
        device.ack(1, true);
        loop.run();
    }

    @Actor
    public void wheel() {
        world.turnPastDeadlines();
    }

    @Arbiter
    public void afterwards(IJ_Result result) {
        loop.run();
        int outcome = StressPushes.outcome(message);
        result.r1 = outcome == PushResult.Outcome.ACKNOWLEDGED.ordinal()
                ? 1
                : outcome == PushResult.Outcome.EXPIRED.ordinal() ? 2 : 0;
        result.r2 = world.left();
    }
}
