package io.heartwheel.sink;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A message comes to a full queue while the writer empties it: it is taken, or its sender is woken. */
@JCStressTest
@Outcome(id = "4, 0", expect = ACCEPTABLE, desc = "there was room: taken")
@Outcome(id = "3, 1", expect = ACCEPTABLE, desc = "there was none: waited, and was woken once")
@Outcome(expect = FORBIDDEN, desc = "lost, woken although it was taken, or never woken")
@State
public class WaiterIsTakenOrWokenStress {
    static final ConnectionEvent.Message MESSAGE =
            new ConnectionEvent.Message(new ConnectionEvent.Identity("d", 1, 1), 2, 0, 1, false, new byte[] {1});

    static final EventSink.Reply NO_REPLY = new EventSink.Reply() {
        @Override
        public void accepted() {}

        @Override
        public void refused() {}

        @Override
        public void send(long messageId, boolean text, byte[] payload) {}
    };

    private final EventQueue queue = new EventQueue(4, 100);
    private final Batch batch = new Batch(8);
    private int woken;

    public WaiterIsTakenOrWokenStress() {
        for (int i = 0; i < 3; i++) {
            queue.offerOrWait(MESSAGE, NO_REPLY, () -> {});
        }
    }

    @Actor
    public void sender() {
        queue.offerOrWait(MESSAGE, NO_REPLY, () -> {});
    }

    @Actor
    public void writer() {
        queue.poll(batch);
        woken += queue.wake(8).size();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        queue.poll(batch);
        woken += queue.wake(8).size();
        result.r1 = batch.size();
        result.r2 = woken + queue.waiters();
    }
}
