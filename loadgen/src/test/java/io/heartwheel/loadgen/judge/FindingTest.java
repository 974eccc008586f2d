package io.heartwheel.loadgen.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.judge.Finding.Weight;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** From findings to the verdict: proof holds, and doubt about the judge excuses no proof. */
final class FindingTest {

    @Test
    void verdict_nothingFound_passes() {
        assertEquals(RunVerdict.PASS, verdict());
    }

    @Test
    void verdict_softFinding_failsUnlessTheGeneratorIsInDoubt() {
        assertEquals(RunVerdict.FAIL, verdict(Weight.SOFT));
        assertEquals(RunVerdict.INCONCLUSIVE, verdict(Weight.SOFT, Weight.OWN));
    }

    @Test
    void verdict_doubt_excusesWhatIsSoftAndNothingElse() {
        assertEquals(RunVerdict.PASS, verdict(Weight.DOUBT));
        assertEquals(RunVerdict.INCONCLUSIVE, verdict(Weight.SOFT, Weight.DOUBT));
        assertEquals(RunVerdict.FAIL, verdict(Weight.HARD, Weight.DOUBT));
    }

    @Test
    void verdict_timedFinding_failsThoughTheGeneratorWasSlowElsewhere() {
        assertEquals(RunVerdict.FAIL, verdict(Weight.TIMED));
        assertEquals(RunVerdict.FAIL, verdict(Weight.TIMED, Weight.OWN));
        assertEquals(RunVerdict.INCONCLUSIVE, verdict(Weight.TIMED, Weight.DOUBT));
    }

    @Test
    void verdict_hardFinding_failsWhateverElseWasFound() {
        assertEquals(RunVerdict.FAIL, verdict(Weight.HARD));
        assertEquals(RunVerdict.FAIL, verdict(Weight.OWN, Weight.SOFT, Weight.HARD));
    }

    @Test
    void verdict_onlyTheGeneratorInDoubt_isInconclusive() {
        assertEquals(RunVerdict.INCONCLUSIVE, verdict(Weight.OWN));
    }

    @Test
    void exitStatus_onlyPass_isZero() {
        assertEquals(0, RunVerdict.PASS.exitStatus());
        assertEquals(1, RunVerdict.FAIL.exitStatus());
        assertEquals(3, RunVerdict.INCONCLUSIVE.exitStatus());
    }

    private static RunVerdict verdict(Weight... weights) {
        return Finding.verdict(Arrays.stream(weights)
                .map(weight -> new Finding(weight, weight.name()))
                .toList());
    }
}
