package io.heartwheel.loadgen.judge;

import java.util.List;

/**
 * Reason against a PASS.
 *
 * @param weight how much it proves
 * @param text one line for people
 */
public record Finding(Weight weight, String text) {

    /** How much a finding proves. */
    public enum Weight {
        /** Proof against the gateway however slow the generator was. */
        HARD,
        /**
         * A limit of time that the gateway broke. What the generator itself could not see is taken off each single figure
         * already, so that it was slow in general excuses nothing here; a machine that had no processor to give does.
         */
        TIMED,
        /** Speaks against the gateway, unless the generator was the bottleneck. */
        SOFT,
        /** Speaks against the generator: nothing is proved. */
        OWN,
        /** Excuses what is soft or timed, and is no fault itself. */
        DOUBT
    }

    /** The verdict these findings amount to. */
    static RunVerdict verdict(List<Finding> findings) {
        boolean soft = has(findings, Weight.SOFT);
        boolean timed = has(findings, Weight.TIMED);
        boolean own = has(findings, Weight.OWN);
        boolean doubt = has(findings, Weight.DOUBT);
        if (has(findings, Weight.HARD) || (timed && !doubt) || (soft && !own && !doubt)) {
            return RunVerdict.FAIL;
        }
        return own || timed || soft ? RunVerdict.INCONCLUSIVE : RunVerdict.PASS;
    }

    private static boolean has(List<Finding> findings, Weight weight) {
        return findings.stream().anyMatch(finding -> finding.weight() == weight);
    }
}
