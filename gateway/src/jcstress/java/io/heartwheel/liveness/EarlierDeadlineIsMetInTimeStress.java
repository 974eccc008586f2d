package io.heartwheel.liveness;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A frame begins, whose deadline is earlier, while the wheel files the connection further ahead. It is closed by that deadline. */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "closed in time")
@Outcome(expect = FORBIDDEN, desc = "closed too early, or missed")
@State
public class EarlierDeadlineIsMetInTimeStress {
    private final StressLoop loop = new StressLoop();
    private final BareConnection connection = loop.connection(ConnectionState.ESTABLISHED);

    public EarlierDeadlineIsMetInTimeStress() {
        loop.clock(68);
        connection.activity(StressLoop.nanos(60));
    }

    @Actor
    public void wheel() {
        loop.turn(68);
    }

    @Actor
    public void loop() {
        connection.partial(1, StressLoop.nanos(68));
        loop.run();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        loop.run();
        result.r1 = connection.closes;
        loop.clock(79);
        loop.turn(79);
        loop.run();
        result.r2 = connection.closes;
    }
}
