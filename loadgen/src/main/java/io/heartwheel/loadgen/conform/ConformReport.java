package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.judge.RunVerdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Result of a run: as a table for people, and as an exit status.
 *
 * @param tookMillis the whole run
 * @param stillMillis of it this process stood still, and perhaps the machine
 */
public record ConformReport(RunVerdict verdict, long tookMillis, long stillMillis, List<RuleResult> rules) {

    private static final int NOT_BEGUN = 4;
    /** A client that broke a rule is worse than one that could not be judged. */
    private static final Comparator<RunVerdict> WORSE =
            Comparator.comparing(List.of(RunVerdict.PASS, RunVerdict.INCONCLUSIVE, RunVerdict.FAIL)::indexOf);

    /** Keeps its own copy of the list. */
    public ConformReport {
        rules = List.copyOf(rules);
    }

    /** What became of one case. */
    public record CaseResult(String name, RunVerdict verdict, String seen, boolean connected) {}

    /** Result of a rule: the worst verdict of its cases, and what was seen of those that decided. */
    public record RuleResult(String rule, RunVerdict verdict, String seen, List<CaseResult> cases) {

        /** Keeps its own copy of the list. */
        public RuleResult {
            cases = List.copyOf(cases);
        }

        static RuleResult of(Rule rule, List<CaseResult> cases) {
            RunVerdict verdict = worst(cases.stream().map(CaseResult::verdict).toList());
            List<String> seen = cases.stream()
                    .filter(each -> each.verdict() == verdict)
                    .map(each -> cases.size() == 1 ? each.seen() : each.name() + ": " + each.seen())
                    .toList();
            return new RuleResult(rule.name(), verdict, String.join("; ", seen), cases);
        }
    }

    private static RunVerdict worst(List<RunVerdict> verdicts) {
        return verdicts.stream().max(WORSE).orElse(RunVerdict.PASS);
    }

    /** Of these results. */
    public static ConformReport of(long tookMillis, long stillMillis, List<RuleResult> rules) {
        RunVerdict verdict = worst(rules.stream().map(RuleResult::verdict).toList());
        return new ConformReport(verdict, tookMillis, stillMillis, rules);
    }

    /** That of the verdict, or 4 if no connection ever came from the client. */
    public int exitStatus() {
        boolean connected =
                rules.stream().flatMap(each -> each.cases().stream()).anyMatch(CaseResult::connected);
        return connected ? verdict.exitStatus() : NOT_BEGUN;
    }

    /** A head, a line for each rule, and the verdict. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        int width = rules.stream().mapToInt(each -> each.rule().length()).max().orElse(0);
        String form = "%-" + Math.max(4, width) + "s  %-12s  %s";
        lines.add(String.format(form, "rule", "verdict", "what was seen"));
        for (RuleResult each : rules) {
            lines.add(String.format(form, each.rule(), each.verdict(), each.seen()));
        }
        lines.add(verdict + ": " + count(RunVerdict.PASS) + " rules kept, " + count(RunVerdict.FAIL) + " broken, "
                + count(RunVerdict.INCONCLUSIVE) + " not judged, in " + tookMillis / 1_000 + " s"
                + (stillMillis > 0
                        ? "; the machine stood still or had no processor to give for " + stillMillis + " ms"
                        : ""));
        return lines;
    }

    private long count(RunVerdict wanted) {
        return rules.stream().filter(each -> each.verdict() == wanted).count();
    }
}
