package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Start and end of a gateway, and the files it leaves for the next one. */
@Execution(ExecutionMode.CONCURRENT)
class LifecycleIT {
    private static final long DRAIN_SECONDS = 8;

    @TempDir
    private Path scratch;

    @Test
    void sigterm_withDevices_sendsThemAwayWaitsAndCloses() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("shutdown.drain", DRAIN_SECONDS + "s")
                .set("shutdown.retry-min", "2s", "shutdown.retry-max", "7s")
                .set("shutdown.alternate-host", "b.example:7070")
                .start()) {
            try (WireClient polite = WireClient.hello(gateway.tcp(), "polite");
                    WireClient stubborn = WireClient.hello(gateway.tcp(), "stubborn");
                    WebSocketWire browser = WebSocketWire.plain(gateway.webSocket(), "/ws/browser")) {
                assertEquals(200, gateway.status("GET", "/healthz"));
                assertEquals(200, gateway.status("GET", "/readyz"));
                long toldNanos = System.nanoTime();
                gateway.signal("TERM");
                for (WireClient device : List.of(polite, stubborn)) {
                    WireFrame goAway = device.next(WireFrame.GOAWAY);
                    assertEquals(4200, goAway.code());
                    assertTrue(goAway.retryMinMillis() >= 2_000, goAway::toString);
                    assertTrue(goAway.retryMaxMillis() <= 7_000, goAway::toString);
                    assertEquals("b.example:7070", goAway.host());
                }
                stubborn.roundTrip(1);
                assertAliveAndNotReady(gateway);
                polite.send(WireFrame.CLOSE, (byte) 0x0f, (byte) 0xa0);
                polite.close();
                for (var listener : List.of(gateway.tcp(), gateway.webSocket())) {
                    assertThrows(IOException.class, () -> WireClient.hello(listener, "late"));
                }
                stubborn.nextClose(4200);
                long tookNanos = System.nanoTime() - toldNanos;
                assertTrue(tookNanos >= TimeUnit.SECONDS.toNanos(DRAIN_SECONDS), "closed before the drain was over");
                browser.expectClose(1001);
            }
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    private static void assertAliveAndNotReady(GatewayProcess gateway) throws IOException {
        GatewayProcess.Answer ready = gateway.admin("GET", "/readyz");
        assertEquals(503, ready.status());
        assertTrue(ready.body().contains("draining"), ready::toString);
        assertEquals(200, gateway.status("GET", "/healthz"));
        assertEquals(200, gateway.status("GET", "/metrics"));
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130"})
    void signal_twice_endsWithoutWaiting(String signal, int status) throws Exception {
        try (GatewayProcess gateway =
                        GatewayProcess.with("shutdown.drain", "1h").start();
                WireClient device = WireClient.hello(gateway.tcp(), "stays")) {
            gateway.signal(signal);
            device.next(WireFrame.GOAWAY);
            gateway.signal(signal);
            assertEquals(status, gateway.awaitExit(), gateway.log());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sigintOrEndOfInput_once_drains(boolean ofInput) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("shutdown.drain", "1s")
                        .arguments("--exit-with-stdin")
                        .start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            device.roundTrip(1);
            if (ofInput) {
                gateway.closeInput();
            } else {
                gateway.signal("INT");
            }
            device.next(WireFrame.GOAWAY);
            device.nextClose(4200);
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void signals_ignoredByWhoeverStartedIt_areToldAndSigtermEndsAtOnce() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("shutdown.drain", "1h")
                .signals("--ignore-signal=HUP,INT")
                .start()) {
            gateway.signal("HUP");
            gateway.signal("INT");
            gateway.terminate();
            String log = gateway.log();
            assertTrue(log.contains("SIGHUP is ignored: this process was started so; the configuration is read"), log);
            assertTrue(log.contains("SIGINT is ignored: this process was started so; end it with SIGTERM"), log);
            assertFalse(log.contains("SIGTERM is ignored"), log);
        }
    }

    @Test
    void start_ownLogback_behindTheJarCounts() throws Exception {
        Path log = scratch.resolve("mine.log");
        Path logback = Files.writeString(
                scratch.resolve("mine.xml"),
                """
                <configuration>
                  <appender name="f" class="ch.qos.logback.core.FileAppender">
                    <file>%s</file>
                    <encoder><pattern>mine %%msg%%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="f"/></root>
                </configuration>
                """
                        .formatted(log));
        try (GatewayProcess gateway = GatewayProcess.with()
                .arguments("-Dlogback.configurationFile=" + logback)
                .start()) {
            gateway.terminate();
            assertTrue(Files.readString(log).contains("mine SIGTERM received"));
            assertEquals("", gateway.log());
        }
    }

    @Test
    void version_fromTheJar_isThatOfTheBuild() throws Exception {
        GatewayProcess.Outcome outcome =
                GatewayProcess.with().arguments("--version").run();

        assertEquals(0, outcome.exit(), outcome.log());
        List<String> lines = outcome.out().lines().toList();
        assertTrue(lines.get(0).matches("heartwheel-gateway \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?"), lines.get(0));
        assertTrue(lines.get(2).matches("netty 4\\.2\\.\\d+\\.Final"), lines.get(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"listeners.tcp.bind", "listeners.websocket.bind", "admin.bind"})
    void start_portInUse_endsWithOneLineThatNamesItsHolder(String key) throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String bind = "127.0.0.1:" + taken.getLocalPort();
            GatewayProcess.Outcome outcome = GatewayProcess.with(key, bind).run();

            assertEquals(1, outcome.exit(), outcome.log());
            assertTrue(outcome.complaint().startsWith("heartwheel-gateway: could not start: "), outcome.log());
            assertTrue(outcome.complaint().contains(bind), outcome.log());
            String holder = "java, process " + ProcessHandle.current().pid() + " has it";
            assertTrue(outcome.complaint().endsWith(holder), outcome.log());
            assertEquals("", outcome.out());
        }
    }

    @Test
    void start_openToAllByAuthNone_warnsOnce() throws Exception {
        GatewaySetup open = GatewayProcess.with("auth.mode", "none", "listeners.tcp.bind", ":0");
        try (GatewayProcess gateway = open.start()) {
            gateway.awaitLog(" ready");

            List<String> warnings = gateway.warnings();
            assertEquals(1, warnings.size(), warnings::toString);
            String told = "auth.mode = none: every device id is believed, from whoever reaches tcp (0.0.0.0:0)";
            assertTrue(warnings.get(0).endsWith(told), warnings::toString);
        }
    }

    /** It says what a start would say, without one. */
    @Test
    void check_portInUse_saysWhoseItIs() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String monitor = "no.such.invalid:0";
            GatewayProcess.Outcome outcome =
                    check(taken.getLocalPort(), "admin.monitor.enabled", "true", "admin.monitor.bind", monitor);
            long pid = ProcessHandle.current().pid();
            assertEquals(1, outcome.exit(), outcome.log());
            assertTrue(outcome.log().contains("process " + pid + " has it"), outcome.log());
            String unknown = "heartwheel.admin.monitor.bind = " + monitor + ": unknown host";
            assertTrue(outcome.log().contains(unknown), outcome.log());
        }
    }

    /**
     * Beside a gateway that runs it says so, as before each reload. Where ports are shared, one that is shared already is as good as free; no device is
     * dealt to the check.
     */
    @Test
    void check_besideAGateway_saysSoOrSharesItsPort() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("transport.share-ports", "true").start()) {
            int port = gateway.tcp().getPort();
            GatewayProcess.Outcome own = check(port);
            assertEquals(0, own.exit(), own.log());
            assertTrue(own.out().contains("a gateway that runs, process " + gateway.pid()), own.out());
            GatewayProcess.Outcome shared = check(port, "transport.share-ports", "true");
            assertEquals(0, shared.exit(), shared.log());
            assertFalse(shared.out().contains("in use"), shared.out());
        }
    }

    private static GatewayProcess.Outcome check(int port, Object... settings) throws Exception {
        return GatewayProcess.with(settings)
                .set("listeners.tcp.bind", "127.0.0.1:" + port)
                .arguments("--check")
                .run();
    }

    /** The same device gets a later one, whatever it remembers; and who claims one of tomorrow moves nobody else. */
    @Test
    void restart_epochs_areLaterOnes() throws Exception {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long tomorrow = now + TimeUnit.HOURS.toMicros(23);
        long first;
        long honest;
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            first = epoch(gateway, "d", 0);
            long lie = epoch(gateway, "liar", tomorrow);
            assertTrue(lie > tomorrow);
            assertTrue(epoch(gateway, "liar", 0) > lie);
            honest = epoch(gateway, "honest", 0);
            assertTrue(honest < tomorrow);
        }
        long remembered = now + TimeUnit.HOURS.toMicros(1);
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            assertTrue(epoch(gateway, "honest", 0) > honest);
            assertTrue(epoch(gateway, "d", 0) > first);
            assertTrue(epoch(gateway, "d", remembered) > remembered);
        }
    }

    private static long epoch(GatewayProcess gateway, String device, long last) throws IOException {
        try (WireClient client = WireClient.connect(gateway.tcp())) {
            return client.sayHello(device, 0, last).epoch();
        }
    }
}
