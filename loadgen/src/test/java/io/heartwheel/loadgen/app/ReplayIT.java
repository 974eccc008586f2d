package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import io.heartwheel.loadgen.scenario.Recording;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A gateway traces its fleet, and the recording is replayed against another gateway. */
@Timeout(300)
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT) // with ScenariosIT: all of them mostly wait
final class ReplayIT {

    private static final String SILENT_AND_OTHERS =
            """
            clients = 200
            duration = 20s
            targets = [ { protocol = tcp, address = "127.0.0.1:7070" }, { protocol = ws, address = "127.0.0.1:7080" } ]
            assert = []
            reconnect { policy = none }
            behaviours = [
              { kind = steady, weight = 85 }
              { kind = silent, weight = 7 }
              { kind = never-hello, weight = 3 }
              { kind = reset, weight = 3, after = 2s, until = 10s }
              { kind = leaving, weight = 2, after = 2s, until = 10s }
            ]
            """;

    @TempDir
    private Path directory;

    @Test
    void replay_tracedFleet_beatsAndFallsSilentAsItDid() throws Exception {
        Path trace = directory.resolve("trace.jsonl");
        String tracing =
                "gateways.java-options = [\"-Xmx128m\"]\ngateways.settings.trace { enabled = true, share = 1, file = \""
                        + trace + "\" }\n";
        ScenarioRun recorded = ScenarioRun.scenario(directory, "everyday", SILENT_AND_OTHERS + tracing);
        recorded.passed().detected(20);
        Recording recording;
        try (Reader text = Files.newBufferedReader(trace)) {
            recording = Recording.read(text);
        }
        assertEquals(List.of(), recording.mistakes());
        assertEquals(200, recording.lives().size());

        ScenarioRun run =
                ScenarioRun.demo(directory, "replay", List.of("--replay=" + trace, "--contract=slack=2s", "--seed=7"));
        run.passed().exactly(200, "started").detected(20);
        assertEquals(200, run.result().path("clients").asInt());
        assertEquals(20, of(recording, RecordedEnd.SILENT) + of(recording, RecordedEnd.NEVER_SPOKE));
        long arrivals = recording.lives().stream()
                .mapToLong(life -> Math.max(0, life.beatAtMillis().length - 1))
                .sum();
        // Goodbyes are no heartbeats, and what was still to come when the last one was judged is not waited for.
        long goodbyes = of(recording, RecordedEnd.LEFT);
        assertTrue(run.count("beats_sent") <= arrivals, run.output());
        assertTrue(run.count("beats_sent") >= arrivals - 2 * goodbyes, arrivals + " recorded\n" + run.output());
    }

    private static long of(Recording recording, RecordedEnd ended) {
        return recording.lives().stream()
                .map(RecordedConnection::ended)
                .filter(ended::equals)
                .count();
    }
}
