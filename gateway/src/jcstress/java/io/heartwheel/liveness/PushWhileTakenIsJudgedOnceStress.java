package io.heartwheel.liveness;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The wheel finds two connections due while the loop takes one that it found before. Each is closed once, and then nobody waits any more. */
@JCStressTest
@Outcome(id = "1, 1, 1, 0", expect = ACCEPTABLE, desc = "each was closed once")
@Outcome(expect = FORBIDDEN, desc = "one was lost or closed twice, or is said to wait for ever")
@State
public class PushWhileTakenIsJudgedOnceStress {
    private final StressLoop loop = new StressLoop();
    private final BareConnection first = loop.connection(ConnectionState.HANDSHAKE);
    private final BareConnection second = loop.connection(ConnectionState.HANDSHAKE);
    private final BareConnection third = loop.connection(ConnectionState.HANDSHAKE);

    public PushWhileTakenIsJudgedOnceStress() {
        loop.clock(11);
        loop.queue.propose(first, StressLoop.nanos(10));
    }

    @Actor
    public void wheel() {
        loop.queue.propose(second, StressLoop.nanos(11));
        loop.queue.propose(third, StressLoop.nanos(11));
    }

    @Actor
    public void loop() {
        loop.run();
    }

    @Arbiter
    public void afterwards(IIII_Result result) {
        loop.run();
        result.r1 = first.closes;
        result.r2 = second.closes;
        result.r3 = third.closes;
        result.r4 = loop.queue.overdueNanos(StressLoop.nanos(12)) == 0 ? 0 : 1;
    }
}
