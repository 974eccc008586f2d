package io.heartwheel.loadgen.fleet;

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
        OWN,
        /** Excuses what is soft, and is no fault itself. */
        DOUBT
    }

    /** The verdict these findings amount to. */
    static Verdict verdict(List<Finding> findings) {
        boolean soft = has(findings, Weight.SOFT);
        boolean own = has(findings, Weight.OWN);
        boolean doubt = own || has(findings, Weight.DOUBT);
        if (has(findings, Weight.HARD) || (soft && !doubt)) {
            return Verdict.FAIL;
        }
        return own || soft ? Verdict.INCONCLUSIVE : Verdict.PASS;
    }

    private static boolean has(List<Finding> findings, Weight weight) {
        return findings.stream().anyMatch(finding -> finding.weight() == weight);
    }
}
