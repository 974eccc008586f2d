package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rows of the table, and those that are left out when there is nothing to show. */
final class VerdictTableTest {

    private static String text(Results results) {
        return String.join("\n", VerdictTable.of(results.result()));
    }

    private static void assertHas(Results results, String part) {
        String text = text(results);
        assertTrue(text.contains(part), text);
    }

    @Test
    void of_anyResult_endsWithTheVerdictAlone() {
        Results results = Results.rich();
        for (RunVerdict verdict : RunVerdict.values()) {
            results.verdict = verdict;
            List<String> lines = VerdictTable.of(results.result());
            assertEquals(verdict.name(), lines.get(lines.size() - 1));
        }
    }

    @Test
    void of_quietRun_leavesOutWhatItHadNothingOf() {
        String text = text(Results.quiet());
        for (String section :
                List.of("data", "silent", "lateness", "recovery", "memory", "takeovers", "connect latency", "wrong")) {
            assertFalse(text.contains("\n" + section), section + "\n" + text);
        }
        assertTrue(text.contains("\nfalse kills          0\nmissed kills         0\n"), text);
    }

    @Test
    void of_richRun_hasEverySection() {
        Results rich = Results.rich();
        assertHas(rich, "connected            10,000 of 10,000; tcp=127.0.0.1:45651 5,000, ws=127.0.0.1:45161 5,000\n");
        assertHas(rich, "byte-drip 200, duplicate 300, silent 1,000, steady 8,500; granted 2000 ms\n");
        assertHas(rich, "time to connect      5.0 s, 2,000 connections/s\n");
        assertHas(rich, "\n  TCP                p50 0.20 ms");
        assertHas(rich, "\nround trip           p50 0.40 ms");
        assertHas(rich, "\n  uncorrected        p50 0.20 ms");
        assertHas(rich, "0 lost, 0 changed, 0 doubled, 0 out of order");
        assertHas(rich, "\nsilent devices       1,000 closed of 1,000\n");
        assertHas(rich, "limit p99 40.0 ms\n  progress lateness  p50 ");
        assertHas(rich, "silent: 1,000 with 4001 HEARTBEAT_TIMEOUT (expected 4001)");
        assertHas(rich, "live: none (expected none but 9,000 lost to what the scenario did)");
        assertHas(rich, "never-hello: 300 with 4006 HANDSHAKE_TIMEOUT (expected 4006 or fin or rst)");
        assertHas(rich, "takeovers            300, 300 right, 0 wrong; older one closed p50 ");
        assertHas(rich, "recovery             restart gateway 0 at 60.0 s: 9,000 connected, down to 0\n");
        assertHas(rich, "back 50 % after 3.4 s, 95 % after 7.9 s, 99 % after 9.6 s, 100 % after 12.2 s\n");
        assertHas(rich, "at most 1,934 connects/s, 120 failed attempts\n");
        assertHas(rich, "memory               kernel 31.0 MiB, gateway 310.0 MiB, generator 120.0 MiB, all 461.0 MiB;");
        assertHas(rich, "  a connection       kernel 3.5 KiB, gateway 35.3 KiB, generator 13.7 KiB, all 52.5 KiB\n");
        assertHas(
                rich,
                "a heartbeat, with all else done meanwhile: gateway 71.0 us, generator 91.3 us; kernel included, start and JIT left out\n");
        assertHas(rich, "max 9.2 ms; not the bottleneck\n");
    }

    @Test
    void of_silentAndLiveOnly_putsThemInOneLine() {
        Results results = Results.quiet();
        results.ledger.count(Count.CONDEMNED, 30);
        results.ledger.row("closes of silent", "4001", 30);
        assertHas(results, "silent: 30 with 4001 HEARTBEAT_TIMEOUT (expected 4001); live: none");
    }

    @Test
    void of_recoveryNeverReached_saysNever() {
        Results results = Results.quiet();
        results.recoveries.add(new Recovery("kill", 1, 10, 0, Map.of(50, 2.0), 5, 0));
        assertHas(results, "back 50 % after 2.0 s, 95 % never, 99 % never, 100 % never");
    }

