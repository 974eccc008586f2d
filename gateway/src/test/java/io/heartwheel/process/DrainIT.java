package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Drains on request of the operator: paced, reported, cancelled, and continued when the process is to end. */
@Execution(ExecutionMode.CONCURRENT)
class DrainIT {
    private static final String STAYING = "/v1/drain?stay=true&deadline=1h";

    @Test
    void drain_manyDevices_isPacedAndTakenBack() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            List<WireClient> framed = new ArrayList<>();
            List<WebSocketWire> plain = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                if (i % 10 == 0) {
                    plain.add(WebSocketWire.plain(gateway.webSocket(), "/ws/plain-" + i));
                } else {
                    framed.add(WireClient.hello(gateway.tcp(), "framed-" + i));
                }
            }
            String wanted = "admit_per_second=100&deadline=1m";
            JsonNode forecast = gateway.ask("/v1/drain/forecast?" + wanted);
            assertEquals(500, forecast.get("devices").asInt());
            assertEquals(50, forecast.get("plain").asInt());
            assertEquals(5_000, forecast.get("telling_ms").asInt());
            assertTrue(forecast.get("within_admission").asBoolean(), forecast::toString);

            long beganNanos = System.nanoTime();
            GatewayProcess.Answer begun = gateway.admin("POST", "/v1/drain?stay=true&" + wanted);
            assertEquals(202, begun.status(), begun::toString);
            assertEquals(409, gateway.status("POST", "/v1/drain"));
            GatewayProcess.Answer unready = gateway.admin("GET", "/readyz");
            assertEquals(503, unready.status());
            assertTrue(unready.body().contains("draining"), unready::toString);

            for (WireClient device : framed) {
                WireFrame goAway = device.next(WireFrame.GOAWAY);
                assertEquals(4200, goAway.code());
                assertTrue(goAway.retryMinMillis() >= 1_000 && goAway.retryMaxMillis() <= 30_000, goAway::toString);
                device.close();
            }
            for (WebSocketWire device : plain) {
                device.expectClose(1001);
                device.close();
            }
            long tookNanos = System.nanoTime() - beganNanos;
            assertTrue(tookNanos >= TimeUnit.SECONDS.toNanos(4), "500 at 100/s took " + tookNanos + " ns");
            awaitPhase(gateway, "drained");
            assertDrained(gateway);
            assertThrows(IOException.class, () -> WireClient.hello(gateway.tcp(), "late"));

            GatewayProcess.Answer back = gateway.admin("DELETE", "/v1/drain");
            assertEquals(200, back.status(), back::toString);
            assertEquals("cancelled", back.json().get("phase").asText());
            assertEquals(200, gateway.status("GET", "/readyz"));
            try (WireClient again = WireClient.hello(gateway.tcp(), "framed-1");
                    WebSocketWire other = WebSocketWire.plain(gateway.webSocket(), "/ws/plain-0")) {
                again.roundTrip(1);
                other.text("x");
            }
            assertEquals(409, gateway.status("DELETE", "/v1/drain"));
        }
    }

    private static void assertDrained(GatewayProcess gateway) throws Exception {
        JsonNode done = gateway.ask("/v1/drain");
        assertEquals(500, done.get("devices").asInt(), done::toString);
        assertEquals(450, done.get("told").asInt(), done::toString);
        assertEquals(450, done.get("left").asInt(), done::toString);
        assertEquals(50, done.get("closed").asInt(), done::toString);
        assertEquals(0, done.get("remaining").asInt(), done::toString);
        MetricsPage page = gateway.metrics();
        assertEquals(450, page.sum("heartwheel_drain_told_total"));
        assertEquals(450, page.sum("heartwheel_drain_left_total"));
        assertEquals(50, page.sum("heartwheel_drain_closed_total"));
        assertEquals(1, page.sum("heartwheel_drain_phase", "phase=\"drained\""));
        assertEquals(1, gateway.log("drained in").size(), gateway.log());
    }

    private static void awaitPhase(GatewayProcess gateway, String phase) throws Exception {
        Await.until(phase, () -> gateway.ask("/v1/drain").get("phase").asText().equals(phase));
    }

    @Test
    void drain_takenBack_keepsWhoStayed() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "stays");
                WireClient nobody = WireClient.connect(gateway.tcp())) {
            Await.until("counted", () -> gateway.metrics().sum("heartwheel_accepts_total") == 2);
            assertEquals(202, gateway.status("POST", STAYING));
            // who said no HELLO is closed at once, to come later
            nobody.expectClose(4200);
            device.next(WireFrame.GOAWAY);
            assertEquals(200, gateway.status("DELETE", "/v1/drain"));
            device.roundTrip(1);

            assertEquals(202, gateway.status("POST", STAYING));
            device.next(WireFrame.GOAWAY);
            gateway.signal("TERM");
            gateway.awaitLog("will end after the drain");
            assertEquals(409, gateway.status("DELETE", "/v1/drain"));
            device.close();
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void drain_notice_isUnreadyAndTakesNewcomersUntilItIsOver() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("shutdown.notice", "1h").start()) {
            assertEquals(202, gateway.status("POST", STAYING));
            assertEquals(503, gateway.status("GET", "/readyz"));
            assertEquals(1, gateway.metrics().sum("heartwheel_drain_phase", "phase=\"notice\""));
            try (WireClient newcomer = WireClient.hello(gateway.tcp(), "newcomer")) {
                newcomer.roundTrip(1);
                assertEquals(200, gateway.status("DELETE", "/v1/drain"));
                assertEquals(200, gateway.status("GET", "/readyz"));
                newcomer.roundTrip(2);

                assertEquals(202, gateway.status("POST", STAYING + "&notice=1s"));
                newcomer.next(WireFrame.GOAWAY);
                assertEquals(0, gateway.metrics().sum("heartwheel_ready"));
                assertThrows(IOException.class, () -> WireClient.hello(gateway.tcp(), "late"));
            }
        }
    }

    @Test
    void drain_share_sendsSoManyAwayAndTellsWhy() throws Exception {
        List<AutoCloseable> devices = new ArrayList<>();
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            for (int i = 0; i < 20; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "framed-" + i));
                devices.add(WebSocketWire.plain(gateway.webSocket(), "/ws/plain-" + i));
            }
            GatewayProcess.Answer begun = gateway.admin("POST", "/v1/drain?share=0.5&count=15&deadline=1s");
            assertEquals(202, begun.status(), begun::toString);
            assertEquals(15, begun.json().get("devices").asInt());
            assertEquals(200, gateway.status("GET", "/readyz"));
            awaitPhase(gateway, "drained");
            JsonNode done = gateway.ask("/v1/drain");
            assertEquals(15, done.get("closed").asInt(), done::toString);
            JsonNode closed = gateway.ask("/v1/closed?reason=shutdown").get("closed");
            assertEquals(15, closed.size());
            for (JsonNode each : closed) {
                String why = gateway.admin(
                                "GET", "/v1/devices/" + each.get("device").asText() + "/why")
                        .body();
                assertTrue(why.contains("the gateway sends some of its devices to the others"), why);
            }
            devices.add(WireClient.hello(gateway.tcp(), "newcomer"));
            assertEquals(26, gateway.ask("/v1/drain/forecast").get("devices").asInt());
            assertEquals(409, gateway.status("DELETE", "/v1/drain"));
        } finally {
            for (AutoCloseable each : devices) {
                each.close();
            }
        }
    }

    @Test
    void drain_portTakenMeanwhile_isNotTakenBackUntilItIsFree() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            gateway.admin("POST", STAYING);
            awaitPhase(gateway, "drained");
            try (ServerSocket other = new ServerSocket()) {
                // a port that is free may be that of any socket of this machine for a while
                Await.until("bound", () -> isBound(other, gateway.tcp()));
                GatewayProcess.Answer answer = gateway.admin("DELETE", "/v1/drain");
                assertEquals(503, answer.status(), answer::toString);
                assertTrue(answer.body().contains("listeners.tcp.bind"), answer::toString);
                assertEquals(503, gateway.status("GET", "/readyz"));
            }
            Await.until("taken back", () -> gateway.status("DELETE", "/v1/drain") == 200);
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                device.roundTrip(1);
            }
            // drained, it ends at once
            gateway.admin("POST", STAYING);
            awaitPhase(gateway, "drained");
            gateway.terminate();
        }
    }

    private static boolean isBound(ServerSocket socket, InetSocketAddress address) throws IOException {
        try {
            socket.bind(address, 1);
            return true;
        } catch (BindException taken) {
            return false;
        }
    }

    private static double offline(GatewayProcess gateway, String metric, String label) throws IOException {
        return gateway.metrics().sum(metric, label + "=\"offline\"");
    }

    /** Two more tries to send something. */
    private static void awaitTries(GatewayProcess gateway) throws Exception {
        String tries = "heartwheel_push_results_total";
        double before = offline(gateway, tries, "outcome");
        Await.until("tried again", () -> offline(gateway, tries, "outcome") >= before + 2);
    }

    @Test
    void drain_notToStay_runsOfWhoIsAwayAreTriedAgainAndDueAfterTheStart() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            byte[] often = "{\"to\":{\"device\":\"away\"},\"every\":\"100ms\",\"missed\":\"all\",\"text\":\"x\"}"
                    .getBytes(StandardCharsets.UTF_8);
            assertEquals(
                    201,
                    gateway.admin("PUT", "/v1/schedules/often", "application/json", often)
                            .status());
            Await.until("offline", () -> offline(gateway, "heartwheel_schedule_runs_total", "result") > 0);
            assertEquals(202, gateway.status("POST", "/v1/drain?deadline=1h"));
            device.next(WireFrame.GOAWAY);
            awaitTries(gateway);
            double runs = offline(gateway, "heartwheel_schedule_runs_total", "result");
            awaitTries(gateway);
            assertEquals(runs, offline(gateway, "heartwheel_schedule_runs_total", "result"));
            assertEquals(1, gateway.metrics().sum("heartwheel_schedules"));
            device.close();
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void drain_notToStay_endsTheProcessAndIsNotTakenBack() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            assertEquals(202, gateway.status("POST", "/v1/drain?deadline=1h"));
            device.next(WireFrame.GOAWAY);
            assertEquals(409, gateway.status("DELETE", "/v1/drain"));
            device.close();
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }
}
