package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.loadgen.fake.FakeGateway;
import io.heartwheel.loadgen.fake.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs of several worker processes that end before their time: by a signal, or because a worker is lost. */
@Execution(ExecutionMode.CONCURRENT)
final class EarlyEndIT {

    /** A shell's limit on open files makes several workers of few devices. */
    private static final String FEW_FILES = "ulimit -n 300; exec \"$@\"";

    private static final long LONG_SECONDS = 60;

    @TempDir
    private Path directory;

    private FakeGateway gateway;
    private Process run;

    @BeforeEach
    void listen() throws Exception {
        gateway = new FakeGateway(Fault.NONE);
    }

    @AfterEach
    void stop() throws Exception {
        List<ProcessHandle> left = run.descendants().toList();
        run.destroyForcibly().waitFor();
        left.forEach(ProcessHandle::destroyForcibly);
        gateway.close();
    }

    /**
     * Begins a run of two workers and a minute, in a process group of its own; answers their pids once it says this.
     *
     * @param rate devices a second, of 100
     */
    private List<ProcessHandle> started(int rate, String until) throws Exception {
        run = new ProcessBuilder(
                        "setsid",
                        "env",
                        "--default-signal=INT,TERM,HUP",
                        "sh",
                        "-c",
                        FEW_FILES,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        System.getProperty("heartwheel.loadgen.jar"),
                        "run",
                        "--target=tcp=127.0.0.1:" + gateway.tcp().getPort(),
                        "--clients=100",
                        "--rate=" + rate,
                        "--interval=4000",
                        "--contract=slack=5s",
                        "--duration=60",
                        "--json=" + json())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        while (run.isAlive() && !output().contains(until)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        List<ProcessHandle> workers = run.children()
                .filter(child -> child.info().commandLine().orElse("").endsWith(" worker"))
                .toList();
        assertEquals(2, workers.size(), this::output);
        return workers;
    }

    private Path json() {
        return directory.resolve("result.json");
    }

    private String output() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void signal(String name, String whom) throws Exception {
        assertEquals(
                0, new ProcessBuilder("kill", "-" + name, "--", whom).start().waitFor());
    }

    private void assertEnded(int status, List<ProcessHandle> workers, String... said) throws Exception {
        assertTrue(run.waitFor(LONG_SECONDS, TimeUnit.SECONDS), this::output);
        String output = output();
        assertEquals(status, run.exitValue(), output);
        for (String text : said) {
            assertTrue(output.contains(text), () -> text + "\n" + output);
        }
        for (ProcessHandle worker : workers) {
            worker.onExit().get(LONG_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(
                "INCONCLUSIVE",
                new ObjectMapper().readTree(json().toFile()).path("verdict").asText());
    }

    @Test
    void interrupted_asByCtrlC_tellsTheVerdictSoFarAndLeavesNobody() throws Exception {
        List<ProcessHandle> workers = started(100, "| observing");
        signal("INT", "-" + run.pid());
        assertEnded(
                3, workers, "OWN: the run was told to end after ", "connected            100 of 100", "\nINCONCLUSIVE");
    }

    @Test
    void terminated_withAWorkerThatStandsStill_tellsWhatTheOthersSaw() throws Exception {
        List<ProcessHandle> workers = started(20, "| connecting");
        signal("STOP", Long.toString(workers.get(0).pid()));
        signal("TERM", Long.toString(run.pid()));
        assertEnded(
                3,
                workers,
                "OWN: the run was told to end during the ramp",
                "OWN: worker ",
                "50 devices were given up with them",
                "\nINCONCLUSIVE");
    }

    @Test
    void worker_killed_endsTheRunWithAVerdictOfTheOthers() throws Exception {
        List<ProcessHandle> workers = started(100, "| observing");
        workers.get(1).destroyForcibly();
        CompletableFuture<Process> end = run.onExit();
        end.get(LONG_SECONDS, TimeUnit.SECONDS);
        assertEnded(3, workers, " was lost at ", "50 devices were given up with them", "\nINCONCLUSIVE");
    }
}
