package io.heartwheel.liveness;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A frame comes in, which is one store, while the wheel meets the connection and asks it. It is not probed for that, and later on time. */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "probed when it is silent again")
@Outcome(expect = FORBIDDEN, desc = "probed although it spoke, or out of the wheel")
@State
public class ActivityWhileMetKeepsTheEntryStress {
    private final StressLoop loop = new StressLoop();
    private final BareConnection connection = loop.connection(ConnectionState.ESTABLISHED);

    public ActivityWhileMetKeepsTheEntryStress() {
        loop.clock(68);
    }

    @Actor
    public void wheel() {
        loop.turn(68);
    }

    @Actor
    public void loop() {
        connection.activity(StressLoop.nanos(68));
        loop.run();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        loop.run();
        result.r1 = connection.probes;
        loop.clock(137);
        loop.turn(137);
        loop.run();
        result.r2 = connection.probes;
    }
}
