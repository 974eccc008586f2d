package io.heartwheel.loadgen.judge;

import static io.heartwheel.loadgen.judge.Finding.Weight.DOUBT;
import static io.heartwheel.loadgen.judge.Finding.Weight.HARD;
import static io.heartwheel.loadgen.judge.Finding.Weight.OWN;
import static io.heartwheel.loadgen.judge.Finding.Weight.SOFT;
import static io.heartwheel.loadgen.judge.Finding.Weight.TIMED;
import static io.heartwheel.loadgen.judge.RunVerdict.FAIL;
import static io.heartwheel.loadgen.judge.RunVerdict.INCONCLUSIVE;
import static io.heartwheel.loadgen.judge.RunVerdict.PASS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.TestScenarios;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies.Summary;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.MachineTime;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From what was counted to the verdict: each figure, each finding, and what excuses it. */
final class ConclusionTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final Costs COSTS = new Costs(1_000, 1, 2_000_000, 0, 1, 7_000_000, 0, 3_500_000, 100);

    private String settings = "";
    private long busyNanos;
    private long stolenNanos;
    private long cpuNanos;
    private long collectorNanos;
    private List<Sample> series = List.of();
    private List<Result.Mark> marks = List.of();
    private List<Result.Mark> outages = List.of();

    private List<String> lost = List.of();

    /** A run of a thousand devices in which all went well, but for this. */
    private Result result(Consumer<Ledger> but) {
        Scenario scenario = TestScenarios.of("clients = 1000, heartbeat.interval = 2s\n" + settings);
        Ledger ledger = new Ledger();
        ledger.count(Count.STARTED, 1_000);
        ledger.count(Count.OPENED, 1_000);
        ledger.count(Count.BEATS_SENT, 5_000);
        ledger.count(Count.BEATS_ANSWERED, 5_000);
        ledger.time(Timing.PACING, MILLI);
        but.accept(ledger);
        WorkerResult part = new WorkerResult(
                ledger.page(),
                List.of(),
                2_000,
                2_000,
                Usage.NOTHING,
                new Usage(10 * SECOND, cpuNanos, collectorNanos),
                lost);
        return new Conclusion(scenario, Map.of(), Map.of(), part, new MachineTime(busyNanos, stolenNanos), 2)
                .result("v", "t", 1, series, marks, outages, COSTS);
    }

    private void assertFinding(RunVerdict verdict, Finding.Weight weight, String text, Consumer<Ledger> but) {
        Result result = result(but);
        assertEquals(verdict, result.verdict(), () -> result.findings().toString());
        assertTrue(
                result.findings().stream()
                        .anyMatch(finding ->
                                finding.weight() == weight && finding.text().startsWith(text)),
                () -> result.findings().toString());
    }

    private void assertVerdict(RunVerdict verdict, Consumer<Ledger> but) {
        Result result = result(but);
        assertEquals(verdict, result.verdict(), () -> result.findings().toString());
    }

    private static Consumer<Ledger> counted(Count what, long many) {
        return ledger -> ledger.count(what, many);
    }

    @Test
    void result_allWell_passes() {
        Result result = result(ledger -> {});
        assertEquals(PASS, result.verdict());
        assertEquals(List.of(), result.findings());
        assertEquals(10, result.observedSeconds());
        assertEquals(1_000, result.counts().get("opened"));
        assertEquals(1, result.timings().get("pacing").count());
    }

    /** Beyond what a table remembers messages are one row, in each table another one. */
    @Test
    void result_moreMessagesThanAreRemembered_countsAllThatAreLost() {
        Result result = result(ledger -> {
            ledger.count(Count.DATA_LOST, Ledger.MOST_MESSAGES + 1);
            for (int i = 0; i <= Ledger.MOST_MESSAGES; i++) {
                ledger.row(Result.MISDELIVERED_MESSAGES, "a " + i, 1);
                ledger.row(Result.ABSENT_MESSAGES + Count.DATA_LOST.label(), "b " + i, 1);
            }
        });
        assertEquals(Ledger.MOST_MESSAGES + 1, result.counts().get("data_lost"));
    }

    @ParameterizedTest
    @CsvSource({
        "REFUSED, 3 devices were refused",
        "FALSE_KILLS, 3 false kills",
        "MISSED_KILLS, 3 missed kills",
        "WRONG_CODES, 3 devices closed with another",
        "VIOLATIONS, 3 times the gateway broke",
        "TAKEOVERS_WRONG, 3 takeovers went wrong",
        "DATA_LOST, 3 messages lost",
        "SENT_AWAY, 3 live devices were sent away",
        "DATA_DOUBLED, 3 messages doubled",
        "DATA_DISORDERED, 3 messages out of order",
    })
    void result_proofAgainstTheGateway_fails(Count what, String text) {
        assertFinding(FAIL, HARD, text, counted(what, 3));
    }

    /** Seen: a plain target at an ordinary echo server failed with "expected 4001" and no word of the contract. */
    @Test
    void result_nobodySaidWhatTheServerPromises_tellsWhatToAdd() {
        for (String target : List.of("plain", "raw", "raw-ws")) {
            settings = "targets = [{ protocol = " + target + ", address = \"127.0.0.1:9001\" }]\n";
            for (Count what : List.of(Count.MISSED_KILLS, Count.WRONG_CODES, Count.FALSE_KILLS)) {
                String text = result(counted(what, 3)).findings().get(0).text();
                assertTrue(
                        text.contains("; nobody said what " + target + "=127.0.0.1:9001 promises, so")
                                && text.contains(" by --contract \"grace = none\" if"),
                        text);
            }
            String alone = settings;
            for (String own :
                    List.of("contract { grace = none }", "contract { close = 1001 }", "gateways.start = true")) {
                settings = alone + own;
                String text =
                        result(counted(Count.WRONG_CODES, 3)).findings().get(0).text();
                assertFalse(text.contains("--contract"), text);
            }
        }
        settings = "";
        assertFalse(
                result(counted(Count.WRONG_CODES, 3)).findings().get(0).text().contains("--contract"));
    }

    @Test
    void result_whatCameOutIsWrong_failsWhereItIsCompared() {
        List<Count> proofs = List.of(
                Count.UPLINK_LOST,
                Count.UPLINK_CHANGED,
                Count.UPLINK_OUT_OF_ORDER,
                Count.PRESENCE_WRONG,
                Count.UPLINK_UNSIGNED,
                Count.UPLINK_MALFORMED);
        for (Count what : proofs) {
            assertVerdict(PASS, counted(what, 3));
        }
        settings = "uplink {}";
        for (Count what : proofs) {
            assertFinding(FAIL, HARD, "3 ", counted(what, 3));
        }
        for (Count what : List.of(Count.UPLINK_DOUBLED, Count.UPLINK_REPEATED, Count.UPLINK_GAPS)) {
            assertVerdict(PASS, counted(what, 3));
        }
        assertFinding(INCONCLUSIVE, OWN, "3 acknowledged", counted(Count.UPLINK_UNJUDGED, 3));
        assertFinding(INCONCLUSIVE, OWN, "nothing of the gateway's outlet came", counted(Count.DATA_ACCEPTED, 3));
    }

    @Test
    void result_whatSpeaksAgainstTheGateway_failsUnlessTheGeneratorWasSlow() {
        List<Count> soft = List.of(Count.WAITING);
        for (Count what : soft) {
            assertVerdict(FAIL, counted(what, 3));
            Result slow = result(ledger -> {
                ledger.count(what, 3);
                ledger.time(Timing.PACING, 10 * SECOND);
            });
            assertEquals(INCONCLUSIVE, slow.verdict(), what::name);
            assertTrue(slow.generatorWasBottleneck());
        }
        busyNanos = 19 * SECOND;
        for (Count what : soft) {
            assertVerdict(INCONCLUSIVE, counted(what, 3));
        }
        assertEquals(PASS, result(ledger -> {}).verdict(), "a busy machine that was fast enough is none the worse");
    }

    @Test
    void result_gatewayStoppedWelcoming_failsUnlessTheGeneratorWasInTrouble() {
        Consumer<Ledger> stopped = ledger -> {
            ledger.count(Count.WAITING, 5);
            ledger.count(Count.NEVER_WELCOMED, 5);
            ledger.count(Count.ACCEPTED_ONLY, 4);
            ledger.count(Count.HELD_BACK, 300);
            ledger.count(Count.STARTED, -300);
        };
        assertFinding(
                FAIL,
                HARD,
                "5 devices were never welcomed: the gateway stopped after 1,000; 4 were accepted and no more, 300 not",
                stopped);
        assertEquals(1, result(stopped).findings().size());
        Consumer<Ledger> noSockets = ledger -> ledger.count(Count.OWN_FAILURES, 1);
        assertVerdict(INCONCLUSIVE, stopped.andThen(noSockets));
        busyNanos = 19 * SECOND;
        assertEquals(FAIL, result(stopped).verdict(), "a machine that is busy lets somebody in");
    }

    @Test
    void result_hypervisorTookTheProcessors_excusesWhatIsSoft() {
        stolenNanos = 3 * SECOND;
        assertFinding(INCONCLUSIVE, DOUBT, "the hypervisor took 15 %", counted(Count.WAITING, 3));
        assertVerdict(FAIL, counted(Count.FALSE_KILLS, 3));
        assertVerdict(PASS, ledger -> {});
    }

    @Test
    void result_latenessAboveItsLimit_fails() {
        for (Timing timing : List.of(Timing.LATENESS, Timing.LATENESS_HANDSHAKE, Timing.LATENESS_PROGRESS)) {
            assertVerdict(PASS, ledger -> ledger.time(timing, 39 * MILLI));
            assertFinding(FAIL, TIMED, "detection lateness", ledger -> ledger.time(timing, 45 * MILLI));
        }
    }

    @Test
    void result_fewClosesLate_failWhereThePercentileDoesNotSeeThem() {
        Consumer<Ledger> punctual = ledger -> {
            for (int i = 0; i < 900; i++) {
                ledger.time(Timing.LATENESS, 10 * MILLI);
            }
        };
        assertVerdict(PASS, punctual);
        assertFinding(
                FAIL,
                TIMED,
                "detection lateness max 1500",
                punctual.andThen(ledger -> ledger.time(Timing.LATENESS, 1_500 * MILLI)));
        assertVerdict(PASS, punctual.andThen(ledger -> ledger.time(Timing.LATENESS, 900 * MILLI)));
        assertFinding(
                FAIL,
                TIMED,
                "detection lateness p99.9 9",
                punctual.andThen(punctual).andThen(ledger -> {
                    ledger.time(Timing.LATENESS, 900 * MILLI);
                    ledger.time(Timing.LATENESS, 900 * MILLI);
                }));
        settings = "contract { slack-max = 2s, slack-p999 = 2s }";
        assertVerdict(PASS, punctual.andThen(ledger -> ledger.time(Timing.LATENESS, 1_500 * MILLI)));
    }

    @Test
    void result_limitOfTimeBroken_isNotExcusedByAGeneratorThatWasSlowElsewhere() {
        List<Count> timed = List.of(
                Count.LEFT_OPEN,
                Count.BEATS_UNANSWERED,
                Count.BEATS_LATE,
                Count.WELCOMED_LATE,
                Count.DATA_UNACKNOWLEDGED,
                Count.DATA_ACKNOWLEDGED_LATE,
                Count.DATA_LATE);
        for (Count what : timed) {
            assertFinding(FAIL, TIMED, "3 ", ledger -> {
                ledger.count(what, 3);
                ledger.time(Timing.PACING, 10 * SECOND);
            });
        }
        busyNanos = 19 * SECOND;
        for (Count what : timed) {
            assertVerdict(INCONCLUSIVE, counted(what, 3));
        }
    }

    @Test
    void result_closedLateOnASaturatedMachine_isNoProofButNeverClosedIs() {
        Consumer<Ledger> closedLate = counted(Count.MISSED_KILLS, 3).andThen(counted(Count.CLOSED_AFTER_MISSED, 3));
        assertFinding(FAIL, TIMED, "3 missed kills: devices closed more than", closedLate);
        Consumer<Ledger> takenLate = counted(Count.TAKEOVERS_WRONG, 2).andThen(counted(Count.TAKEOVERS_LATE, 2));
        assertFinding(FAIL, TIMED, "2 takeovers went wrong: the older", takenLate);
        busyNanos = 19 * SECOND;
        assertVerdict(INCONCLUSIVE, closedLate.andThen(takenLate));
        assertFinding(
                FAIL,
                HARD,
                "1 missed kills: devices that should have been closed and were not",
                closedLate.andThen(counted(Count.MISSED_KILLS, 1)));
    }

    @Test
    void result_closesSeenLateByTheGenerator_areInconclusiveWhereTheyAreMost() {
        Consumer<Ledger> closes = ledger -> {
            for (int i = 0; i < 100; i++) {
                ledger.time(Timing.LATENESS, 10 * MILLI);
                ledger.time(Timing.LATENESS_AS_SEEN, 200 * MILLI);
            }
        };
        assertVerdict(PASS, closes.andThen(counted(Count.LATENESS_EXCUSED, 50)));
        assertFinding(INCONCLUSIVE, OWN, "51 of 100 closes", closes.andThen(counted(Count.LATENESS_EXCUSED, 51)));
    }

    @Test
    void result_generatorNotUpToIt_isInconclusive() {
        assertFinding(INCONCLUSIVE, OWN, "2 sockets the own", counted(Count.OWN_FAILURES, 2));
        assertFinding(INCONCLUSIVE, OWN, "2 devices closed after", counted(Count.OWN_FAULTS, 2));
        assertFinding(INCONCLUSIVE, OWN, "2 devices not watched", counted(Count.UNJUDGED, 2));
        String broken = "2 devices not watched to their deadline: a breach of the wire document ended them";
        assertFinding(INCONCLUSIVE, OWN, broken, counted(Count.BROKEN_OFF, 2));
        assertFinding(INCONCLUSIVE, OWN, "only 999 of 1,000", counted(Count.STARTED, -1));
        assertFinding(INCONCLUSIVE, OWN, "no heartbeat", counted(Count.BEATS_ANSWERED, -5_000));
        collectorNanos = 2 * SECOND;
        assertFinding(INCONCLUSIVE, OWN, "the generator was the bottleneck", ledger -> {});
    }

    /** Few ports, TIME_WAIT or descriptors are the generator's: what its devices did not do proves nothing, and the remedy is told. */
    @Test
    void result_noPortOrDescriptorLeft_isInconclusiveWithTheRemedyAndNeverAFailure() {
        String port = "connect(..) failed with error(-99): Cannot assign requested address: /127.0.0.1:7070";
        Consumer<Ledger> ports = ledger -> {
            ledger.count(Count.OWN_FAILURES, 7);
            ledger.row(Result.OWN_FAILURES, port, 7);
            ledger.count(Count.WAITING, 3);
            ledger.count(Count.OPENED, -3);
        };
        settings = "assert = [\"opened >= 100%\"]";
        assertFinding(
                INCONCLUSIVE,
                OWN,
                "7 sockets the own machine refused: {" + port + "=7}; no local port was left",
                ports);
        assertFinding(INCONCLUSIVE, SOFT, "asserted opened >= 100%: it was 997", ports);
        assertVerdict(FAIL, counted(Count.OPENED, -3));
        assertFinding(FAIL, HARD, "1 false kills", ports.andThen(counted(Count.FALSE_KILLS, 1)));
        settings = "gateways.start = true, downlink {}, duration = 60s";
        assertFinding(INCONCLUSIVE, OWN, "pushes failed on the own machine: no descriptor was left", ledger -> {
            ledger.count(Count.PUSHES_CALLED, 100_000_000);
            ledger.count(Count.PUSHES_FAILED, 2);
            ledger.row(Result.PUSH_ANSWERS, "Too many open files", 2);
        });
    }

    @Test
    void result_schedulesThatGoOn_areFoundWrongOrNotJudged() {
        settings = "gateways.start = true, downlink { count = 9, later.endless = true }, duration = 60s";
        Consumer<Ledger> called = counted(Count.PUSHES_CALLED, 9)
                .andThen(counted(Count.PUSHES_QUEUED, 9))
                .andThen(counted(Count.RUNS_CAME, 99));
        assertFinding(INCONCLUSIVE, OWN, "no schedule had a time at which all was calm", called);
        Consumer<Ledger> judged = called.andThen(counted(Count.RUNS_JUDGED, 50));
        assertVerdict(PASS, judged);
        assertFinding(FAIL, HARD, "3 runs of schedules came twice", judged.andThen(counted(Count.RUNS_DOUBLED, 3)));
        assertFinding(FAIL, HARD, "3 runs of schedules did not", judged.andThen(counted(Count.RUNS_MISSED, 3)));
        assertFinding(FAIL, HARD, "3 schedules did not go on", judged.andThen(counted(Count.SCHEDULES_STOPPED, 3)));
        assertFinding(FAIL, TIMED, "3 times a schedule did not run", judged.andThen(counted(Count.RUNS_LATE, 3)));
    }

    @Test
    void result_someWereToBreakTheirPromiseAndNobodyDid_isInconclusive() {
        settings = "duration = 5m, behaviours = [{ kind = steady, weight = 9 }, { kind = silent }]";
        assertFinding(INCONCLUSIVE, OWN, "no device was seen to break", ledger -> {});
        assertVerdict(PASS, counted(Count.CONDEMNED, 100));
    }

    @Test
    void result_workerLost_isInconclusiveUnlessTheOthersSawAFault() {
        lost = List.of("worker 3 did not answer look within 30,000 ms");
        assertFinding(INCONCLUSIVE, OWN, "worker 3 did not answer", ledger -> {});
        assertFinding(INCONCLUSIVE, OWN, "worker 3 did not", counted(Count.STARTED, -500));
        assertFinding(FAIL, HARD, "3 false kills", counted(Count.FALSE_KILLS, 3));
        settings = "assert = [\"opened = 2000\"]";
        assertFinding(INCONCLUSIVE, SOFT, "asserted opened = 2000", ledger -> {});
    }

    @Test
    void result_lostInAFaultOfTheScenario_isNoFinding() {
        assertVerdict(PASS, ledger -> {
            ledger.count(Count.LOST, 10);
            ledger.count(Count.EXCUSED, 10);
            ledger.count(Count.RETRIES_FAILED, 10);
        });
    }

    private boolean holds(String assertion, Consumer<Ledger> but) {
        settings = "assert = [\"" + assertion + "\"]";
        Result result = result(but);
        boolean found = result.findings().stream()
                .anyMatch(finding -> finding.text().startsWith("asserted " + assertion + ": it was"));
        assertEquals(found, result.verdict() != PASS, () -> result.findings().toString());
        return !found;
    }

    @Test
    void assertion_eachKindOfFigure_isHeldAgainstWhatWasSeen() {
        assertTrue(holds("opened = 1000", ledger -> {}));
        assertTrue(!holds("opened > 1000", ledger -> {}));
        Consumer<Ledger> round = ledger -> ledger.time(Timing.ROUND_TRIP, 7 * MILLI);
        for (String part : List.of("p50", "p90", "p99", "p999", "max")) {
            assertTrue(holds("round_trip." + part + " <= 8ms", round));
            assertTrue(!holds("round_trip." + part + " <= 6ms", round));
            assertTrue(!holds("round_trip." + part + " <= 8ms", ledger -> {}), "nobody saw one");
        }
        assertTrue(holds("memory.kernel <= 3500", ledger -> {}));
        assertTrue(!holds("memory.kernel < 3500", ledger -> {}));
        assertTrue(holds("memory.gateway = 7000", ledger -> {}));
        assertTrue(holds("memory.generator = 2000", ledger -> {}));
    }

    @Test
    void assertion_recovery_isTheSlowestAndFailsWhereOneDidNotComeBack() {
        List<Sample> seen = new ArrayList<>();
        long[] connected = {100, 0, 100, 100, 0, 0, 99};
        for (int i = 0; i < connected.length; i++) {
            seen.add(new Sample(
                    i, connected[i], 0, 0, 0, 0, 0, 0, 0, 0, Summary.NOTHING, Summary.NOTHING, Summary.NOTHING, 0, 0));
        }
        series = seen;
        outages = List.of(new Result.Mark(0, "restart"), new Result.Mark(3, "restart"));
        marks = List.of(outages.get(0), new Result.Mark(1, "silence"), outages.get(1));
        assertTrue(holds("recovery.95 = 3s", ledger -> {}));
        assertTrue(!holds("recovery.95 < 3s", ledger -> {}));
        assertTrue(!holds("recovery.100 <= 1h", ledger -> {}));
        Result result = result(ledger -> {});
        assertEquals(2, result.recoveries().size());
        assertEquals(3, result.marks().size());
    }

    @Test
    void assertion_onDuration_isExcusedByABusyMachineAndOneOnCountsIsNot() {
        busyNanos = 19 * SECOND;
        settings = "assert = [\"pacing.max <= 1us\"]";
        assertVerdict(INCONCLUSIVE, ledger -> {});
        settings = "assert = [\"opened = 1\"]";
        assertVerdict(FAIL, ledger -> {});
    }

    @Test
    void result_granted_lessThanAskedForWithAFixedBeat_provesNothing() {
        settings = "heartbeat { interval = 3s, period = 2s }";
        assertFinding(INCONCLUSIVE, OWN, "granted 2,000 ms, less than the 3,000 ms", counted(Count.CONDEMNED, 1));
    }
}
