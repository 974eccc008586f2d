package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A slow taker must not mistake the top of the free cells for one that went and came back with another below it. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "no cell has two users")
@Outcome(expect = FORBIDDEN, desc = "a cell was given out twice")
@State
public class ReleasedCellIsReusedOnceStress {
    private static final Timed TIMED = new StressEntry();

    private final Cells cells = new Cells(3);
    private int second;
    private int third;

    public ReleasedCellIsReusedOnceStress() {
        for (int i = 0; i < 3; i++) {
            cells.take(TIMED);
        }
        for (int i = 0; i < 3; i++) {
            cells.free(i);
        }
        cells.giveBackFreed();
    }

    @Actor
    public void turner() {
        int first = cells.take(TIMED);
        second = cells.take(TIMED);
        if (first != Cells.NONE) {
            cells.free(first);
            cells.giveBackFreed();
        }
    }

    @Actor
    public void other() {
        third = cells.take(TIMED);
    }

    @Arbiter
    public void afterwards(Z_Result result) {
        int fourth = cells.take(TIMED);
        result.r1 = second != third && second != fourth && third != fourth && cells.take(TIMED) == Cells.NONE;
    }
}
