package io.heartwheel.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A handshake ends while somebody counts: the one that goes on is counted, and the one that ended perhaps. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the one that goes on")
@Outcome(id = "2", expect = ACCEPTABLE, desc = "both: the second had begun, and the end of the first was not seen")
@Outcome(expect = FORBIDDEN, desc = "an end was seen without its beginning")
@State
public class HandshakesPendingIsNeverTooSmallStress {
    private final LoopStats stats = new LoopStats();

    public HandshakesPendingIsNeverTooSmallStress() {
        stats.handshakeBegun();
    }

    @Actor
    public void loop() {
        stats.handshakeBegun();
        stats.handshakeEnded();
    }

    @Actor
    public void reader(I_Result result) {
        result.r1 = (int) stats.handshakesPending();
    }
}
