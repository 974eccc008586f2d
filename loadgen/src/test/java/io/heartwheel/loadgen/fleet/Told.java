package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;

/** Counts of a trial's result, and all of it in words for when they are not as they should be. */
final class Told {
    private Told() {}

    static String told(Result result) {
        StringBuilder text = new StringBuilder("\n" + result.findings() + "\n" + result.counts() + "\n");
        text.append(result.tables()).append('\n');
        result.evidence().forEach(evidence -> text.append(evidence.line()).append('\n'));
        return text.toString();
    }

    static long count(Result result, Count what) {
        return result.counts().getOrDefault(what.label(), 0L);
    }

    static void assertCount(long wanted, Count what, Result result) {
        assertEquals(wanted, count(result, what), () -> what + told(result));
    }
}
