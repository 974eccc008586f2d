package io.heartwheel.liveness;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The wheel finds a connection due that waits for its loop already, whose clock is a little behind. It is judged again and closed in time. */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not closed too early, and closed once")
@Outcome(expect = FORBIDDEN, desc = "closed too early, twice or never")
@State
public class DroppedProposalIsArmedAnewStress {
    private final StressLoop loop = new StressLoop();
    private final BareConnection connection = loop.connection(ConnectionState.HANDSHAKE);

    public DroppedProposalIsArmedAnewStress() {
        loop.clock(9);
        loop.queue.propose(connection, StressLoop.nanos(9));
    }

    @Actor
    public void wheel() {
        loop.turn(10);
    }

    @Actor
    public void loop() {
        connection.partial(1, StressLoop.nanos(9));
        loop.run();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        loop.run();
        result.r1 = connection.closes;
        loop.clock(11);
        loop.turn(11);
        loop.run();
        result.r2 = connection.closes;
    }
}
