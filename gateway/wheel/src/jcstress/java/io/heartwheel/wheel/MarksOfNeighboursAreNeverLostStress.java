package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two owners mark cells of one word at the same time. Neither relies on the other to tell of the word. */
@JCStressTest
@Outcome(id = "3", expect = ACCEPTABLE, desc = "both marks are there to take")
@Outcome(expect = FORBIDDEN, desc = "a mark was lost")
@State
public class MarksOfNeighboursAreNeverLostStress {
    private final DirtyBitmap dirty = new DirtyBitmap(64);

    @Actor
    public void oneOwner() {
        dirty.mark(0);
    }

    @Actor
    public void anotherOwner() {
        dirty.mark(1);
    }

    @Arbiter
    public void afterwards(I_Result result) {
        result.r1 = dirty.takeGroup(0) == 0 ? 0 : (int) dirty.takeWord(0, 0);
    }
}
