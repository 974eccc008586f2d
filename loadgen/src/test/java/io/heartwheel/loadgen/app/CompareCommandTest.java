package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two files on the command line, and the exit status they come to. */
final class CompareCommandTest {

    private static final String RESULT =
            """
            {"format": "heartwheel-loadgen-result/1", "version": "1", "scenario": "s", "seed": 1,
             "started_at": "2026-01-01T00:00:00Z", "ramp_seconds": 1, "observed_seconds": 9, "verdict": "PASS",
             "findings": [], "clients": 10, "clients_by_target": {}, "clients_by_behaviour": {},
             "granted_least_millis": 1, "granted_most_millis": 1,
             "counts": {"opened": 10, "false_kills": %d}, "timings": {}, "histograms": {}, "tables": {},
             "lateness_limit_nanos": 1, "evidence": [], "recoveries": [],
             "health": {"wall_nanos": 9, "cpu_nanos": 1, "collector_nanos": 0, "machine_busy_nanos": 1, "processors": 2,
               "pacing": {"count": 0, "p50_nanos": 0, "p90_nanos": 0, "p99_nanos": 0, "p999_nanos": 0, "max_nanos": 0}},
             "generator_was_bottleneck": false, "costs": null, "series": [], "marks": []}
            """;

    @TempDir
    private Path directory;

    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();
    private String good = "";
    private String bad = "";

    @BeforeEach
    void write() throws Exception {
        good = Files.writeString(directory.resolve("a.json"), RESULT.formatted(0))
                .toString();
        bad = Files.writeString(directory.resolve("b.json"), RESULT.formatted(3))
                .toString();
    }

    private int execute(String... arguments) {
        CommandLine line = LoadgenMain.commandLine();
        line.setOut(new PrintWriter(output));
        line.setErr(new PrintWriter(errors, true));
        return line.execute(arguments);
    }

    @Test
    void compare_twoResults_printsTheTable() {
        assertEquals(0, execute("compare", good, bad));
        assertTrue(output.toString().contains("* false_kills "), output::toString);
    }

    @Test
    void compare_json_printsJson() {
        assertEquals(0, execute("compare", "--json", good, bad));
        assertTrue(
                output.toString().startsWith("{\n  \"format\" : \"heartwheel-loadgen-comparison/1\""),
                output::toString);
    }

    @Test
    void compare_worse_fails() {
        assertEquals(1, execute("compare", "--fail-if-worse", "10", good, bad));
        assertEquals("worse: false_kills: 0 became 3", errors.toString().strip());
        assertEquals(0, execute("compare", "--fail-if-worse", "10", bad, good));
        assertEquals(0, execute("compare", "--fail-if-worse", "10", good, good));
    }

    @Test
    void compare_whatIsNoResult_isAUsageError() {
        assertEquals(2, execute("compare", good));
        assertEquals(2, execute("compare", good, directory.resolve("none.json").toString()));
        assertTrue(errors.toString().contains("none.json: no such file"), errors::toString);
        assertEquals(2, execute("compare", "--fail-if-worse", "-1", good, bad));
        assertTrue(errors.toString().contains("fail-if-worse = -1.0: need 0..1000000 percent"), errors::toString);
        assertEquals(2, execute("compare", "--fail-if-worse", "NaN", good, bad));
    }
}
