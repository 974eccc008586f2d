package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whoever is not let in leaves evidence like everybody else: why, from where, and whom it claimed to be. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedIT {
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
