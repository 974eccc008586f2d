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
import org.openjdk.jcstress.infra.results.IIJ_Result;

/**
 * The last message of a queue is acknowledged on its loop while the next one comes on the loop to which the device has moved: it enters the old queue
 * or a new one, is sent once, and nothing is left.
 */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "both acknowledged, the second sent once")
@Outcome(expect = FORBIDDEN, desc = "the second was lost in a queue that had gone, or sent twice, or something is left")
@State
public class MessageAsTheQueueEndsIsSentStress {
    private final StressPushes world = new StressPushes();
    private final StressPushes.Loop home = world.loop();
    private final StressPushes.Loop other = world.loop();
    private final CompletableFuture<PushResult> first;
    private final FakeSession device;
    private CompletableFuture<PushResult> second;

    public MessageAsTheQueueEndsIsSentStress() {
        world.connect(home);
        first = world.push(1);
        home.run();
        device = world.connect(other);
        settle();
        device.ack(1, true); // on its way home
    }

    private void settle() {
        while (home.run() || other.run()) {
            // until nothing waits
        }
    }

    @Actor
    public void home() {
        home.run();
    }

    @Actor
    public void other() {
        second = world.push(2);
        other.run();
    }

    @Arbiter
    public void afterwards(IIJ_Result result) {
        settle();
        result.r2 =
                (int) device.data.stream().filter(data -> data.messageId() == 2).count();
        device.ack(2, true);
        settle();
        int acknowledged = PushResult.Outcome.ACKNOWLEDGED.ordinal();
        result.r1 = StressPushes.outcome(first) == acknowledged && StressPushes.outcome(second) == acknowledged ? 1 : 0;
        result.r3 = world.left();
    }
}
