package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Proc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers as real processes. */
final class WorkerPoolIT {

    private static final List<String> PHASES = List.of("ramp", "observe", "finish", "dismiss");

    static Assignment assignment(String scenario, int workers) {
        List<WorkerShare> shares = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            shares.add(new WorkerShare(new Slice(100 * i, 100, 100 * workers, i, workers), 1, 32L << 20, List.of()));
        }
        return new Assignment(scenario, shares);
    }

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void start_threeWorkers_playTogetherAndLeaveWhenClosed() {
        List<Long> pids;
        try (WorkerGroup group = TestWorkerMain.pool().start(assignment("fine", 3))) {
            pids = group.pids();
            assertEquals(3, pids.size());
            group.begin();
            assertEquals(300, group.present());
            assertEquals(300, group.snapshot().usage().cpuNanos());
            for (long pid : pids) {
                assertTrue(Proc.ofThisMachine().process(pid).orElseThrow().proportionalBytes() > 0);
            }
        }
        pids.forEach(pid -> assertFalse(isAlive(pid)));
    }

    @Test
    void worker_dyingMidway_isNamedWithTheEndOfItsStandardError() {
        try (WorkerGroup group = TestWorkerMain.pool().start(assignment("fine", 2))) {
            group.act(99);
            String message = group.snapshot().lost().get(0);
            assertTrue(message.startsWith("worker 0 (pid " + group.pids().get(0) + ") was lost at act ("), message);
            assertTrue(message.contains("; its last words:\ntoy worker begins"), message);
        }
    }

    private static WorkerGroup impatient(String scenario) {
        WorkerPool pool = TestWorkerMain.pool();
        return new WorkerPool(pool.command(), pool.arguments(), pool.startLimit(), Duration.ofSeconds(2))
                .start(assignment(scenario, 3));
    }

    private static void signal(String name, long pid) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor());
    }

    /** Stopped or killed in each phase: given up and gone, and the others go on to the end. The next group starts while the one before waits. */
    @ParameterizedTest
    @ValueSource(strings = {"STOP", "KILL"})
    void worker_stoppedOrKilledInAnyPhase_isGivenUpAndTheOthersPlayOn(String signal) throws Exception {
        ExecutorService plays = Executors.newCachedThreadPool();
        List<Future<?>> begun = new ArrayList<>();
        try {
            for (String phase : PHASES) {
                WorkerGroup group = impatient("fine");
                begun.add(plays.submit(() -> {
                    loseOne(group, signal, phase);
                    return phase;
                }));
            }
            for (Future<?> play : begun) {
                play.get(60, TimeUnit.SECONDS);
            }
        } finally {
            plays.shutdown();
        }
    }

    private static void loseOne(WorkerGroup started, String signal, String phase) throws Exception {
        try (WorkerGroup group = started) {
            long pid = group.pids().get(1);
            for (String now : PHASES) {
                if (now.equals(phase)) {
                    signal(signal, pid);
                }
                ask(group, now);
            }
            WorkerResult part = group.finish();
            assertEquals(200, part.ledger().counts().get("opened"), phase);
            assertTrue(part.lost().get(0).startsWith("worker 1 (pid " + pid + ") "), () -> part.lost() + "");
            assertEquals(200, group.present());
            assertGone(pid);
        }
    }

    private static void ask(WorkerGroup group, String phase) {
        switch (phase) {
            case "ramp" -> {
                group.begin();
                group.snapshot();
            }
            case "observe" -> {
                group.observe();
                group.act(2);
                group.snapshot();
            }
            case "finish" -> group.finish();
            default -> {
                group.dismiss();
                group.present();
            }
        }
    }

    private static void assertGone(long pid) throws Exception {
        ProcessHandle.of(pid)
                .map(ProcessHandle::onExit)
                .orElse(CompletableFuture.completedFuture(null))
                .get(60, TimeUnit.SECONDS);
    }

    /** Ctrl-C reaches them as well; their coordinator still needs them. */
    @Test
    void worker_toldToEndBySignals_playsOn() throws Exception {
        try (WorkerGroup group = impatient("fine")) {
            for (long pid : group.pids()) {
                signal("INT", pid);
                signal("TERM", pid);
                signal("HUP", pid);
            }
            assertEquals(List.of(), group.snapshot().lost());
            assertEquals(300, group.present());
        }
    }

    @Test
    void worker_dyingAtTheStart_endsTheOthers() {
        String message = assertThrows(
                        IllegalStateException.class, () -> TestWorkerMain.pool().start(assignment("deadly", 4)))
                .getMessage();
        assertTrue(message.contains("has had enough"), message);
        assertEquals(
                List.of(),
                ProcessHandle.current()
                        .children()
                        .filter(child -> child.info().commandLine().orElse("").contains(TestWorkerMain.class.getName()))
                        .toList());
    }

    @Test
    void worker_noSuchProgram_isToldAtOnce() {
        JavaCommand wrong = new JavaCommand(Path.of("no-such-java"), List.of("-version"));
        String message = assertThrows(IllegalStateException.class, () -> WorkerPool.of(wrong, "worker")
                        .start(assignment("fine", 1)))
                .getMessage();
        assertTrue(message.startsWith("worker 0 was not started: "), message);
    }

    /** The hidden command of the real jar: leaves by itself, with status 0, when its input ends. */
    @Test
    void command_worker_answersAndLeavesAtTheEndOfItsInput() throws Exception {
        JavaCommand jar = JavaCommand.ofJar(Path.of(System.getProperty("heartwheel.loadgen.jar")));
        Process worker = new ProcessBuilder(jar.line(SmallJvm.options(32L << 20), List.of("worker"))).start();
        try {
            LineChannel lines =
                    new LineChannel(worker.getInputStream(), worker.getOutputStream(), Json.MOST_LINE_BYTES);
            lines.write(Json.text(WorkerRequest.of(WorkerRequest.Ask.CAPACITY)));
            assertTrue(Json.value(lines.read(), WorkerReply.class).limits().cores() > 0);
            worker.getOutputStream().close();
            assertTrue(worker.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, worker.exitValue());
        } finally {
            worker.destroyForcibly();
        }
    }

    /** Real workers of the real jar, prepared and not begun. */
    @Test
    void workers_rehearsed_mapTheirClassesFromOneArchive() throws Exception {
        JavaCommand jar = JavaCommand.ofJar(Path.of(System.getProperty("heartwheel.loadgen.jar")));
        String scenario = "clients = 200, targets = [{ protocol = tcp, address = \"127.0.0.1:1\" }]";
        try (WorkerGroup group = WorkerPool.of(jar, "worker").start(assignment(scenario, 2), 2)) {
            assertEquals(2, group.pids().size());
            for (long pid : group.pids()) {
                assertTrue(GatewayPoolIT.maps(pid).contains("/worker.jsa"));
            }
            assertEquals(0, group.present());
        }
    }

    @Test
    void patience_manyWorkers_growsWithTheirRounds() {
        assertEquals(Duration.ofMinutes(2), WorkerPool.patience(1, 2));
        assertEquals(Duration.ofMinutes(11), WorkerPool.patience(30, 2));
    }
}
