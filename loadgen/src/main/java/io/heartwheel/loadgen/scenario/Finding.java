package io.heartwheel.loadgen.scenario;

import java.util.List;

/**
 * Something that speaks against a PASS.
 *
 * @param weight how much it proves
 * @param text one line for people
 */
public record Finding(Weight weight, String text) {

    /** How much a finding proves. */
    public enum Weight {
        /** Proof against the gateway however slow the generator was. */
        HARD,
        /** Speaks against the gateway, unless the generator was the bottleneck. */
        SOFT,
        /** Speaks against the generator: nothing is proved. */
        OWN
    }

    /** The verdict these findings amount to. */
    static Verdict verdict(List<Finding> findings) {
        boolean own = has(findings, Weight.OWN);
        if (has(findings, Weight.HARD) || has(findings, Weight.SOFT) && !own) {
            return Verdict.FAIL;
        }
        return own ? Verdict.INCONCLUSIVE : Verdict.PASS;
    }

    private static boolean has(List<Finding> findings, Weight weight) {
        return findings.stream().anyMatch(finding -> finding.weight() == weight);
    }
}
