package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two owners of neighbouring cells mark; the taker's last take finds what its first did not: both marks, each once. */
@JCStressTest
@Outcome(id = "0, 3", expect = ACCEPTABLE, desc = "both taken afterwards")
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "one before, one afterwards")
@Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "both taken at once")
@Outcome(expect = FORBIDDEN, desc = "a mark was lost, doubled, or its news was not there")
@State
public class MarkIsNeverLostStress {
    private final DirtyBitmap dirty = new DirtyBitmap(64);
    private int news;

    @Actor
    public void owner() {
        news = 1;
        dirty.mark(0);
        dirty.mark(1);
    }

    @Actor
    public void taker(II_Result result) {
        long taken = take();
        result.r1 = taken != 0 && news != 1 ? -1 : (int) taken;
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = (int) take();
    }

    private long take() {
        return dirty.takeGroup(0) == 0 ? 0 : dirty.takeWord(0, 0);
    }
}
