package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The demo as its user runs it: one process that starts another, and leaves none behind. */
@Execution(ExecutionMode.CONCURRENT)
final class DemoIT {

    private static final long LONG_SECONDS = 60;

    @TempDir
    private Path temporary;

    private Process demo;
    private BufferedReader output;

    private void start() throws IOException {
        // as in the background of a shell
        List<String> command = List.of(
                "env",
                "--ignore-signal=INT,HUP",
                "--default-signal=TERM",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-jar",
                System.getProperty("heartwheel.loadgen.jar"),
                "demo",
                "--gateway-jar",
                System.getProperty("heartwheel.gateway.jar"),
                "--gateway-java=-XX:TieredStopAtLevel=1",
                "--gateway-java=-XX:+UseSerialGC",
                "--clients=300",
                "--rate=300",
                "--interval=1500",
                "--duration=10",
                "--contract=slack=2s",
                "--seed=11",
                // full from the beginning to the end: a verdict needs no disk
                "--json=/dev/full");
        demo = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (demo != null) {
            List<ProcessHandle> left = demo.descendants().toList();
            demo.destroyForcibly().waitFor();
            left.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void demo_realGateway_passesAndShowsTheTable() throws Exception {
        ScenarioRun run = ScenarioRun.demo(
                temporary,
                "demo",
                List.of(
                        "--clients=300",
                        "--rate=300",
                        "--interval=1500",
                        "--duration=10",
                        "--contract=slack=2s",
                        "--seed=11"));
        run.passed().detected(30);
        String all = run.output();
        assertEquals(run.result().path("verdict").asText().equals("PASS") ? 0 : 3, run.status(), all);
        assertTrue(all.contains("connected            300 of 300; "), all);
        assertTrue(all.contains("silent devices       30 closed of 30"), all);
        assertTrue(all.contains("silent: 30 with 4001 HEARTBEAT_TIMEOUT (expected 4001); live: none"), all);
        assertTrue(all.contains("false kills          0\nmissed kills         0\n"), all);
        assertTrue(all.contains("connected 300/300"), all);
        assertGone(gatewayPid(all));
        assertTemporaryIsEmpty();
    }

    @Test
    void demo_terminatedMidway_leavesNoGatewayBehind() throws Exception {
        start();
        String notice =
                "SIGINT is ignored: this process was started so; kill " + demo.pid() + " (SIGTERM) ends it early";
        readUntil(notice);
        long gateway = gatewayPid(readUntil("connected "));
        assertTrue(isAlive(gateway));
        demo.toHandle().destroy(); // which leaves its output to be read
        readUntil("--json = /dev/full: not written: No space left on device");
        assertTrue(demo.waitFor(LONG_SECONDS, TimeUnit.SECONDS));
        assertEquals(3, demo.exitValue());
        assertGone(gateway);
        assertTemporaryIsEmpty();
    }

    @Test
    void demo_terminatedWhileStarting_leavesNoGatewayBehind() throws Exception {
        start();
        List<ProcessHandle> children = new ArrayList<>();
        while (children.isEmpty() && demo.isAlive()) {
            TimeUnit.MILLISECONDS.sleep(5);
            demo.children().forEach(children::add);
        }
        demo.toHandle().destroy();
        assertTrue(demo.waitFor(LONG_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, children.size());
        assertGone(children.get(0).pid());
        assertTemporaryIsEmpty();
    }

    @Test
    void demo_killedOutright_gatewayLeavesByItself() throws Exception {
        start();
        long gateway = gatewayPid(readUntil("gateway pid"));
        demo.destroyForcibly();
        assertTrue(demo.waitFor(LONG_SECONDS, TimeUnit.SECONDS));
        CompletableFuture<ProcessHandle> end =
                ProcessHandle.of(gateway).map(ProcessHandle::onExit).orElse(CompletableFuture.completedFuture(null));
        end.get(LONG_SECONDS, TimeUnit.SECONDS);
        assertGone(gateway);
    }

    private String readUntil(String text) throws IOException {
        StringBuilder read = new StringBuilder();
        String line = output.readLine();
        while (line != null) {
            read.append(line).append('\n');
            if (line.contains(text)) {
                return read.toString();
            }
            line = output.readLine();
        }
        throw new AssertionError("ended without '" + text + "':\n" + read);
    }

    private static long gatewayPid(String text) {
        int at = text.indexOf("gateway pid ") + "gateway pid ".length();
        return Long.parseLong(text.substring(at, text.indexOf(',', at)));
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static void assertGone(long pid) {
        assertFalse(isAlive(pid), "gateway " + pid + " is still there");
    }

    private void assertTemporaryIsEmpty() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            List<Path> left = files.filter(file -> file.getFileName().toString().startsWith("heartwheel-"))
                    .toList();
            assertEquals(List.of(), left);
        }
    }
}
