package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run has a result, whatever happens to the workers. */
@Timeout(60)
final class CoordinatorTest {

    private static final int CLIENTS = 100;
    private static final String LONG = "duration = 1h, ";
    private static final Usage NO_USAGE = new Usage(0, 0, 0);

    /** All are connected at once; what goes wrong is given by word: at which call, and how. */
    private static final class Toy {
        private final String failing;
        private final boolean throwing;
        private final long falseKills;
        private final List<String> calls = new ArrayList<>();
        private boolean lost;

        Toy(String failing, boolean throwing, long falseKills) {
            this.failing = failing;
            this.throwing = throwing;
            this.falseKills = falseKills;
        }

        private Object call(String name) {
            calls.add(name);
            if (name.equals(failing)) {
                if (throwing) {
                    throw new IllegalStateException("an event loop did not answer");
                }
                lost = true;
            }
            return switch (name) {
                case "snapshot" -> new RunReading(0, page(), NO_USAGE, lost());
                case "finish" -> new WorkerResult(page(), List.of(), 60_000, 60_000, NO_USAGE, NO_USAGE, lost());
                case "present" -> 0L;
                default -> null;
            };
        }

        private List<String> lost() {
            return lost ? List.of("worker 1 was lost") : List.of();
        }

        private Ledger.Page page() {
            Ledger ledger = new Ledger();
            for (Count what : List.of(Count.STARTED, Count.ARRIVED, Count.OPENED)) {
                ledger.count(what, CLIENTS);
            }
            ledger.count(Count.FALSE_KILLS, falseKills);
            return ledger.page();
        }

        Worker worker() {
            Class<?>[] type = {Worker.class};
            return (Worker) Proxy.newProxyInstance(
                    Worker.class.getClassLoader(), type, (proxy, method, with) -> call(method.getName()));
        }
    }

    private static Result played(String settings, Toy toy) throws InterruptedException {
        Scenario scenario = ScenarioReader.read(
                settings + "clients = " + CLIENTS + ", targets = [{ protocol = tcp, address = \"127.0.0.1:1\" }]",
                "toy");
        try (EarlyEnd early = new EarlyEnd(new PrintWriter(Writer.nullWriter()))) {
            return new Coordinator(scenario, toy.worker(), new Environment(), snapshot -> {}, 1_000_000, early)
                    .run("test");
        }
    }

    private static void assertSays(RunVerdict verdict, String text, Result result) {
        assertEquals(verdict, result.verdict(), () -> String.valueOf(result.findings()));
        assertTrue(
                result.findings().stream().anyMatch(finding -> finding.text().contains(text)),
                () -> String.valueOf(result.findings()));
    }

    @Test
    void run_workerLostInAnyPhase_endsInconclusive() throws Exception {
        for (String phase : List.of("begin", "snapshot", "observe", "act", "finish")) {
            String length = phase.equals("finish") ? "duration = 1s, " : LONG;
            Toy toy = new Toy(phase, false, 0);
            Result result = played(length + "timeline = [{ at = 0s, do = silence, share = 0 }], ", toy);
            assertSays(RunVerdict.INCONCLUSIVE, "worker 1 was lost", result);
            assertEquals("finish", toy.calls.get(toy.calls.size() - 1), phase);
        }
    }

    @Test
    void run_workerFailingInAnyPhase_endsInconclusive() throws Exception {
        for (String phase : List.of("begin", "snapshot", "observe", "act", "finish")) {
            String length = phase.equals("finish") ? "duration = 1s, " : LONG;
            Result result =
                    played(length + "timeline = [{ at = 0s, do = silence, share = 0 }], ", new Toy(phase, true, 0));
            assertSays(RunVerdict.INCONCLUSIVE, "an event loop did not answer", result);
        }
    }

    @Test
    void run_workerLostAndAFaultSeenByTheOthers_fails() throws Exception {
        assertSays(RunVerdict.FAIL, "3 false kills", played(LONG, new Toy("observe", false, 3)));
    }

    @Test
    void run_stepThatCannotBePlayed_isToldInTheResult() throws Exception {
        Result result = played(
                "duration = 1s, timeline = [{ at = 0s, do = exec, command = [\"false\"] }], ", new Toy("", false, 0));
        assertSays(RunVerdict.INCONCLUSIVE, "timeline: java.io.IOException: false: exit status 1", result);
    }

    @Test
    void run_stepWhoseTurnComesWhileTheOneBeforeIsUnderWay_isHeldUp() throws Exception {
        Result result = played(
                "duration = 1s, timeline = [{ at = 0s, do = exec, command = [sleep, \"3\"] }, { at = 100ms, do = exec,"
                        + " command = [\"false\"] }], ",
                new Toy("", false, 0));
        assertSays(RunVerdict.INCONCLUSIVE, "timeline: exec false was not begun: the step before was not over", result);
        assertEquals(1, result.marks().size(), "what it excuses begins with it");
    }

    @Test
    void lookNanos_workers_isTheRarerTheMoreOfThemItWakes() {
        assertEquals(250, LocalRun.snapshotNanos(1) / 1_000_000);
        assertEquals(250, LocalRun.snapshotNanos(4) / 1_000_000);
        assertEquals(1_000, LocalRun.snapshotNanos(6) / 1_000_000);
        assertEquals(3_975, LocalRun.snapshotNanos(53) / 1_000_000);
    }
}
