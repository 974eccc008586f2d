package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** An agent as its coordinator knows it: a command that leads to a worker, with real worker processes behind it. */
@Isolated("it kills all children of this process")
final class AgentIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    /** 120 devices, 50 a worker as this machine is said to have 300 descriptors: three workers. */
    private static WorkerGroup play(AgentPool pool) {
        List<LoadDivision> divisions =
                LoadDivision.amongMachines(LoadDivisionTest.load(120, true), pool.capacities()).stream()
                        .map(part -> LoadDivision.of(part, pool.capacities().get(0)))
                        .toList();
        return pool.start("fine", divisions);
    }

    private static List<Long> descendants() {
        return ProcessHandle.current().descendants().map(ProcessHandle::pid).toList();
    }

    private static void awaitEnd(List<Long> pids) throws InterruptedException {
        while (pids.stream().anyMatch(WorkerPoolIT::isAlive)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Test
    void agent_ofThreeWorkers_playsWithThemAndNamesWhatItLoses() throws Exception {
        List<Long> pids;
        try (AgentPool pool = AgentPool.open(List.of(TestWorkerMain.shell()), LONG);
                WorkerGroup group = play(pool)) {
            assertTrue(group.pids().isEmpty(), "processes of another machine");
            group.begin();
            pids = descendants();
            assertEquals(120, group.present());
            group.act(2);
            assertEquals(300, group.snapshot().usage().cpuNanos());
            assertEquals(3, group.finish().evidence().size());
            group.act(13);
            List<String> lost = group.snapshot().lost();
            assertTrue(lost.get(0).matches("agent 1: worker 0 \\(pid \\d+\\): no step 13"), lost::toString);
            String last = ": 120 devices were given up with them; all below is what the others saw";
            assertTrue(lost.get(3).endsWith(last), lost::toString);
        }
        awaitEnd(pids);
    }

    @Test
    void agent_killed_isNamedAndItsWorkersEnd() throws Exception {
        try (AgentPool pool = AgentPool.open(List.of(TestWorkerMain.shell()), LONG);
                WorkerGroup group = play(pool)) {
            group.begin();
            List<Long> pids = descendants();
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
            String message = group.snapshot().lost().get(0);
            assertTrue(message.startsWith("agent 1 was lost at look ("), message);
            awaitEnd(pids);
        }
    }

    @Test
    void agent_thatCannotBeReached_saysWhy() throws Exception {
        try (AgentPool pool = AgentPool.open(List.of("echo no route to host >&2"), LONG)) {
            IllegalStateException lost = assertThrows(IllegalStateException.class, pool::capacities);
            assertTrue(
                    lost.getMessage().startsWith("agent 1 was lost at capacity (")
                            && lost.getMessage().endsWith("; its last words:\nno route to host"),
                    lost::toString);
        }
    }
}
