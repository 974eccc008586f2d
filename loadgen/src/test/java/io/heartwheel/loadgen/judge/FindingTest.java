package io.heartwheel.loadgen.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Finding.Weight;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From findings to the verdict: proof holds, and doubt about the judge excuses no proof. */
final class FindingTest {

    @ParameterizedTest
    @CsvSource({
        "PASS, ''",
        "PASS, DOUBT",
        "FAIL, SOFT",
        "INCONCLUSIVE, SOFT OWN",
        "INCONCLUSIVE, SOFT DOUBT",
        "FAIL, TIMED",
        "FAIL, TIMED OWN",
        "INCONCLUSIVE, TIMED DOUBT",
        "FAIL, HARD",
        "FAIL, HARD DOUBT",
        "FAIL, OWN SOFT HARD",
        "INCONCLUSIVE, OWN",
    })
    void verdict_ofFindings_isAsTheirWeightsSay(RunVerdict verdict, String weights) {
        assertEquals(
                verdict,
                Finding.verdict(Arrays.stream(weights.split(" "))
                        .filter(weight -> !weight.isEmpty())
                        .map(weight -> new Finding(Weight.valueOf(weight), weight))
                        .toList()));
    }

    @Test
    void exitStatus_onlyPass_isZero() {
        assertEquals(0, RunVerdict.PASS.exitStatus());
        assertEquals(1, RunVerdict.FAIL.exitStatus());
        assertEquals(3, RunVerdict.INCONCLUSIVE.exitStatus());
    }

    @Test
    void line_ofADeviceWhoseSilenceHasNoLimit_saysSo() {
        GatewayFault fault = new GatewayFault(
                GatewayFault.Kind.LIVE_CLOSED, "dev000209", 1, 1000, 0, "", "live", 20, GatewayFault.UNLIMITED, 30);
        assertTrue(
                fault.line().endsWith("20.0 ms after its last frame (no limit, widest gap before 30.0 ms)"),
                fault.line());
    }
}
