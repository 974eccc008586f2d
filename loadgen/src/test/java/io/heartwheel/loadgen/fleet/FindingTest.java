package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.fleet.Finding.Weight;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** From findings to the verdict: proof stands, doubt about the judge does not acquit. */
final class FindingTest {

    @Test
    void verdict_nothingFound_passes() {
        assertEquals(Verdict.PASS, verdict());
    }

    @Test
    void verdict_softFinding_failsUnlessTheGeneratorIsInDoubt() {
        assertEquals(Verdict.FAIL, verdict(Weight.SOFT));
        assertEquals(Verdict.INCONCLUSIVE, verdict(Weight.SOFT, Weight.OWN));
    }

    @Test
    void verdict_doubt_excusesWhatIsSoftAndNothingElse() {
        assertEquals(Verdict.PASS, verdict(Weight.DOUBT));
        assertEquals(Verdict.INCONCLUSIVE, verdict(Weight.SOFT, Weight.DOUBT));
        assertEquals(Verdict.FAIL, verdict(Weight.HARD, Weight.DOUBT));
    }

    @Test
    void verdict_timedFinding_failsThoughTheGeneratorWasSlowElsewhere() {
        assertEquals(Verdict.FAIL, verdict(Weight.TIMED));
        assertEquals(Verdict.FAIL, verdict(Weight.TIMED, Weight.OWN));
        assertEquals(Verdict.INCONCLUSIVE, verdict(Weight.TIMED, Weight.DOUBT));
    }

    @Test
    void verdict_hardFinding_failsWhateverElseWasFound() {
        assertEquals(Verdict.FAIL, verdict(Weight.HARD));
        assertEquals(Verdict.FAIL, verdict(Weight.OWN, Weight.SOFT, Weight.HARD));
    }

    @Test
    void verdict_onlyTheGeneratorInDoubt_isInconclusive() {
        assertEquals(Verdict.INCONCLUSIVE, verdict(Weight.OWN));
    }

    @Test
    void exitStatus_onlyPass_isZero() {
        assertEquals(0, Verdict.PASS.exitStatus());
        assertEquals(1, Verdict.FAIL.exitStatus());
        assertEquals(3, Verdict.INCONCLUSIVE.exitStatus());
    }

    private static Verdict verdict(Weight... weights) {
        return Finding.verdict(Arrays.stream(weights)
                .map(weight -> new Finding(weight, weight.name()))
                .toList());
    }
}
