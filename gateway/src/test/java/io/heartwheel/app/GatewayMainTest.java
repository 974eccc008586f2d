package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.BindTrial;
import io.heartwheel.app.doctor.BindTrial.State;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.BindAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line in front of a gateway that is none. */
@Timeout(60)
class GatewayMainTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final StopSwitch stopSwitch = new StopSwitch();
    private Map<String, String> environment = Map.of();
    private InputStream input = InputStream.nullInputStream();
    private @Nullable Throwable failure;
    private @Nullable GatewaySettings started;
    private boolean stopAtStart = true;
    private List<BindTrial> trials = List.of();

    private int run(String... args) {
        RunningGateway.Starter starter = (config, source) -> {
            started = config.settings();
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure != null) {
                throw (Exception) failure;
            }
            if (stopAtStart) {
                stopSwitch.stop();
            }
            return new FakeGateway();
        };
        GatewayMain main = new GatewayMain(starter, stopSwitch, environment, input, settings -> trials);
        CommandLine commandLine = GatewayMain.commandLine(main);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(args);
    }

    @Test
    void help_tellsOptionsAndStatus() {
        assertEquals(0, run("--help"));

        for (String word :
                List.of("--config=FILE", "--check", "--exit-with-stdin", "-D=KEY=VALUE", "--version", "78", "143")) {
            assertTrue(out.toString().contains(word), () -> word + " is not in " + out);
        }
        assertNull(started);
    }

    @Test
    void line_unknownOption_tellsTheMistakeTheNearestAndWhereTheHelpIs() {
        assertEquals(2, run("--chek"));
        assertEquals(2, run("doctor", "--confg=x"));

        assertEquals(
                List.of(
                        "heartwheel-gateway: unknown option --chek, did you mean --check?",
                        "see heartwheel-gateway --help",
                        "heartwheel-gateway: unknown option --confg, did you mean --config?",
                        "see heartwheel-gateway doctor --help"),
                err.toString().lines().toList());
    }

    @Test
    void version_tellsOursJavasAndNettys() {
        assertEquals(0, run("--version"));

        List<String> lines = out.toString().lines().toList();
        assertEquals("heartwheel-gateway (not from a jar)", lines.get(0));
        assertTrue(lines.get(1).startsWith("java " + Runtime.version()), lines.get(1));
        assertTrue(lines.get(2).matches("netty 4\\.2\\.\\d+\\.Final"), lines.get(2));
    }

    @Test
    void check_goodConfiguration_saysOkAndStartsNothing() throws Exception {
        Path file = config("heartwheel { sink.kind = none, admin.enabled = false }");

        assertEquals(0, run("--config", file.toString(), "--check"));

        assertEquals(
                List.of(
                        "ok: " + file,
                        "  listener tcp       127.0.0.1:7070 heartwheel",
                        "  listener websocket 127.0.0.1:7080 websocket",
                        "  transport          auto, at most 1000000 connections",
                        "  auth               unset",
                        "  sink               none",
                        "  admin              off",
                        "  tried              names looked up, addresses bound and given back; no file opened for writing, no limit looked at (doctor does)"),
                out.toString().lines().toList());
        assertEquals("", err.toString());
        assertNull(started);
    }

    @Test
    void check_addressThatCannotBeHad_isToldWithStatus1() {
        trials = List.of(
                bind("tcp", State.REFUSED, "Address already in use, nginx, process 12 has it"),
                bind("websocket", State.FREE, ""),
                bind("admin", State.REFUSED, "unknown\nhost"));

        assertEquals(1, run("--check"));

        assertEquals(
                List.of(
                        "heartwheel-gateway: built-in defaults: good, and could not start here:",
                        "  heartwheel.listeners.tcp.bind = 127.0.0.1:7070: Address already in use, nginx, process 12 has it",
                        "  heartwheel.admin.bind = 127.0.0.1:7070: unknown host"),
                err.toString().lines().toList());
        assertEquals("", out.toString());
    }

    /** As before a reload, when the gateway that runs has them all. */
    @Test
    void check_addressOfAGatewayThatRuns_isGood() {
        trials = List.of(bind("tcp", State.RUNNING, "Address already in use, a gateway that runs, process 12 has it"));

        assertEquals(0, run("--check"));

        String said =
                "  in use             127.0.0.1:7070: Address already in use, a gateway that runs, process 12 has it; fine for a reload";
        assertTrue(out.toString().contains(said), out::toString);
    }

    private static BindTrial bind(String listener, State state, String text) {
        return new BindTrial(listener, new BindAddress("127.0.0.1", 7070), false, state, text);
    }

    /** Also those of files that only a listener would read. */
    @Test
    void check_mistakes_tellsAllAndEndsWith78() throws Exception {
        String path = directory.resolve("gateway.conf").toString();
        Path file = config(
                """
                heartwheel {
                  wheel.tik = 1ms
                  listeners.tcp.tls { enabled = true, certificate-file = "${p}", key-file = "${p}" }
                }
                """
                        .replace("${p}", path));

        assertEquals(78, run("-c", path, "--check", "-Dheartwheel.sink.queue=1"));
        assertEquals(
                List.of(
                        "heartwheel-gateway: " + file + ": 3 mistakes",
                        "  heartwheel.wheel.tik: unknown key, did you mean heartwheel.wheel.tick? (gateway.conf:2)",
                        "  heartwheel.listeners.tcp.tls.certificate-file = " + file
                                + ": there is no CERTIFICATE block in it (gateway.conf:3)",
                        "  heartwheel.sink.queue = 1: need 16..1048576 (-Dheartwheel.sink.queue)"),
                err.toString().lines().toList());
        assertEquals("", out.toString());
        assertNull(started);
    }

    @Test
    void run_oneMistake_startsNothing() {
        environment = Map.of("CONFIG_FORCE_heartwheel_sink_kind", "paper");

        assertEquals(78, run());

        assertEquals(
                "heartwheel-gateway: built-in defaults: 1 mistake",
                err.toString().lines().findFirst().orElseThrow());
        assertNull(started);
    }

    @Test
    void run_overrideBehindTheJar_counts() throws Exception {
        Path file = config("heartwheel.heartbeat.interval = 10s");

        assertEquals(0, run("--config=" + file, "-Dheartwheel.heartbeat.interval=30s"));

        assertEquals(Duration.ofSeconds(30), started.liveness().heartbeat().interval());
        assertNull(System.getProperty("heartwheel.heartbeat.interval"));
    }

    @Test
    void run_otherKeyBehindTheJar_becomesASystemProperty() {
        assertEquals(0, run("-Dsome.other.key=a=b"));
        assertEquals("a=b", System.clearProperty("some.other.key"));
    }

    @Test
    void run_startFails_isOneLineAndStatus1() {
        failure = new IOException(
                "listeners.tcp.bind = 0.0.0.0:7070\ncannot be bound", new BindException("Address already in use"));

        assertEquals(1, run());

        assertEquals(
                List.of(
                        "heartwheel-gateway: could not start: listeners.tcp.bind = 0.0.0.0:7070 cannot be bound: Address already in use"),
                err.toString().lines().toList());
    }

    @Test
    void run_addressIsTaken_namesItsHolder() {
        failure = new IOException(
                "listeners.tcp.bind = 127.0.0.1:7070: bind(..) failed with error(-98): Address already in use");
        trials = List.of(
                bind("admin", State.REFUSED, "Address already in use, nginx, process 11 has it"),
                bind("tcp", State.RUNNING, "Address already in use, a gateway that runs, process 12 has it"));

        assertEquals(1, run());

        assertEquals(
                "heartwheel-gateway: could not start: listeners.tcp.bind = 127.0.0.1:7070: Address already in use, a gateway that runs, process 12 has it",
                err.toString().strip());
    }

    /** A jar that lacks a file, or a file system that forbids native code, shows itself like this. */
    @Test
    void run_aClassCannotBeLoaded_isOneLineAndStatus1() {
        failure = new ExceptionInInitializerError(new IllegalStateException("no events.schema.json"));

        assertEquals(1, run());

        assertTrue(err.toString().contains("could not start: "), err::toString);
        assertTrue(err.toString().contains("no events.schema.json"), err::toString);
    }

    @Test
    void run_causeRepeatsTheMessage_isToldOnce() {
        failure = new IllegalStateException(new IOException("x: full", new IOException("full")));

        assertEquals(1, run());

        assertEquals(
                "heartwheel-gateway: could not start: java.io.IOException: x: full",
                err.toString().strip());
    }

    @Test
    void run_inputEnds_shutsDown() {
        stopAtStart = false;
        input = new ByteArrayInputStream(new byte[] {1, 2, 3});

        assertEquals(0, run("--exit-with-stdin"));
    }

    @Test
    void run_inputBreaks_shutsDown() throws Exception {
        stopAtStart = false;
        input = InputStream.nullInputStream();
        input.close(); // each read fails

        assertEquals(0, run("--exit-with-stdin"));
    }

    @Test
    void signal_second_haltsWithItsStatus() {
        int[] status = {-1};
        FakeGateway gateway = new FakeGateway();
        stopSwitch.started(gateway);
        Signals signals = new Signals(stopSwitch, code -> status[0] = code);

        signals.received("TERM", 15);
        assertEquals(List.of("shutdown"), gateway.done);
        assertEquals(-1, status[0]);
        signals.received("INT", 2);
        assertEquals(130, status[0]);
    }

    @Test
    void signal_hangUp_readsTheConfigurationAgainAndEndsNothing() {
        FakeGateway gateway = new FakeGateway();
        Signals signals = new Signals(stopSwitch, code -> {});

        signals.received("HUP", 1);
        stopSwitch.started(gateway);
        signals.received("HUP", 1);
        signals.received("HUP", 1);

        assertEquals(List.of("reload", "reload", "reload"), gateway.done, "the first before there was a gateway");
    }

    private Path config(String text) throws IOException {
        return Files.writeString(directory.resolve("gateway.conf"), text);
    }
}
