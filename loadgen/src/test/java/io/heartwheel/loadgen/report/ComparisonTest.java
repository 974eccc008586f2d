package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two results side by side: what is marked, what is worse, what cannot be told. */
final class ComparisonTest {

    private static Comparison compare(Results a, Results b) {
        return Comparison.of(a.result(), b.result());
    }

    private static Comparison.Row row(Comparison comparison, String name) {
        return comparison.rows().stream()
                .filter(row -> row.name().equals(name))
                .findAny()
                .orElseThrow(() -> new AssertionError(name + " in " + comparison.rows()));
    }

    private static Results counted(Count what, long many) {
        Results results = Results.quiet();
        results.ledger.count(what, many);
        return results;
    }

    private static Results late(double millis) {
        Results results = Results.rich();
        results.many(Timing.LATENESS, 100_000, millis, 0.01);
        return results;
    }

    @Test
    void of_sameRunTwice_marksNothing() {
        Comparison comparison = compare(Results.rich(), Results.rich());
        assertTrue(comparison.rows().stream().noneMatch(Comparison.Row::notable), comparison::toString);
        assertEquals(List.of(), comparison.warnings());
        assertEquals(RunVerdict.PASS, comparison.judge(0));
    }

    @Test
    void row_justOverATenth_isMarked() {
        assertFalse(row(compare(counted(Count.GOAWAYS, 100), counted(Count.GOAWAYS, 110)), "goaways")
                .notable());
        assertTrue(row(compare(counted(Count.GOAWAYS, 100), counted(Count.GOAWAYS, 111)), "goaways")
                .notable());
        assertTrue(row(compare(counted(Count.GOAWAYS, 100), counted(Count.GOAWAYS, 89)), "goaways")
                .notable());
    }

    @Test
    void row_fromNothingToSomething_isMarkedWithoutARatio() {
        Comparison.Row row = row(compare(Results.quiet(), counted(Count.GOAWAYS, 1)), "goaways");
        assertTrue(row.notable());
        assertTrue(Double.isNaN(row.ratio()));
        assertEquals(Double.POSITIVE_INFINITY, row.growth());
    }

    @Test
    void row_onlyInOne_isMarked() {
        Comparison.Row row = row(compare(Results.rich(), Results.quiet()), "lateness_p99");
        assertTrue(row.notable());
        assertTrue(Double.isNaN(row.b()));
    }

    @Test
    void rows_zeroOrMissingInBoth_areLeftOut() {
        Comparison comparison = compare(Results.quiet(), Results.quiet());
        assertTrue(comparison.rows().stream().noneMatch(row -> row.name().equals("violations")));
        assertTrue(comparison.rows().stream().noneMatch(row -> row.name().startsWith("lateness")));
    }

    @Test
    void warnings_otherScenarioSeedAndClients_areGiven() {
        Results b = Results.rich();
        b.scenario = "drain";
        b.seed = 43;
        b.clients = 20_000;
        assertEquals(
                List.of(
                        "scenario differs: A restart, B drain",
                        "seed differs: A 42, B 43",
                        "clients differs: A 10000, B 20000"),
                compare(Results.rich(), b).warnings());
    }

    @Test
    void worse_eachGate_isSeenAboveThePercentOnly() {
        assertEquals(List.of(), compare(late(20), late(20.5)).worse(10));
        List<String> worse = compare(late(20), late(30)).worse(10);
        assertEquals(1, worse.size(), worse::toString);
        assertTrue(worse.get(0).startsWith("lateness_p99: 2"), worse::toString);
        assertEquals(List.of(), compare(late(20), late(30)).worse(60));
        assertEquals(List.of(), compare(late(30), late(20)).worse(0));
    }

    @Test
    void worse_firstFalseKill_isWorseAtAnyPercent() {
        Results b = Results.quiet();
        b.ledger.count(Count.FALSE_KILLS);
        assertEquals(
                List.of("false_kills: 0 became 1"), compare(Results.quiet(), b).worse(1_000_000));
        assertEquals(RunVerdict.FAIL, compare(Results.quiet(), b).judge(1_000_000));
        assertEquals(List.of(), compare(b, Results.quiet()).worse(0));
    }

    @Test
    void worse_memory_isThatOfAConnection() {
        Results b = Results.rich();
        b.costs = new Costs(9_000, 1, 120L << 20, 0, 1, 410L << 20, 0, 31L << 20, 0);
        assertEquals(
                List.of("memory_bytes_per_connection: 52.5 KiB became 63.8 KiB"),
                compare(Results.rich(), b).worse(10));
    }

    @Test
    void worse_verdictThatBecameFail_isWorse() {
        Results b = Results.rich();
        b.verdict = RunVerdict.FAIL;
        assertEquals(
                List.of("verdict: PASS became FAIL"), compare(Results.rich(), b).worse(10));
        assertEquals(List.of(), compare(b, b).worse(10));
    }

    @Test
    void judge_gateMissingOnOneSide_isUnknown() {
        assertEquals(
                RunVerdict.INCONCLUSIVE,
                compare(Results.rich(), Results.quiet()).judge(10));
        assertEquals(
                RunVerdict.INCONCLUSIVE,
                compare(Results.quiet(), Results.rich()).judge(10));
        assertEquals(RunVerdict.PASS, compare(Results.quiet(), Results.quiet()).judge(10));
    }

    @Test
    void judge_inconclusiveRun_isUnknown() {
        Results b = Results.rich();
        b.verdict = RunVerdict.INCONCLUSIVE;
        assertEquals(RunVerdict.INCONCLUSIVE, compare(Results.rich(), b).judge(10));
        assertEquals(RunVerdict.INCONCLUSIVE, compare(b, Results.rich()).judge(10));
    }

    @Test
    void table_differences_areMarkedAtTheirLine() {
        List<String> lines = compare(late(20), late(30).falseKill("dev-1", "")).lines();
        String text = String.join("\n", lines);
        assertTrue(text.contains("* verdict                                        PASS             FAIL"), text);
        assertTrue(
                text.contains("* false_kills                                       0                1        -"), text);
        assertTrue(
                text.contains("  opened                                       10,000           10,000     1.00"), text);
        assertTrue(text.matches("(?s).*\\* lateness_p99 +20.\\d ms +30.\\d ms     1.5\\d.*"), text);
        assertTrue(lines.get(lines.size() - 1).matches("\\d of \\d+ figures differ by more than 10 % \\(\\*\\)"), text);
    }

    @Test
    void figures_anyTwoResults_haveTheSameNames() {
        List<String> rich = Figure.all(Results.rich().result(), 1).stream()
                .map(Figure::name)
                .toList();
        List<String> quiet = Figure.all(Results.quiet().result(), 1).stream()
                .map(Figure::name)
                .toList();
        assertEquals(rich, quiet);
        assertEquals(rich.size(), rich.stream().distinct().count());
        assertTrue(rich.containsAll(Comparison.GATES));
    }
}
