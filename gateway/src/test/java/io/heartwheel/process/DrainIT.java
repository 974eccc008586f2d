package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Drains on request of the operator: paced, reported, cancelled, and continued when the process is to end. */
@Execution(ExecutionMode.CONCURRENT)
class DrainIT {

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
            JsonNode forecast =
                    gateway.admin("GET", "/v1/drain/forecast?" + wanted).json();
            assertEquals(500, forecast.get("devices").asInt());
            assertEquals(50, forecast.get("plain").asInt());
            assertEquals(5_000, forecast.get("telling_ms").asInt());
            assertTrue(forecast.get("within_admission").asBoolean(), forecast::toString);

            long beganNanos = System.nanoTime();
            GatewayProcess.Answer begun = gateway.admin("POST", "/v1/drain?stay=true&" + wanted);
            assertEquals(202, begun.status(), begun::toString);
            assertEquals(409, gateway.admin("POST", "/v1/drain").status());
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
            assertEquals(200, gateway.admin("GET", "/readyz").status());
            try (WireClient again = WireClient.hello(gateway.tcp(), "framed-1");
                    WebSocketWire other = WebSocketWire.plain(gateway.webSocket(), "/ws/plain-0")) {
                again.roundTrip(1);
                other.text("x");
            }
            assertEquals(409, gateway.admin("DELETE", "/v1/drain").status());
        }
    }

    private static void assertDrained(GatewayProcess gateway) throws Exception {
        JsonNode done = gateway.admin("GET", "/v1/drain").json();
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
        Await.until(phase, () -> gateway.admin("GET", "/v1/drain")
                .json()
                .get("phase")
                .asText()
                .equals(phase));
    }

    @Test
    void drain_takenBackMidway_keepsWhoStayed() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "stays")) {
            assertEquals(
                    202,
                    gateway.admin("POST", "/v1/drain?stay=true&deadline=1h").status());
            device.next(WireFrame.GOAWAY);
            assertEquals(200, gateway.admin("DELETE", "/v1/drain").status());
            device.roundTrip(1);
            assertEquals(
                    202,
                    gateway.admin("POST", "/v1/drain?stay=true&deadline=1h").status());
            device.next(WireFrame.GOAWAY);
        }
    }

    @Test
    void drain_someoneWithoutHello_isClosedAtOnceToComeLater() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "stays");
                WireClient nobody = WireClient.connect(gateway.tcp())) {
            Await.until("counted", () -> gateway.metrics().sum("heartwheel_accepts_total") == 2);
            gateway.admin("POST", "/v1/drain?stay=true&deadline=1h");
            nobody.expectClose(4200);
            device.next(WireFrame.GOAWAY);
        }
    }

    @Test
    void drain_portTakenMeanwhile_isNotTakenBackUntilItIsFree() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            gateway.admin("POST", "/v1/drain?stay=true");
            awaitPhase(gateway, "drained");
            try (ServerSocket other = new ServerSocket(gateway.tcp().getPort(), 1, InetAddress.getLoopbackAddress())) {
                GatewayProcess.Answer answer = gateway.admin("DELETE", "/v1/drain");
                assertEquals(503, answer.status(), answer::toString);
                assertTrue(answer.body().contains("listeners.tcp.bind"), answer::toString);
                assertEquals(503, gateway.admin("GET", "/readyz").status());
                assertEquals(other.getLocalPort(), gateway.tcp().getPort());
            }
            assertEquals(200, gateway.admin("DELETE", "/v1/drain").status());
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                device.roundTrip(1);
            }
        }
    }

    @Test
    void drain_notToStay_endsTheProcessAndIsNotTakenBack() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            assertEquals(202, gateway.admin("POST", "/v1/drain?deadline=1h").status());
            device.next(WireFrame.GOAWAY);
            assertEquals(409, gateway.admin("DELETE", "/v1/drain").status());
            device.close();
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void sigterm_duringADrainThatStays_goesOnAndEnds() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start();
                WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            gateway.admin("POST", "/v1/drain?stay=true&deadline=1h");
            device.next(WireFrame.GOAWAY);
            gateway.signal("TERM");
            gateway.awaitLog("will end after the drain");
            assertEquals(409, gateway.admin("DELETE", "/v1/drain").status());
            device.close();
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }

    @Test
    void sigterm_whenDrained_endsAtOnce() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with().start()) {
            gateway.admin("POST", "/v1/drain?stay=true&deadline=1h");
            awaitPhase(gateway, "drained");
            gateway.signal("TERM");
            assertEquals(0, gateway.awaitExit(), gateway.log());
        }
    }
}
