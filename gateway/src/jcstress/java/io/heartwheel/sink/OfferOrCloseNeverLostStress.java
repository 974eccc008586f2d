package io.heartwheel.sink;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A message comes while the queue is closed: it is refused, or the writer still gets it. */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "taken, and still there")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "refused")
@Outcome(expect = FORBIDDEN, desc = "taken and lost, or refused and there")
@State
public class OfferOrCloseNeverLostStress {
    private final EventQueue queue = new EventQueue(4, 100);
    private final Batch batch = new Batch(8);

    @Actor
    public void sender(II_Result result) {
        result.r1 = queue.offer(WaiterIsTakenOrWokenStress.MESSAGE, WaiterIsTakenOrWokenStress.NO_REPLY) ? 1 : 0;
    }

    @Actor
    public void closer() {
        queue.close();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = queue.poll(batch);
    }
}
