package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package on a machine that systemd has booted: {@code mvn verify -Psystemd}. Root, debootstrap and systemd-nspawn are needed. */
@Tag("systemd")
class BootedSystemdIT {
    private static final Path TARGET = Path.of(System.getProperty("heartwheel.gateway.jar", ""))
            .toAbsolutePath()
            .normalize()
            .getParent();
    /** A frame device (hello-smallest of protocol.md), for printf of a shell. */
    private static final String HELLO =
            "0100001948570100000000000000000000000000056465762d31000000".replaceAll("(..)", "\\\\x$1");

    /** A plain WebSocket device, for printf of a shell. */
    private static final String UPGRADE =
            "GET /ws/booted HTTP/1.1\\r\\nHost: localhost\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
                    + "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n";

    private static final String ROOT_KEY = "heartwheel.systemd.root";

    @TempDir
    static Path shared;

    private static BootedMachine machine;

    @BeforeAll
    static void bootAndInstall() throws Exception {
        Path deb;
        try (Stream<Path> built = Files.list(TARGET)) {
            deb = built.filter(file -> file.getFileName().toString().matches("heartwheel_[0-9].*_all\\.deb"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.copy(deb, shared.resolve("heartwheel.deb"));
        String root = System.getProperty(ROOT_KEY, "");
        machine = new BootedMachine(
                root.isEmpty() ? TARGET.resolve("systemd-root") : Path.of(root),
                shared,
                TARGET.resolve("systemd-console.txt"));
        machine.good("dpkg", "--install", "/mnt/heartwheel.deb");
    }

    @AfterAll
    static void halt() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    @BeforeEach
    void stopAll() throws Exception {
        machine.good("systemctl", "stop", "heartwheel.target", "heartwheel.service", "heartwheel@*.service");
        machine.run("systemctl", "reset-failed", "heartwheel*");
        machine.good("rm", "-rf", "/run/systemd/system/heartwheel.service.d");
        machine.good("sh", "-c", "rm -f /etc/heartwheel/conf.d/*.conf /etc/heartwheel/instance-*.env");
        machine.good("systemctl", "daemon-reload");
    }

    private static String show(String unit, String property) throws Exception {
        return machine.good("systemctl", "show", "--value", "--property=" + property, unit);
    }

    private static void dropIn(String text) throws Exception {
        String directory = "/run/systemd/system/heartwheel.service.d";
        machine.good("sh", "-c", "mkdir -p " + directory + " && printf '" + text + "' > " + directory + "/test.conf");
        machine.good("systemctl", "daemon-reload");
    }

    /** Until the next test. */
    private static void configure(String line) throws Exception {
        machine.good("sh", "-c", "echo '" + line + "' > /etc/heartwheel/conf.d/50-test.conf");
    }

    private static void await(String what, Holds holds) throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (!holds.now()) {
            if (System.nanoTime() - endNanos >= 0) {
                throw new AssertionError(
                        "not in 90 s: " + what + "\n" + machine.good("journalctl", "--no-pager", "-n", "60"));
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    @FunctionalInterface
    private interface Holds {
        boolean now() throws Exception;
    }

    @Test
    void install_fresh_startsAndEnablesNothing() throws Exception {
        assertEquals(
                "disabled",
                machine.run("systemctl", "is-enabled", "heartwheel").output().strip());
        assertEquals("inactive", show("heartwheel", "ActiveState"));
    }

    /** The start returns when the gateway has said that it is ready, and not before. */
    @Test
    void start_single_isReadyWithStatusAndStopsInOrder() throws Exception {
        machine.good("systemctl", "start", "heartwheel");

        assertEquals("active", show("heartwheel", "ActiveState"));
        assertTrue(
                show("heartwheel", "StatusText").startsWith("0 devices, 2 listeners;"),
                show("heartwheel", "StatusText"));
        machine.good("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7070");
        assertEquals("heartwheel", machine.good("ps", "-o", "user=", "-p", show("heartwheel", "MainPID")));

        machine.good("systemctl", "stop", "heartwheel");
        assertEquals("success", show("heartwheel", "Result"));
        assertEquals("0", show("heartwheel", "ExecMainStatus"));
    }

    @Test
    void start_wrongConfiguration_endsWith78AndIsNotRepeated() throws Exception {
        dropIn("[Service]\\nEnvironment=CONFIG_FORCE_heartwheel_heartbeat_interval=never\\n");

        assertNotEquals(0, machine.run("systemctl", "start", "heartwheel").exit());
        await("failed", () -> show("heartwheel", "ActiveState").equals("failed"));
        assertEquals("78", show("heartwheel", "ExecMainStatus"));
        assertEquals("0", show("heartwheel", "NRestarts"));
    }

    @Test
    void reload_changedConfiguration_isInForceInTheSameProcess() throws Exception {
        machine.good("systemctl", "start", "heartwheel");
        String pid = show("heartwheel", "MainPID");
        configure("heartwheel.heartbeat.interval = 31s");
        machine.good("systemctl", "reload", "heartwheel");
        await("in force", () -> journal().contains("in force: heartbeat.interval"));
        await("active", () -> isUp("heartwheel"));
        assertEquals(pid, show("heartwheel", "MainPID"));
    }

    private static String journal() throws Exception {
        return machine.good("journalctl", "--no-pager", "-u", "heartwheel", "-o", "cat");
    }

    @Test
    void reload_wrongConfiguration_isRefusedAndTheGatewayGoesOn() throws Exception {
        machine.good("systemctl", "start", "heartwheel");
        String pid = show("heartwheel", "MainPID");
        configure("heartwheel.heartbeat.interval = never");
        assertNotEquals(0, machine.run("systemctl", "reload", "heartwheel").exit());
        assertEquals(pid, show("heartwheel", "MainPID"));
        await("active", () -> isUp("heartwheel"));
    }

    @Test
    void crash_killed_isStartedAgain() throws Exception {
        machine.good("systemctl", "start", "heartwheel");
        String pid = show("heartwheel", "MainPID");
        machine.good("kill", "-KILL", pid);

        await("started again", () -> show("heartwheel", "NRestarts").equals("1") && isUp("heartwheel"));
        assertNotEquals(pid, show("heartwheel", "MainPID"));
    }

    private static boolean isUp(String unit) throws Exception {
        return show(unit, "ActiveState").equals("active");
    }

    /** Somebody has asked twice: it ends at once, in good order for systemd, and stays ended. */
    @Test
    void signal_secondSigterm_endsTheService() throws Exception {
        dropIn("[Service]\\nEnvironment=CONFIG_FORCE_heartwheel_shutdown_drain=10m\\n");
        machine.good("systemctl", "start", "heartwheel");
        machine.good(
                "bash",
                "-c",
                "(exec 3<>/dev/tcp/127.0.0.1/7070; printf '" + HELLO + "' >&3; exec sleep 600) > /dev/null 2>&1 &"
                        + " echo $! > /tmp/device");
        await("a device is in", () -> show("heartwheel", "StatusText").startsWith("1 device,"));
        machine.good("systemctl", "kill", "--signal=TERM", "heartwheel");
        await("it drains", () -> show("heartwheel", "StatusText").contains("told"));

        machine.good("systemctl", "kill", "--signal=TERM", "heartwheel");

        await("ended", () -> show("heartwheel", "ActiveState").equals("inactive"));
        TimeUnit.SECONDS.sleep(6);
        assertEquals("inactive", show("heartwheel", "ActiveState"), "not started again");
        String since = journal().substring(journal().lastIndexOf("Drainer draining"));
        assertFalse(since.contains("drained in"), since);
        assertTrue(since.contains("Deactivated successfully"), since);
        assertFalse(since.contains("restart"), since);
        machine.run("sh", "-c", "kill $(cat /tmp/device)");
    }

    /** The journal tells what matters from what does not. */
    @Test
    void log_ofTheService_carriesPriorities() throws Exception {
        configure("heartwheel.auth.mode = none");
        machine.good("systemctl", "start", "heartwheel");
        configure("heartwheel.heartbeat.interval = never");
        assertNotEquals(0, machine.run("systemctl", "reload", "heartwheel").exit());

        await("the mistake", () -> journal("err").contains("heartwheel.heartbeat.interval = never: need"));
        String warnings = journal("warning..warning");
        assertTrue(warnings.contains("auth.mode = none: every device id is believed"), warnings);
        assertFalse(warnings.contains("<4>"), warnings);
        String facts = journal("info..info");
        assertTrue(facts.contains("Gateway ready"), facts);
        assertFalse(facts.contains("auth.mode = none"), facts);
    }

    private static String journal(String priority) throws Exception {
        return machine.good("journalctl", "--no-pager", "-u", "heartwheel", "-o", "cat", "-p", priority);
    }

    /** Each has its own files and is named in its events; what one lacks, the target tells, and the other goes on. */
    @Test
    void target_oneInstanceDoesNotComeUp_failsAndLeavesTheOther() throws Exception {
        configure("heartwheel.sink { kind = file, file = \"/var/lib/heartwheel/events.jsonl\" }");
        machine.good("systemctl", "enable", "heartwheel@1", "heartwheel@2");
        machine.good(
                "sh", "-c", "echo CONFIG_FORCE_heartwheel_heartbeat_interval=never > /etc/heartwheel/instance-2.env");

        assertNotEquals(
                0, machine.run("systemctl", "start", "heartwheel.target").exit());

        assertTrue(isUp("heartwheel@1"));
        assertEquals("failed", show("heartwheel@2", "ActiveState"));
        assertNotEquals("active", show("heartwheel.target", "ActiveState"));
        String said = machine.good("journalctl", "--no-pager", "-u", "heartwheel-instances", "-o", "cat", "-p", "err");
        assertTrue(said.contains("heartwheel@2.service is not up"), said);

        machine.good("rm", "/etc/heartwheel/instance-2.env");
        machine.good("systemctl", "start", "heartwheel.target");
        assertTrue(isUp("heartwheel@1") && isUp("heartwheel@2") && isUp("heartwheel.target"));
        for (int i = 0; i < 20; i++) {
            machine.good(
                    "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7080; printf '" + UPGRADE + "' >&3; read -r said <&3");
        }
        for (String instance : List.of("1", "2")) {
            String file = "/var/lib/heartwheel/events-" + instance + ".jsonl";
            await("events of " + instance, () -> machine.run("cat", file)
                    .output()
                    .lines()
                    .anyMatch(line -> line.endsWith("\"instance\":\"" + instance + "\"}")));
        }
        machine.good("systemctl", "restart", "heartwheel@1");
        assertTrue(isUp("heartwheel@2") && isUp("heartwheel.target"), "the restart of one is of no other");
        machine.good("systemctl", "disable", "heartwheel@1", "heartwheel@2");
    }

    /** Nobody feeds the watchdog while the process stands, so it is ended and comes again. */
    @Test
    void watchdog_stoppedProcess_isKilledAndStartedAgain() throws Exception {
        dropIn("[Service]\\nWatchdogSec=3s\\nTimeoutAbortSec=2s\\n");
        machine.good("systemctl", "start", "heartwheel");
        String pid = show("heartwheel", "MainPID");
        TimeUnit.SECONDS.sleep(8);
        assertEquals("0", show("heartwheel", "NRestarts"), "fed while it turns");
        machine.good("kill", "-STOP", pid);

        await("started again", () -> show("heartwheel", "NRestarts").equals("1") && isUp("heartwheel"));
        assertNotEquals(pid, show("heartwheel", "MainPID"));
        assertTrue(journal().contains("Failed with result 'watchdog'"), journal());
    }

    /** What the watchdog's signal is for: where each thread stands, in the journal, and the gateway goes on. */
    @Test
    void watchdogSignal_sent_putsEveryStackIntoTheJournal() throws Exception {
        machine.good("systemctl", "start", "heartwheel");
        assertEquals("3", show("heartwheel", "WatchdogSignal"), "SIGQUIT");
        machine.good("systemctl", "kill", "--signal=QUIT", "heartwheel");

        await("the event loops' stacks", () -> journal().contains("\"device-loop-"));
        assertTrue(isUp("heartwheel"));
    }

    /** Somebody connects all the time, and always can. */
    @Test
    void rollingRestart_twoInstances_replacesBothAndNeverStopsTakingDevices() throws Exception {
        machine.good("systemctl", "enable", "heartwheel@1", "heartwheel@2");
        machine.good("systemctl", "start", "heartwheel.target");
        await("both up", () -> isUp("heartwheel@1") && isUp("heartwheel@2"));
        List<String> before = List.of(show("heartwheel@1", "MainPID"), show("heartwheel@2", "MainPID"));
        String knocking = "rm -f /tmp/tries /tmp/refused; while [ ! -e /tmp/enough ]; do echo >> /tmp/tries;"
                + " (exec 3<>/dev/tcp/127.0.0.1/7070) 2>/dev/null || echo >> /tmp/refused; sleep 0.05; done";
        machine.good("bash", "-c", "rm -f /tmp/enough; (" + knocking + ") > /dev/null 2>&1 &");

        String said = machine.good("heartwheel-rolling-restart", "--pause", "1");

        machine.good("touch", "/tmp/enough");
        assertTrue(said.endsWith("restarted: 1 2"), said);
        assertTrue(Integer.parseInt(machine.good("sh", "-c", "wc -l < /tmp/tries")) > 20);
        assertEquals(1, machine.run("test", "-e", "/tmp/refused").exit(), "a connection was refused");
        assertNotEquals(before.get(0), show("heartwheel@1", "MainPID"));
        assertNotEquals(before.get(1), show("heartwheel@2", "MainPID"));
        assertTrue(isUp("heartwheel@1") && isUp("heartwheel@2"));
        assertEquals("inactive", show("heartwheel@9", "ActiveState"));
        machine.good("systemctl", "stop", "heartwheel.target");
        await("the target takes them with it", () -> show("heartwheel@1", "ActiveState")
                .equals("inactive"));
    }
}
