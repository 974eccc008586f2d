package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Start and end of a gateway, and the files it leaves for the next one. */
@Execution(ExecutionMode.CONCURRENT)
class LifecycleIT {

    @Test
    void sigterm_withDevices_sendsThemAwayWaitsAndCloses() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("shutdown.drain", "3s", "shutdown.retry-min", "2s")
                .set("shutdown.retry-max", "7s", "shutdown.alternate-host", "b.example:7070")
                .start()) {
            try (WireClient polite = WireClient.hello(gateway.tcp(), "polite");
                    WireClient stubborn = WireClient.hello(gateway.tcp(), "stubborn");
                    WebSocketWire browser = WebSocketWire.plain(gateway.webSocket(), "/ws/browser")) {
                long toldNanos = System.nanoTime();
                gateway.signal("TERM");
                for (WireClient device : List.of(polite, stubborn)) {
                    WireFrame goAway = device.next(WireFrame.GOAWAY);
                    assertEquals(4200, goAway.code());
                    assertTrue(goAway.retryMinMillis() >= 2_000, goAway::toString);
                    assertTrue(goAway.retryMaxMillis() <= 7_000, goAway::toString);
                    assertEquals("b.example:7070", goAway.host());
                }
                polite.send(WireFrame.CLOSE, (byte) 0x0f, (byte) 0xa0);
                polite.close();
                assertNothingIsTaken(gateway);
                stubborn.roundTrip(1);
                stubborn.nextClose(4200);
                assertTrue(
                        System.nanoTime() - toldNanos >= TimeUnit.SECONDS.toNanos(3),
                        "closed before the drain was over");
                browser.expectClose(1001);
            }
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    private static void assertNothingIsTaken(GatewayProcess gateway) {
        for (var listener : List.of(gateway.tcp(), gateway.webSocket())) {
            assertThrows(IOException.class, () -> {
                try (WireClient late = WireClient.hello(listener, "late")) {
                    late.roundTrip(1);
                }
            });
        }
    }

    @Test
    void sigterm_withoutDevices_endsAtOnce() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("shutdown.drain", "60s").start()) {
            long toldNanos = System.nanoTime();
            gateway.signal("TERM");
            assertEquals(0, gateway.awaitExit(), gateway.log());
            assertTrue(System.nanoTime() - toldNanos < TimeUnit.SECONDS.toNanos(30), gateway.log());
        }
    }

    @Test
    void sigterm_twice_endsWithoutWaiting() throws Exception {
        assertSecondSignalEnds("TERM", 143);
    }

    @Test
    void sigint_twice_endsWithoutWaiting() throws Exception {
        assertSecondSignalEnds("INT", 130);
    }

    private static void assertSecondSignalEnds(String signal, int status) throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("shutdown.drain", "1h").start()) {
            try (WireClient device = WireClient.hello(gateway.tcp(), "stays")) {
                gateway.signal(signal);
                device.next(WireFrame.GOAWAY);
                gateway.signal(signal);
                assertEquals(status, gateway.awaitExit(), gateway.log());
            }
        }
    }

    @Test
    void sigint_once_drains() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            gateway.signal("INT");
            device.next(WireFrame.GOAWAY);
            device.nextClose(4200);
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void input_ended_drains() throws Exception {
        try (GatewayProcess gateway =
                        GatewayProcess.with().arguments("--exit-with-stdin").start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            device.roundTrip(1);
            gateway.closeInput();
            device.next(WireFrame.GOAWAY);
            device.nextClose(4200);
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void start_portInUse_endsWithOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String bind = "127.0.0.1:" + taken.getLocalPort();
            for (String key : List.of("listeners.websocket.bind", "admin.bind")) {
                GatewayProcess.Outcome outcome = GatewayProcess.with(key, bind).run();

                assertEquals(1, outcome.exit(), outcome.log());
                List<String> told = outcome.log()
                        .lines()
                        .filter(line -> !line.contains(" INFO "))
                        .toList();
                assertEquals(1, told.size(), outcome.log());
                assertTrue(told.get(0).startsWith("heartwheel-gateway: could not start: "), told::toString);
                assertTrue(told.get(0).contains(bind), told::toString);
                assertEquals("", outcome.out());
            }
        }
    }

    @Test
    void start_openToAllByAuthNone_warnsOnce() throws Exception {
        GatewaySetup open = GatewayProcess.with("auth.mode", "none", "listeners.tcp.bind", ":0");
        try (GatewayProcess gateway = open.start()) {
            gateway.awaitLog(" ready");

            List<String> warnings = gateway.log(" WARN ");
            assertEquals(1, warnings.size(), warnings::toString);
            assertTrue(
                    warnings.get(0)
                            .endsWith(
                                    "auth.mode = none: every device id is believed, from whoever reaches tcp (0.0.0.0:0)"),
                    warnings::toString);
        }
    }

    @Test
    void start_openToAllWithoutAuthSaid_isRefused() throws Exception {
        GatewayProcess.Outcome outcome =
                GatewayProcess.with("listeners.tcp.bind", "0.0.0.0:0").run();

        assertEquals(78, outcome.exit(), outcome.log());
        assertTrue(outcome.log().contains("auth.mode = shared-token with a token, or auth.mode = none"), outcome.log());
    }

    /** It says what a start would say, without one; and beside a gateway that runs it says so, as before each reload. */
    @Test
    void check_portInUse_saysWhoseItIs() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            GatewayProcess.Outcome outcome = GatewayProcess.with(
                            "listeners.tcp.bind",
                            "127.0.0.1:" + taken.getLocalPort(),
                            "admin.bind",
                            "no.such.invalid:0")
                    .arguments("--check")
                    .run();
            assertEquals(1, outcome.exit(), outcome.log());
            assertTrue(
                    outcome.log().contains("process " + ProcessHandle.current().pid() + " has it"), outcome.log());
            assertTrue(
                    outcome.log().contains("heartwheel.admin.bind = no.such.invalid:0: unknown host"), outcome.log());
        }
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            String bind = "127.0.0.1:" + gateway.tcp().getPort();
            GatewayProcess.Outcome outcome = GatewayProcess.with("listeners.tcp.bind", bind)
                    .arguments("--check")
                    .run();
            assertEquals(0, outcome.exit(), outcome.log());
            assertTrue(outcome.out().contains("a gateway that runs, process " + gateway.pid()), outcome.out());
        }
    }

    /** Where ports are shared, one that is shared already is as good as free. No device is dealt to the check. */
    @Test
    void check_sharedPort_isFreeAndTakesNobody() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("transport.share-ports", "true").start()) {
            GatewayProcess.Outcome outcome = GatewayProcess.with(
                            "transport.share-ports",
                            "true",
                            "listeners.tcp.bind",
                            "127.0.0.1:" + gateway.tcp().getPort())
                    .arguments("--check")
                    .run();
            assertEquals(0, outcome.exit(), outcome.log());
            assertFalse(outcome.out().contains("in use"), outcome.out());
        }
    }

    @Test
    void start_wrongConfiguration_tellsEveryMistake() throws Exception {
        GatewayProcess.Outcome outcome = GatewayProcess.with("heartbeat.intervall", "3s", "wheel.tick", "1h")
                .run();

        assertEquals(78, outcome.exit(), outcome.log());
        assertTrue(outcome.log().contains("heartbeat.intervall"), outcome.log());
        assertTrue(outcome.log().contains("wheel.tick"), outcome.log());
    }

    @Test
    void restart_sameDevice_getsLaterEpochs() throws Exception {
        long first;
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.connect(gateway.tcp())) {
            first = device.sayHello("d", 0, 0).epoch();
        }
        long hour = TimeUnit.HOURS.toMicros(1);
        long remembered = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + hour;
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient forgetful = WireClient.connect(gateway.tcp());
                WireClient mindful = WireClient.connect(gateway.tcp())) {
            assertTrue(forgetful.sayHello("d", 0, 0).epoch() > first);
            assertTrue(mindful.sayHello("d", 0, remembered).epoch() > remembered);
            forgetful.expectClose(4409);
        }
    }

    @Test
    void hello_thatClaimsAnEpochOfTomorrow_movesNobodyElse() throws Exception {
        long tomorrow = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + TimeUnit.HOURS.toMicros(23);
        long before;
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient liar = WireClient.connect(gateway.tcp());
                WireClient forgetful = WireClient.connect(gateway.tcp());
                WireClient honest = WireClient.connect(gateway.tcp())) {
            long lie = liar.sayHello("liar", 0, tomorrow).epoch();
            assertTrue(lie > tomorrow);
            assertTrue(forgetful.sayHello("liar", 0, 0).epoch() > lie);
            before = honest.sayHello("honest", 0, 0).epoch();
            assertTrue(before < tomorrow);
        }
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient honest = WireClient.connect(gateway.tcp())) {
            assertTrue(honest.sayHello("honest", 0, 0).epoch() > before);
        }
    }
}
