package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The built-in scenarios against the real gateway, smaller and shorter than they are, side by side because they mostly
 * wait. {@code quick} is {@link DemoIT}'s, {@code replay} is {@link ReplayIT}'s, the large ones are {@link ScaleIT}'s.
 */
@Timeout(200)
@Execution(ExecutionMode.CONCURRENT)
final class ScenariosIT {

    @TempDir
    private Path directory;

    private ScenarioRun run(String scenario, String... changes) throws Exception {
        return ScenarioRun.scenario(directory, scenario, String.join("\n", changes));
    }

    @Test
    void names_filesInConf_areTheSame() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("..", "conf", "scenarios"))) {
            Set<String> there = files.map(file -> file.getFileName().toString().replace(".conf", ""))
                    .collect(Collectors.toSet());
            assertEquals(new TreeSet<>(there), new TreeSet<>(Scenarios.NAMES));
        }
    }

    @Tag("timed")
    @Test
    void everyday_everyBehaviour_isJudgedRight() throws Exception {
        ScenarioRun run = run(
                "everyday", "clients = 200, duration = 32s", "assert = [ \"takeovers_wrong = 0\", \"data_lost = 0\" ]");
        run.passed()
                .same("takeovers", "takeovers_right")
                .none("takeovers_wrong")
                .none("data_lost")
                .none("refused");
        run.detected(run.condemned());
        assertTrue(run.condemned() >= 10, run.output());
        assertTrue(run.count("takeovers") >= 3, run.output());
        assertTrue(run.count("data_echoed") > 100, run.output());
    }

    @Tag("timed")
    @Test
    void faults_everyDeadDevice_isFoundOut() throws Exception {
        ScenarioRun run = run("faults", "clients = 200, duration = 34s", "assert = []");
        run.passed().detected(run.condemned()).none("refused");
        assertTrue(run.condemned() >= 0.09 * 200, run.output());
    }

    @Test
    void takeover_sixtyOfAHundred_areRightAndNoMessageIsLost() throws Exception {
        ScenarioRun run = run(
                "takeover",
                "clients = 100, duration = 18s",
                "assert = [ \"takeovers >= 60%\", \"takeovers_wrong = 0\" ]");
        run.passed().exactly(60, "takeovers").exactly(60, "takeovers_right").none("takeovers_wrong");
        run.none("data_lost").none("data_doubled").none("data_disordered").detected(0);
    }

    @Tag("timed")
    @Test
    void restart_everybody_comesBack() throws Exception {
        ScenarioRun run =
                run("restart", "clients = 150, duration = 36s", "timeline = [ { at = 3s, do = restart, for = 1s } ]");
        run.passed().detected(0).same("lost", "recovered");
        assertTrue(run.count("recovered") >= 150, run.output());
    }

    @Test
    void crash_everybody_comesBack() throws Exception {
        ScenarioRun run =
                run("crash", "clients = 150, duration = 20s", "timeline = [ { at = 3s, do = kill, for = 1s } ]");
        run.passed().detected(0).none("goaways").same("lost", "recovered");
        assertTrue(run.count("recovered") >= 150, run.output());
        assertTrue(run.count("retries_failed") > 0, run.output());
    }

    @Tag("timed")
    @Test
    void drain_oneOfThree_sendsItsDevicesToTheOthers() throws Exception {
        ScenarioRun run =
                run("drain", "clients = 150, duration = 36s", "timeline = [ { at = 3s, do = drain, node = 1 } ]");
        run.passed().detected(0).same("goaways", "lost").same("goaways", "recovered");
        assertTrue(run.count("goaways") >= 0.16 * 150, run.output());
    }

    @Test
    @Tag("hazard")
    void rolling_threeInTurn_everybodyIsBackInTheirWindow() throws Exception {
        ScenarioRun run = run(
                "rolling",
                "clients = 150, duration = 60s",
                "timeline = [ { at = 3s, do = rolling-restart, for = 200ms, excuse = 60s } ]",
                "assert = [ \"back_never = 0\", \"back_early = 0\", \"lost_untold = 0\", \"live_at_end >= 100%\" ]",
                "gateways.settings.shutdown { readmit-rate = 50, retry-max = 10s }");
        run.passed().detected(0).none("refused").same("goaways", "lost").same("goaways", "recovered");
        run.none("back_never").none("lost_untold");
        assertEquals(run.count("goaways"), run.count("back_in_window") + run.count("back_late"), run.output());
        assertTrue(run.count("goaways") >= 150, run.output());
        assertEquals(3, run.output().split("foretold its drain: ").length - 1, run.output());
    }

    @Tag("timed")
    @Test
    void freeze_longerThanAnyGrace_closesNobody() throws Exception {
        ScenarioRun run =
                run("freeze", "clients = 150, duration = 22s", "timeline = [ { at = 3s, do = freeze, for = 6s } ]");
        run.passed().detected(0).none("ended").none("lost").exactly(150, "opened");
    }

    @Tag("timed")
    @Test
    void partition_shortAndLong_closesOnlyThoseAwayTooLong() throws Exception {
        ScenarioRun run = run(
                "partition",
                "clients = 200, duration = 42s",
                "heartbeat { interval = 6s, share = 0.2 }",
                "timeline = [ { at = 2s, do = cut, share = 0.5, for = 3s }, { at = 8s, do = cut, share = 0.15, for = 20s } ]");
        run.passed().detected(30).exactly(30, "recovered");
        run.exactly(230, "opened");
    }

    /** The keys change once, and cannot be had for a while. */
    @Test
    void auth_goodAndWrongTokens_areToldApart() throws Exception {
        ScenarioRun run = run(
                "auth",
                "clients = 150, duration = 18s, ramp.rate = 50",
                "auth { jwt.lifetime = 8s, warn-before = 3s, service.rotate-every = 10s }",
                "auth.service.plan = [ { at = 12s, for = 4s, answer = down } ]",
                "assert = []");
        run.passed()
                .none("auth_admitted")
                .none("auth_good_refused")
                .none("auth_refused_wrong")
                .none("refused");
        run.none("auth_expired_early").none("auth_never_expired").none("auth_renewals_refused");
        assertTrue(run.count("auth_refused") > 0 && run.count("auth_expired") > 0, run.output());
        assertTrue(run.count("auth_renewed") > 0 && run.count("opened") > 150, run.output());
    }

    @Tag("timed")
    @Test
    void authHook_hangs_newcomersAreToldToComeBack() throws Exception {
        ScenarioRun run = run(
                "auth-hook",
                "clients = 150, duration = 25s",
                "auth.service.plan = [ { at = 3s, for = 10s, answer = never } ]",
                "assert = [ \"undecided.max <= 5500ms\" ]");
        run.passed().none("auth_good_refused").none("refused").none("lost");
        assertTrue(run.count("auth_undecided") > 5 && run.count("recovered") > 5, run.output());
    }

    @Tag("timed")
    @Test
    void acceptStorm_whoIsTurnedAway_comesInInItsTime() throws Exception {
        ScenarioRun run = run(
                "accept-storm",
                "clients = 1140, duration = 30s, ramp.rate = 150",
                "behaviours = [ { kind = steady, weight = 200 }, { kind = crowd, weight = 940, after = 3s, until = 15s } ]",
                "gateways.settings.accept-limit { per-second = 40, burst = 40, retry-max = 3s }",
                "assert = [ \"ended = 0\", \"turned_away >= 100%\", \"back_early = 0\", \"back_late = 0\", \"back_never = 0\" ]");
        run.passed().none("refused").none("lost").none("ended");
        assertTrue(run.count("back_in_window") > 300, run.output());
        assertTrue(run.count("live_at_end") > 200, run.output());
    }

    @Tag("timed")
    @Test
    void takeoverStorm_pairsThatHeedNothing_disturbNobody() throws Exception {
        ScenarioRun run = run(
                "takeover-storm",
                "clients = 220, duration = 20s, ramp.rate = 150",
                "behaviours = [ { kind = steady, weight = 200 }, { kind = rival, weight = 20, after = 3s, until = 4s } ]",
                "assert = [ \"takeovers >= 60\", \"takeovers <= 80\", \"takeovers_wrong = 0\" ]");
        run.passed().none("refused").none("false_kills");
        assertTrue(run.count("turned_away") >= 10 && run.count("turned_away") < 60, run.output());
        assertTrue(run.count("live_at_end") >= 200, run.output());
    }

    @Test
    void list_asked_namesEachScenario() {
        assertEquals(Scenarios.NAMES.size(), Scenarios.descriptions().size());
        for (String name : List.of("quick", "replay", "million")) {
            assertTrue(Scenarios.descriptions().stream().anyMatch(line -> line.startsWith(name)), name);
        }
    }
}