    @Test
    void of_costsPartlyKnown_saysUnknownAndNoSum() {
        Results results = Results.quiet();
        results.costs = new Costs(1_000, 1, 1 << 20, 0, 0, 0, 0, 0, 0);
        assertHas(
                results,
                "memory               kernel unknown, gateway unknown, generator 1.0 MiB; with 1,000 connected");
        assertFalse(text(results).contains("processor time"));
    }

    @Test
    void of_generatorTooSlow_saysSoPlainly() {
        Results results = Results.quiet();
        results.bottleneck = true;
        assertHas(results, "; the generator was the bottleneck\n");
    }

    @Test
    void of_refusals_countsAndExplainsThem() {
        Results results = Results.quiet();
        results.ledger.count(Count.REFUSED, 7);
        results.ledger.row("refusals", "4401 UNAUTHORIZED", 7);
        assertHas(results, "7 refused: 4401 UNAUTHORIZED 7\n");
    }

    @Test
    void of_wordsFromOutside_cannotMoveTheCursor() {
        String text = text(Results.quiet().falseKill("dev\u001b[2J", "bye\n\u202e\u0007"));
        assertFalse(text.contains("\u001b") || text.contains("\u0007") || text.contains("\u202e"), text);
        assertTrue(text.contains("dev?[2J (live) at 41.500s, 4001 HEARTBEAT_TIMEOUT \"bye???\""), text);
    }

    @Test
    void of_retryWindows_tellsWhoCameBackInTheirs() {
        Results results = Results.quiet();
        assertFalse(text(results).contains("retry windows"));
        results.ledger.count(Count.BACK_IN_WINDOW, 2_990);
        results.ledger.count(Count.BACK_LATE, 7);
        results.ledger.count(Count.BACK_NEVER, 2);
        results.ledger.count(Count.BACK_EARLY, 3);
        results.ledger.count(Count.LOST_UNTOLD, 4);
        assertHas(
                results,
                "retry windows        2,990 devices back within theirs, 7 let in later, 2 never, 3 came early\n");
        assertHas(results, "4 lost their connection without a GOAWAY\n");
    }

    @Test
    void of_findings_standWithTheirWeight() {
        assertHas(Results.quiet().falseKill("dev-1", ""), "\n  HARD: 1 false kills\nFAIL");
    }

    @Test
    void fit_anyWidth_keepsEveryWordAndNoLineIsWider() {
        Results results = Results.rich();
        results.verdict = RunVerdict.FAIL;
        List<String> table = VerdictTable.of(results.result());
        for (int columns = Screen.LEAST_COLUMNS; columns <= Screen.MOST_COLUMNS; columns++) {
            Screen screen = new Screen(columns, 24);
            List<String> fitted =
                    table.stream().flatMap(line -> screen.fit(line).stream()).toList();
            for (String line : fitted) {
                assertTrue(Screen.columnsOf(line) < columns, columns + ": " + line);
            }
            assertEquals(words(table), words(fitted), () -> "at " + screen);
        }
    }

    private static String words(List<String> lines) {
        return String.join(" ", lines).replaceAll("-{9,}", "").replaceAll("\\s+", " ");
    }

    @Test
    void fit_lineWithAName_continuesInItsColumnOrBelowTheName() {
        String line =
                "heartbeats           95,840 sent, 95,840 answered, 0 unanswered by 0 live devices; probes 0 to live";
        assertEquals(
                List.of(
                        "heartbeats           95,840 sent, 95,840 answered, 0 unanswered by 0 live",
                        "                     devices; probes 0 to live"),
                new Screen(80, 24).fit(line));
        assertEquals(
                List.of(
                        "heartbeats",
                        "  95,840 sent, 95,840 answered, 0",
                        "  unanswered by 0 live devices; probes",
                        "  0 to live"),
                new Screen(40, 24).fit(line));
        assertEquals(List.of("-".repeat(49)), new Screen(50, 24).fit("-".repeat(100)));
        assertEquals(List.of("x".repeat(39), "x"), new Screen(40, 24).fit("x".repeat(40)));
    }
}
