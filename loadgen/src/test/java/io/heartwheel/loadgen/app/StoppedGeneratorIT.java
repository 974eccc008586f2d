package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The generator's real process is stopped (SIGSTOP) while silent devices come due, or at another time: whoever was right
 * before is right afterwards. All runs side by side.
 */
@Tag("timed")
@Isolated("four generators, and a server that must not be late itself")
final class StoppedGeneratorIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    /** A toy server that stood still for so long was late itself. */
    private static final long STILL_NANOS = 50_000_000L;

    private static final long PATIENCE_SECONDS = 60;

    /** A hundred of 400 fall silent at once, and come due between 1.8 and 3 s later. */
    private static final String SCENARIO =
            """
            name = "stopped", seed = 7, clients = 400, id-prefix = "s-", ramp.rate = 400
            heartbeat { interval = 2s, share = 0.6 }
            contract { tick = 10ms, slack = 90ms, missed-after = 900ms, slack-max = 450ms, answer-within = 800ms }
            """;

    private static final String SOON =
            SCENARIO + "duration = 9s, timeline = [{ at = 500ms, do = silence, share = 0.25 }]\n";
    private static final String LATER =
            SCENARIO + "duration = 12s, timeline = [{ at = 5s, do = silence, share = 0.25 }]\n";

    private static final int SILENT = 100;

    @TempDir
    private static Path directory;

    private static ExecutorService threads;
    private static final List<CompletableFuture<Run>> RUNS = new ArrayList<>();

    /** Fault done to the processes meanwhile. */
    private interface Blow {
        /** How many silent devices the gateway closed while the generator was stopped. */
        int strike(ProcessHandle generator, FakeGateway gateway, Path log) throws Exception;
    }

    @BeforeAll
    static void playAll() {
        threads = Executors.newCachedThreadPool();
        RUNS.clear();
        play(SOON, Fault.NONE, (generator, gateway, log) -> {
            awaitCloses(gateway);
            int closed = 0;
            for (int i = 0; i < 3; i++) {
                closed += stop(generator, 250, gateway);
                TimeUnit.MILLISECONDS.sleep(150);
            }
            return closed;
        });
        play(SOON, Fault.NONE, (generator, gateway, log) -> {
            awaitCloses(gateway);
            return stop(generator, 1_000, gateway);
        });
        play(LATER, Fault.KILLS_TOO_LATE, (generator, gateway, log) -> {
            awaitText(log, "observing");
            return stop(generator, 1_000, gateway);
        });
        play(SOON, Fault.NONE, (generator, gateway, log) -> {
            awaitText(log, "observing");
            return stop(generator, 3_500, gateway);
        });
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
    }

    private static void play(String scenario, Fault fault, Blow outage) {
        String name = "run" + RUNS.size();
        RUNS.add(CompletableFuture.supplyAsync(
                () -> {
                    try (FakeGateway gateway = new FakeGateway(fault)) {
                        return played(name, scenario, gateway, outage);
                    } catch (Exception e) {
                        throw new IllegalStateException(name, e);
                    }
                },
                threads));
    }

    private static Run played(String name, String scenario, FakeGateway gateway, Blow outage) throws Exception {
        Path file = directory.resolve(name + ".conf");
        Path json = directory.resolve(name + ".json");
        Path log = directory.resolve(name + ".log");
        Files.writeString(
                file,
                scenario + "targets = [{ protocol = tcp, address = \"127.0.0.1:"
                        + gateway.tcp().getPort() + "\" }]\n");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + directory,
                        "-jar",
                        System.getProperty("heartwheel.loadgen.jar"),
                        "run",
                        "--scenario=" + file,
                        "--json=" + json)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            int closed = outage.strike(process.toHandle(), gateway, log);
            assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), () -> "did not end: " + text(log));
            assertTrue(Files.isRegularFile(json), () -> text(log));
            JsonNode result = JSON.readTree(json.toFile());
            return new Run(
                    result,
                    closed,
                    gateway.stoodStillNanos() < STILL_NANOS
                            && !result.path("findings").toString().contains("DOUBT"));
        } finally {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return log + ": " + e;
        }
    }

    private static void awaitCloses(FakeGateway gateway) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (gateway.silentClosed() < 10) {
            assertTrue(System.nanoTime() - giveUp < 0, "the silent were not closed");
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static void awaitText(Path log, String text) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!text(log).contains(text)) {
            assertTrue(System.nanoTime() - giveUp < 0, () -> text + " not in " + text(log));
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static int stop(ProcessHandle process, long millis, FakeGateway gateway) throws Exception {
        signal(process, "STOP");
        int before = gateway.silentClosed();
        TimeUnit.MILLISECONDS.sleep(millis);
        int closed = gateway.silentClosed() - before;
        signal(process, "CONT");
        return closed;
    }

    private static void signal(ProcessHandle process, String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    private static long count(JsonNode result, String name) {
        return result.path("counts").path(name).asLong();
    }

    private static String told(JsonNode result) {
        return result.path("verdict") + " " + result.path("findings") + " " + result.path("counts") + " "
                + result.path("timings");
    }

    /**
     * A run that is over.
     *
     * @param closedUnseen silent devices that were closed while the generator was stopped
     * @param calm whether machine and server were calm enough for it to have gone as it was meant to
     */
    private record Run(JsonNode result, int closedUnseen, boolean calm) {}

    private static Run neverFailed(int run) {
        Run seen = RUNS.get(run).join();
        JsonNode result = seen.result();
        if (seen.calm()) {
            assertNotEquals("FAIL", result.path("verdict").asText(), () -> told(result));
        }
        assertEquals(0, count(result, "missed_kills") - count(result, "closed_after_missed"), () -> told(result));
        assertEquals(0, count(result, "false_kills"), () -> told(result));
        return seen;
    }

    /** Closes that came while nobody read them are judged by the kernel's time. */
    private static void judgedBeingStopped(int run, int stops) {
        Run seen = neverFailed(run);
        JsonNode timings = seen.result().path("timings");
        assertTrue(timings.path("stall").path("count").asLong() >= stops, () -> told(seen.result()));
        assertTrue(seen.closedUnseen() > 0, "the generator was not stopped while devices came due");
        if (seen.calm()) {
            assertEquals(SILENT, count(seen.result(), "detected"), () -> told(seen.result()));
            assertEquals(0, count(seen.result(), "lateness_excused"), () -> told(seen.result()));
            long limit = seen.result().path("lateness_limit_nanos").asLong();
            assertTrue(timings.path("lateness").path("max_nanos").asLong() <= limit, () -> told(seen.result()));
        }
    }

    @Test
    void verdict_stoppedShortlyAndOftenWhileDevicesComeDue_isNotTheGatewaysFault() {
        judgedBeingStopped(0, 3);
    }

    @Test
    void verdict_stoppedForASecondWhileDevicesComeDue_isNotTheGatewaysFault() {
        judgedBeingStopped(1, 1);
    }

    @Test
    void verdict_stoppedAtAnotherTime_lateGatewayFailsAllTheSame() {
        Run run = RUNS.get(2).join();
        assertNotEquals("PASS", run.result().path("verdict").asText(), () -> told(run.result()));
        if (run.calm()) {
            assertEquals("FAIL", run.result().path("verdict").asText(), () -> told(run.result()));
            assertEquals(SILENT, count(run.result(), "missed_kills"), () -> told(run.result()));
        }
    }

    /** Whom the generator did not let speak in time the gateway may close. */
    @Test
    void verdict_stoppedForLongerThanAnySilence_isNotTheGatewaysFault() {
        Run run = neverFailed(3);
        assertTrue(count(run.result(), "own_faults") > 0, () -> told(run.result()));
        assertEquals("INCONCLUSIVE", run.result().path("verdict").asText(), () -> told(run.result()));
    }
}
