package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A coordinator that is killed outright leaves nothing behind. */
@Execution(ExecutionMode.CONCURRENT)
final class OrphansIT {

    /** What nobody is left to remove. */
    @TempDir
    private Path temporary;

    /** Starts a coordinator, kills it when it has told its children, and gives them. */
    private List<Long> orphans(String... arguments) throws Exception {
        JavaCommand command = JavaCommand.ofThisProcess(TestCoordinator.class.getName());
        List<String> line = command.line(
                List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + temporary),
                List.of(arguments));
        Process coordinator = new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(coordinator.getInputStream(), StandardCharsets.UTF_8))) {
            String told = out.readLine();
            List<Long> pids = new ArrayList<>();
            for (String pid : told.substring(1, told.length() - 1).split(", ", -1)) {
                pids.add(Long.parseLong(pid));
                assertTrue(WorkerPoolIT.isAlive(Long.parseLong(pid)), told);
            }
            return pids;
        } finally {
            coordinator.destroyForcibly().waitFor();
        }
    }

    private static void assertLeaving(List<Long> pids) throws Exception {
        for (long pid : pids) {
            ProcessHandle.of(pid)
                    .map(ProcessHandle::onExit)
                    .orElse(CompletableFuture.completedFuture(null))
                    .get(90, TimeUnit.SECONDS);
            assertFalse(WorkerPoolIT.isAlive(pid));
        }
    }

    @Test
    void workers_coordinatorKilled_leaveByThemselves() throws Exception {
        assertLeaving(orphans("workers"));
    }

    @Test
    void gateway_frozenAndCoordinatorKilled_isThawedAndLeaves() throws Exception {
        assertLeaving(orphans("gateway", System.getProperty("heartwheel.gateway.jar")));
    }
}
