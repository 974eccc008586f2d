package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script against a systemctl that only remembers: what runs is a file, and so is what will not come up. */
@Execution(ExecutionMode.CONCURRENT)
class RollingRestartIT {
    private static final Path SCRIPT = Path.of("..", "systemd", "bin", "heartwheel-rolling-restart");
    private static final String SYSTEMCTL =
            """
            #!/bin/sh
            # is-active --quiet UNIT | start UNIT | restart UNIT | stop UNIT
            verb=$1
            for unit in "$@"; do :; done
            case $verb in
              is-active) [ -e "$STATE/running/$unit" ]; exit ;;
            esac
            echo "$verb $unit" >>"$STATE/calls"
            case $verb in
              stop) rm "$STATE/running/$unit" ;;
              start | restart)
                rm -f "$STATE/running/$unit"
                [ ! -e "$STATE/broken/$unit" ] || exit 1
                touch "$STATE/running/$unit" ;;
              *) exit 2 ;;
            esac
            """;

    @TempDir
    Path scratch;

    @BeforeEach
    void install() throws Exception {
        Path bin = Files.createDirectory(scratch.resolve("bin"));
        Path systemctl = Files.writeString(bin.resolve("systemctl"), SYSTEMCTL);
        assertTrue(systemctl.toFile().setExecutable(true));
        Files.createDirectory(scratch.resolve("running"));
        Files.createDirectory(scratch.resolve("broken"));
    }

    private void instances(String state, int... numbers) throws Exception {
        for (int number : numbers) {
            Files.createFile(scratch.resolve(state).resolve(unit(number)));
        }
    }

    private static String unit(int number) {
        return "heartwheel@" + number + ".service";
    }

    private Command.Outcome restart(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(SCRIPT.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment =
                Map.of("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"), "STATE", scratch.toString());
        return Command.run(environment, command.toArray(new String[0]));
    }

    private List<String> calls() throws Exception {
        Path calls = scratch.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private boolean runs(int number) {
        return Files.exists(scratch.resolve("running").resolve(unit(number)));
    }

    @Test
    void run_twoInstances_startsASpareRestartsEachAndStopsTheSpare() throws Exception {
        instances("running", 1, 2);

        Command.Outcome outcome = restart("--pause", "0");

        assertEquals(0, outcome.exit(), outcome.output());
        assertEquals(
                List.of("start " + unit(9), "restart " + unit(1), "restart " + unit(2), "stop " + unit(9)), calls());
        assertTrue(outcome.output().endsWith("restarted: 1 2\n"), outcome.output());
        assertFalse(runs(9));
    }

    @Test
    void run_oneInstance_isServedByTheSpareMeanwhile() throws Exception {
        instances("running", 3);

        assertEquals(0, restart("--pause", "0", "--spare", "4").exit());
        assertEquals(List.of("start " + unit(4), "restart " + unit(3), "stop " + unit(4)), calls());
    }

    @Test
    void run_instanceDoesNotComeUp_leavesTheRestAndTheSpare() throws Exception {
        instances("running", 1, 2, 3);
        instances("broken", 2);

        Command.Outcome outcome = restart("--pause", "0");

        assertEquals(1, outcome.exit());
        assertEquals(List.of("start " + unit(9), "restart " + unit(1), "restart " + unit(2)), calls());
        assertTrue(outcome.output().contains("heartwheel@2 did not come up; restarted so far: 1;"), outcome.output());
        assertTrue(runs(1) && runs(3) && runs(9), "those that serve go on");
    }

    @Test
    void run_spareDoesNotComeUp_touchesNothing() throws Exception {
        instances("running", 1, 2);
        instances("broken", 9);

        Command.Outcome outcome = restart("--pause", "0");

        assertEquals(1, outcome.exit());
        assertEquals(List.of("start " + unit(9)), calls());
        assertTrue(runs(1) && runs(2));
    }

    @Test
    void run_dry_onlySays() throws Exception {
        instances("running", 1, 2);

        Command.Outcome outcome = restart("--dry-run");

        assertEquals(0, outcome.exit(), outcome.output());
        assertEquals(List.of(), calls());
        assertTrue(outcome.output().contains("+ systemctl restart " + unit(2)), outcome.output());
    }

    @Test
    void run_named_restartsThose() throws Exception {
        instances("running", 1, 2, 3);

        assertEquals(0, restart("--pause", "0", "--no-spare", "2").exit());
        assertEquals(List.of("restart " + unit(2)), calls());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--no-spare", "--spare 1", "2", "5"})
    void run_impossible_isRefusedUntouched(String arguments) throws Exception {
        if (!arguments.isEmpty()) {
            instances("running", 1);
        }
        // of one that runs: not without a spare, not with itself as the spare; and none that does not run
        Command.Outcome outcome = restart(arguments.isEmpty() ? new String[0] : arguments.split(" "));

        assertEquals(1, outcome.exit(), outcome.output());
        assertEquals(List.of(), calls());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--spare", "--spare 10", "--spare x", "--pause", "--pause soon", "--what", "0", "1; reboot"})
    void run_wrongCommandLine_isRefusedUntouched(String arguments) throws Exception {
        instances("running", 1, 2);

        Command.Outcome outcome = restart(arguments.contains(";") ? new String[] {arguments} : arguments.split(" "));

        assertEquals(2, outcome.exit(), outcome.output());
        assertEquals(List.of(), calls());
    }
}
