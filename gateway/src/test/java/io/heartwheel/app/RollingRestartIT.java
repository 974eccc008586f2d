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

    /** Runs the script, which has to end like this after these calls: verbs with the number of an instance. */
    private String restart(int exit, String calls, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(SCRIPT.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment =
                Map.of("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"), "STATE", scratch.toString());
        Command.Outcome outcome = Command.run(environment, command.toArray(new String[0]));

        assertEquals(exit, outcome.exit(), outcome.output());
        Path file = scratch.resolve("calls");
        String called = Files.exists(file) ? String.join(", ", Files.readAllLines(file)) : "";
        assertEquals(calls, called.replaceAll("heartwheel@(\\d)\\.service", "$1"));
        return outcome.output();
    }

    private boolean runs(int number) {
        return Files.exists(scratch.resolve("running").resolve(unit(number)));
    }

    @Test
    void run_twoInstances_startsASpareRestartsEachAndStopsTheSpare() throws Exception {
        instances("running", 1, 2);

        String output = restart(0, "start 9, restart 1, restart 2, stop 9", "--pause", "0");

        assertTrue(output.endsWith("restarted: 1 2\n"), output);
        assertFalse(runs(9));
    }

    @Test
    void run_oneInstance_isServedByTheSpareMeanwhile() throws Exception {
        instances("running", 3);

        restart(0, "start 4, restart 3, stop 4", "--pause", "0", "--spare", "4");
    }

    @Test
    void run_instanceDoesNotComeUp_leavesTheRestAndTheSpare() throws Exception {
        instances("running", 1, 2, 3);
        instances("broken", 2);

        String output = restart(1, "start 9, restart 1, restart 2", "--pause", "0");

        assertTrue(output.contains("heartwheel@2 did not come up; restarted so far: 1;"), output);
        assertTrue(runs(1) && runs(3) && runs(9), "those that serve go on");
    }

    @Test
    void run_spareDoesNotComeUp_touchesNothing() throws Exception {
        instances("running", 1, 2);
        instances("broken", 9);

        restart(1, "start 9", "--pause", "0");

        assertTrue(runs(1) && runs(2));
    }

    @Test
    void run_dry_onlySays() throws Exception {
        instances("running", 1, 2);

        String output = restart(0, "", "--dry-run");

        assertTrue(output.contains("+ systemctl restart " + unit(2)), output);
    }

    @Test
    void run_named_restartsThose() throws Exception {
        instances("running", 1, 2, 3);

        restart(0, "restart 2", "--pause", "0", "--no-spare", "2");
    }

    @Test
    void run_noneRuns_isRefused() throws Exception {
        restart(1, "");
    }

    /** Of one that runs: not without a spare, not with itself as the spare; and none that does not run. */
    @ParameterizedTest
    @ValueSource(strings = {"--no-spare", "--spare 1", "2", "5"})
    void run_impossible_isRefusedUntouched(String arguments) throws Exception {
        instances("running", 1);

        restart(1, "", arguments.split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--spare", "--spare 10", "--spare x", "--pause", "--pause soon", "--what", "0", "1; reboot"})
    void run_wrongCommandLine_isRefusedUntouched(String arguments) throws Exception {
        instances("running", 1, 2);

        restart(2, "", arguments.contains(";") ? new String[] {arguments} : arguments.split(" "));
    }
}
