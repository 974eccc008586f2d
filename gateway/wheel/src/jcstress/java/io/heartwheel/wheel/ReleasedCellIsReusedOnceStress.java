package io.heartwheel.wheel;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two take while one of them frees: no cell is given out twice, and none is lost. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "no cell has two users")
@Outcome(expect = FORBIDDEN, desc = "a cell was given out twice")
@State
public class ReleasedCellIsReusedOnceStress {
    private final Cells cells = new Cells(3);
    private int second;
    private int third;

    public ReleasedCellIsReusedOnceStress() {
        for (int i = 0; i < 3; i++) {
            cells.take(newEntry());
        }
        for (int i = 0; i < 3; i++) {
            free(i);
        }
        cells.giveBackFreed();
    }

    private static WheelEntry newEntry() {
        return new WheelEntry.For(new StressEntry());
    }

    private void free(int cell) {
        WheelEntry entry = cells.entry(cell);
        if (entry != null) {
            cells.free(entry);
        }
    }

    @Actor
    public void turner() {
        int first = cells.take(newEntry());
        second = cells.take(newEntry());
        if (first != Cells.NONE) {
            free(first);
            cells.giveBackFreed();
        }
    }

    @Actor
    public void other() {
        third = cells.take(newEntry());
    }

    @Arbiter
    public void afterwards(Z_Result result) {
        int fourth = cells.take(newEntry());
        result.r1 = second != third && second != fourth && third != fourth && cells.take(newEntry()) == Cells.NONE;
    }
}
