package io.heartwheel.loadgen.judge;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reason against a PASS.
 *
 * @param weight how much it proves
 * @param text one line for people
 */
public record Finding(Weight weight, String text) {

    /** Weight of a finding as proof. */
    public enum Weight {
        HARD("proof against the gateway, however slow the generator was"),
        /**
         * What the generator could not see is taken off each single figure, so that it was slow in general excuses nothing
         * here; a machine that had no processor to give does.
         */
        TIMED("a limit of time that the gateway broke; what the generator itself could not see is taken off"),
        SOFT("speaks against the gateway, unless the generator was the bottleneck"),
        OWN("speaks against the generator: nothing is proved"),
        DOUBT("excuses what is soft or timed, and is no fault itself");

        private final String meaning;

        Weight(String meaning) {
            this.meaning = meaning;
        }

        /** In words. */
        public String meaning() {
            return meaning;
        }
    }

    /** The verdict these findings amount to. */
    static RunVerdict verdict(List<Finding> findings) {
        Set<Weight> found = findings.stream().map(Finding::weight).collect(Collectors.toSet());
        boolean soft = found.contains(Weight.SOFT);
        boolean timed = found.contains(Weight.TIMED);
        boolean own = found.contains(Weight.OWN);
        boolean doubt = found.contains(Weight.DOUBT);
        if (found.contains(Weight.HARD) || (timed && !doubt) || (soft && !own && !doubt)) {
            return RunVerdict.FAIL;
        }
        return own || timed || soft ? RunVerdict.INCONCLUSIVE : RunVerdict.PASS;
    }
}
