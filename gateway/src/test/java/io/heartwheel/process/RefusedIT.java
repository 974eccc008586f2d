package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Refused connections leave evidence like all others: why, from where, and the id they claimed. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STRANGER = "127.0.5.5";

    /** The latest close of a connection that never was established, once there is one for this reason. */
    private static JsonNode refusal(GatewayProcess gateway, String reason) throws Exception {
        String path = "/v1/closed?handshakes=true&limit=1&reason=" + reason;
        Await.until(
                "a refusal as " + reason,
                () -> gateway.admin("GET", path).json().get("closed").size() == 1);
        return gateway.admin("GET", path).json().get("closed").get(0);
    }

    @Test
    void login_refused_isToldWithItsClaimEverywhere() throws Exception {
        int strangers = 40;
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "console", "auth.mode", "shared-token")
                .set("auth.token", "the right one", "evidence.refusal-events", "3")
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

            JsonNode why = gateway.admin("GET", "/v1/devices/sensor-7/why").json();
            assertEquals(0, why.get("closed").size());
            assertEquals(10, why.get("refused").size());
            JsonNode latest = why.get("refused").get(0);
            assertEquals("sensor-7", latest.get("claimed_device").asText());
            assertFalse(latest.has("device"));
            assertEquals("wrong token", latest.get("cause").asText());
            assertEquals("acme-fw/2.1", latest.get("client").asText());
            assertEquals(
                    1,
                    gateway.admin("GET", "/v1/devices/sensor-8/why")
                            .json()
                            .get("refused")
                            .size());

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

    @Test
    void flood_ofOneSource_leavesWhatIsKnownOfTheOthers() throws Exception {
        int others = 20;
        int flood = 400;
        try (GatewayProcess gateway = GatewayProcess.with("evidence.closes", "100", "auth.mode", "none")
                .start()) {
            for (int i = 0; i < others; i++) {
                try (WireClient device = new WireClient(WireClient.open(gateway.tcp(), STRANGER))) {
                    device.sayHello("honest-" + i);
                }
            }
            for (int i = 0; i < flood; i++) {
                try (WireClient device = WireClient.connect(gateway.tcp())) {
                    device.sayHello("flood-" + i);
                }
            }
            Await.until(
                    "the last of them",
                    () -> gateway.admin("GET", "/v1/devices/flood-" + (flood - 1) + "/why")
                                    .json()
                                    .path("closed")
                                    .size()
                            == 1);
            for (int i = 0; i < others; i++) {
                assertEquals(
                        200,
                        gateway.admin("GET", "/v1/devices/honest-" + i + "/why").status(),
                        "honest-" + i);
            }
        }
    }

    private static List<JsonNode> refusals(GatewayProcess gateway) throws Exception {
        List<JsonNode> all = new ArrayList<>();
        for (String line : gateway.out().split("\n", -1)) {
            // the last line may be half written
            if (line.startsWith("{\"event\":\"refused\"") && line.endsWith("}")) {
                all.add(JSON.readTree(line));
            }
        }
        return all;
    }

    /** How many refusals the events account for. */
    private static long told(GatewayProcess gateway) throws Exception {
        return refusals(gateway).stream()
                .mapToLong(event -> 1 + event.path("unreported").asLong())
                .sum();
    }

    @Test
    void refused_byTheLimit_leavesEvidence() throws Exception {
        try (GatewayProcess gateway =
                        GatewayProcess.with("transport.max-connections", "1").start();
                WireClient first = WireClient.hello(gateway.tcp(), "first");
                WireClient late = WireClient.connect(gateway.tcp())) {
            late.expectClose(4201);

            JsonNode told = refusal(gateway, "connection_limit");
            assertEquals(
                    "the gateway holds 1 connections and may hold no more",
                    told.get("cause").asText());
            assertEquals(4201, told.get("code").asInt());
            assertEquals("handshake", told.get("protocol").asText());
            assertFalse(told.get("established").asBoolean());
            assertTrue(told.get("remote").asText().startsWith("127.0.0.1:"), told::toString);
            assertTrue(told.get("session").asLong() > 1, "it has a number of its own");
            first.roundTrip(1);
        }
    }

    @Test
    void refused_bySourceLimits_leavesEvidence() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("source-limits.enabled", "true")
                        .set("source-limits.connections", "1")
                        .start();
                WireClient first = WireClient.hello(gateway.tcp(), "first");
                WireClient late = WireClient.connect(gateway.tcp())) {
            late.expectClose(4201);

            JsonNode told = refusal(gateway, "connection_limit");
            assertEquals(
                    "as many connections from there as there may be",
                    told.get("cause").asText());
            first.roundTrip(1);
        }
    }

    @Test
    void refused_untrustedBalancer_leavesEvidence() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("listeners.tcp.proxy.enabled", "true")
                        .set("listeners.tcp.proxy.trusted", "[\"127.0.0.1\"]", "listeners.tcp.bind", "127.0.0.1:0")
                        .start();
                WireClient stranger = new WireClient(WireClient.open(gateway.port("tcp"), STRANGER))) {
            stranger.expectEnd();

            JsonNode told = refusal(gateway, "proxy_failed");
            assertEquals("not from a trusted balancer", told.get("cause").asText());
            assertTrue(told.get("remote").asText().startsWith(STRANGER + ":"), told::toString);
            assertFalse(told.has("code"), "it is never on the wire");
        }
    }
}
