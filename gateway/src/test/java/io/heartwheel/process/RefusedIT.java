package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Refused connections leave evidence like all others: why, from where, and the id they claimed. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedIT {
    private static final String STRANGER = "127.0.5.5";

    /** The close of a connection that never was established, for this reason and this cause, once there is one. */
    private static JsonNode refusal(GatewayProcess gateway, String reason, String cause) throws Exception {
        List<JsonNode> found = new ArrayList<>();
        Await.until("a refusal as " + reason + ": " + cause, () -> {
            for (JsonNode close :
                    gateway.ask("/v1/closed?handshakes=true&reason=" + reason).get("closed")) {
                if (close.get("cause").asText().equals(cause)) {
                    found.add(close);
                }
            }
            return !found.isEmpty();
        });
        return found.get(0);
    }

    @Test
    void login_refused_isToldWithItsClaimEverywhere() throws Exception {
        int strangers = 40;
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "console", "auth.mode", "shared-token")
                .set("auth.token", "the right one", "evidence.refusal-events", "3")
                .set("auth.failures.exempt", "[\"127.0.0.0/8\"]")
                .start()) {
            for (int i = 0; i < strangers; i++) {
                try (WireClient stranger = WireClient.connect(gateway.tcp())) {
                    stranger.send(WireFrame.hello("sensor-7", 0, 0, "a wrong one", "acme-fw/2.1"));
                    stranger.expectClose(4401);
                }
            }
            try (WebSocketWire plain = WebSocketWire.connect(gateway.webSocket())) {
                assertEquals(401, plain.request("/ws/sensor-8?token=wrong", "").status());
            }

            JsonNode why = gateway.ask("/v1/devices/sensor-7/why");
            assertEquals(0, why.get("closed").size());
            assertEquals(10, why.get("refused").size());
            JsonNode latest = why.get("refused").get(0);
            assertEquals("sensor-7", latest.get("claimed_device").asText());
            assertFalse(latest.has("device"));
            assertEquals(
                    "not admitted: shared-token: wrong token",
                    latest.get("cause").asText());
            assertEquals("acme-fw/2.1", latest.get("client").asText());
            assertEquals(
                    1, gateway.ask("/v1/devices/sensor-8/why").get("refused").size());

            Await.until("all refusals in events", () -> told(gateway) == strangers + 1);
            assertTrue(refusals(gateway).size() < strangers, "not each has an event of its own");
            JsonNode first = refusals(gateway).get(0);
            assertEquals("sensor-7", first.get("claimed_device").asText());
            assertFalse(first.has("device"));
            assertEquals(4401, first.get("code").asInt());

            gateway.awaitLog(" as unauthorized, ");
            assertTrue(
                    gateway.log(" as unauthorized, ").stream()
                            .anyMatch(line -> line.contains("; it claimed to be sensor-7; last frame HELLO at ")),
                    gateway.log("closes")::toString);
            assertEquals(0, gateway.log("a wrong one").size(), "nobody's token is told");
        }
    }

    private static List<JsonNode> refusals(GatewayProcess gateway) throws Exception {
        return EventLines.of("refused", gateway.events());
    }

    /** How many refusals the events account for. */
    private static long told(GatewayProcess gateway) throws Exception {
        return refusals(gateway).stream()
                .mapToLong(event -> 1 + event.path("unreported").asLong())
                .sum();
    }

    @Test
    void refused_beforeHello_leavesEvidence() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("transport.max-connections", "2")
                .set("source-limits.enabled", "true", "source-limits.connections", "1")
                .set("listeners.fronted.bind", "127.0.0.1:0", "listeners.fronted.proxy.enabled", "true")
                .set("listeners.fronted.proxy.trusted", "[\"127.0.0.1\"]")
                .start()) {
            try (WireClient stranger = WireClient.from(STRANGER, gateway.port("fronted"))) {
                stranger.expectEnd();
            }
            JsonNode told = refusal(gateway, "proxy_failed", "not from a trusted balancer");
            assertTrue(told.get("remote").asText().startsWith(STRANGER + ":"), told::toString);
            assertFalse(told.has("code"), "it is never on the wire");
            try (WireClient first = WireClient.hello(gateway.tcp(), "first")) {
                assertRefused(gateway, "127.0.0.1", "as many connections from there as there may be");
                Await.until("room for one", () -> gateway.metrics().connections() == 1);
                try (WireClient second = WireClient.from(STRANGER, gateway.tcp())) {
                    second.sayHello("second");
                    assertRefused(gateway, "127.0.5.6", "the gateway holds 2 connections and may hold no more");
                    second.roundTrip(1);
                }
                first.roundTrip(1);
            }
        }
    }

    private static void assertRefused(GatewayProcess gateway, String source, String cause) throws Exception {
        try (WireClient late = WireClient.from(source, gateway.tcp())) {
            late.expectClose(4201);
        }
        JsonNode told = refusal(gateway, "connection_limit", cause);
        assertEquals(4201, told.get("code").asInt());
        assertEquals("handshake", told.get("protocol").asText());
        assertFalse(told.get("established").asBoolean());
        assertTrue(told.get("remote").asText().startsWith(source + ":"), told::toString);
        assertTrue(told.get("session").asLong() > 1, "it has a number of its own");
    }
}
