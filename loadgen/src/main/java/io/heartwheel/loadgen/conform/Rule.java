package io.heartwheel.loadgen.conform;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rule that a client must keep.
 *
 * @param name on the command line
 * @param cases in which it is tried, each with a client process of its own
 */
public record Rule(String name, List<Case> cases) {

    /** Keeps its own copy of the list. */
    public Rule {
        cases = List.copyOf(cases);
    }

    Rule(String name, Case... cases) {
        this(name, List.of(cases));
    }

    /** What a gateway does in a case, and what it looks at. */
    @FunctionalInterface
    interface Script {

        /**
         * Plays it.
         *
         * @return what was seen, when the client kept the rule
         * @throws CaseEnd when it broke the rule, or nobody can tell
         */
        String play(Trial trial);
    }

    /**
     * One way to try a rule.
     *
     * @param name tells it from the other cases of its rule
     * @param only the carrier with which it can be tried; null: each
     */
    record Case(String name, @Nullable Carrier only, Script script) {

        Case(String name, Script script) {
            this(name, null, script);
        }
    }

    /** Of it what can be tried with this carrier; without cases if nothing can. */
    Rule with(Carrier carrier) {
        return new Rule(
                name,
                cases.stream()
                        .filter(each -> each.only() == null || each.only() == carrier)
                        .toList());
    }
}
