package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.admin.ReloadReport;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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
    private @Nullable Exception failure;
    private @Nullable GatewaySettings started;
    private boolean stopAtStart = true;
    private List<BindTrial> shadowPolicies = List.of();

    /** Ends when it is told to. */
    private static final class Fake implements RunningGateway {
        private final AtomicInteger reloads = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void shutdown() {
            ended.countDown();
        }

        @Override
        public ReloadReport reload() {
            reloads.incrementAndGet();
            return ReloadReport.applied(List.of(), List.of());
        }

        @Override
        public void awaitTermination() throws InterruptedException {
            ended.await();
        }
    }

    private int run(String... args) {
        RunningGateway.Starter starter = (config, source) -> {
            started = config.settings();
            if (failure != null) {
                throw failure;
            }
            if (stopAtStart) {
                stopSwitch.stop();
            }
            return new Fake();
        };
        GatewayMain main = new GatewayMain(starter, stopSwitch, environment, input, settings -> shadowPolicies);
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
        shadowPolicies = List.of(
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
        shadowPolicies =
                List.of(bind("tcp", State.RUNNING, "Address already in use, a gateway that runs, process 12 has it"));

        assertEquals(0, run("--check"));

        assertTrue(
                out.toString()
                        .contains(
                                "  in use             127.0.0.1:7070: Address already in use, a gateway that runs, process 12 has it; fine for a reload"),
                out::toString);
    }

    private static BindTrial bind(String listener, State state, String text) {
        return new BindTrial(listener, new BindAddress("127.0.0.1", 7070), false, state, text);
    }

    @Test
    void check_mistakes_tellsAllAndEndsWith78() throws Exception {
        Path file = config("heartwheel {\n wheel.tik = 1ms\n heartbeat.grace = 99\n}");

        assertEquals(78, run("-c", file.toString(), "--check", "-Dheartwheel.sink.queue=1"));

        assertEquals(
                List.of(
                        "heartwheel-gateway: " + file + ": 3 mistakes",
                        "  heartwheel.wheel.tik: unknown key, did you mean heartwheel.wheel.tick? (gateway.conf:2)",
                        "  heartwheel.heartbeat.grace = 99: need 1.1..10 (gateway.conf:3)",
                        "  heartwheel.sink.queue = 1: need 16..1048576 (-Dheartwheel.sink.queue)"),
                err.toString().lines().toList());
        assertEquals("", out.toString());
    }

    @Test
    void check_keyOfAnotherCertificate_isAMistakeLikeOthers() throws Exception {
        Path pem = fixture("ec.pem");
        Path key = fixture("stranger.key");
        Path file = config("heartwheel {\n listeners.tcp.tls { enabled = true, certificate-file = \"" + pem
                + "\"\n key-file = \"" + key + "\" }\n heartbeat.grace = 99\n}");

        assertEquals(78, run("-c", file.toString(), "--check"));

        List<String> said = err.toString().lines().toList();
        for (String mistake : List.of(
                "  heartwheel.listeners.tcp.tls.key-file = " + key
                        + ": the key is not that of the certificate (gateway.conf:3)",
                "  heartwheel.heartbeat.grace = 99: need 1.1..10 (gateway.conf:4)")) {
            assertTrue(said.contains(mistake), said::toString);
        }
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
        try {
            assertEquals(0, run("-Dsome.other.key=a=b"));
            assertEquals("a=b", System.getProperty("some.other.key"));
        } finally {
            System.clearProperty("some.other.key");
        }
    }

    @Test
    void run_wrongCommandLine_isOneLineAndStatus2() {
        assertEquals(2, run("--chekc"));
        assertEquals(1, err.toString().lines().count(), err::toString);
        assertTrue(err.toString().contains("--chekc"), err::toString);
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
    void run_inputBreaks_shutsDown() {
        stopAtStart = false;
        input = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("broken pipe");
            }

            @Override
            public int read(byte[] bytes, int at, int length) throws IOException {
                return read();
            }
        };

        assertEquals(0, run("--exit-with-stdin"));
    }

    @Test
    void stop_beforeTheStart_endsTheGatewayOnceItStands() throws Exception {
        assertTrue(stopSwitch.stop());
        Fake gateway = new Fake();
        stopSwitch.started(gateway);

        gateway.awaitTermination();
        assertFalse(stopSwitch.stop());
    }

    @Test
    void signal_second_haltsWithItsStatus() {
        int[] status = {-1};
        Fake gateway = new Fake();
        stopSwitch.started(gateway);
        Signals signals = new Signals(stopSwitch, code -> status[0] = code);

        signals.received("TERM", 15);
        assertEquals(0, gateway.ended.getCount());
        assertEquals(-1, status[0]);
        signals.received("INT", 2);
        assertEquals(130, status[0]);
    }

    @Test
    void signal_hangUp_readsTheConfigurationAgainAndEndsNothing() {
        Fake gateway = new Fake();
        Signals signals = new Signals(stopSwitch, code -> {});

        signals.received("HUP", 1);
        stopSwitch.started(gateway);
        signals.received("HUP", 1);
        signals.received("HUP", 1);

        assertEquals(3, gateway.reloads.get(), "the first came before there was a gateway, and is made up for");
        assertEquals(1, gateway.ended.getCount());
    }

    private Path fixture(String name) throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/io/heartwheel/transport/tls/" + name)) {
            return Files.write(directory.resolve(name), in.readAllBytes());
        }
    }

    private Path config(String text) throws IOException {
        return Files.writeString(directory.resolve("gateway.conf"), text);
    }
}
