package io.heartwheel.session;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A counter of the loop's grows past 32 bits while somebody reads it twice. */
@JCStressTest
@Outcome(
        id = {"2147483647, 2147483647", "4294967294, 4294967294", "6442450941, 6442450941"},
        expect = ACCEPTABLE,
        desc = "read at one instant")
@Outcome(
        id = {"2147483647, 4294967294", "2147483647, 6442450941", "4294967294, 6442450941"},
        expect = ACCEPTABLE,
        desc = "grew in between")
@Outcome(expect = FORBIDDEN, desc = "fell, or half of it is old")
@State
public class CounterNeverFallsOrTearsStress {
    private final LoopStats stats = new LoopStats();

    public CounterNeverFallsOrTearsStress() {
        stats.bytesIn(Integer.MAX_VALUE);
    }

    @Actor
    public void loop() {
        stats.bytesIn(Integer.MAX_VALUE);
        stats.bytesIn(Integer.MAX_VALUE);
    }

    @Actor
    public void reader(JJ_Result result) {
        result.r1 = stats.bytesIn();
        result.r2 = stats.bytesIn();
    }
}
