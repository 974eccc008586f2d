package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.judge.RunVerdict;

/** Early end of a case: the client broke the rule, or nobody can tell. Without a stack trace: it is a result. */
final class CaseEnd extends RuntimeException {

    private static final long serialVersionUID = 1L;

    final RunVerdict verdict;

    private CaseEnd(RunVerdict verdict, String seen) {
        super(seen, null, false, false);
        this.verdict = verdict;
    }

    static CaseEnd broken(String seen) {
        return new CaseEnd(RunVerdict.FAIL, seen);
    }

    static CaseEnd notJudged(String why) {
        return new CaseEnd(RunVerdict.INCONCLUSIVE, why);
    }

    String seen() {
        return String.valueOf(getMessage());
    }
}
