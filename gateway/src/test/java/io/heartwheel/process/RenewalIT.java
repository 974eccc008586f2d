package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Devices whose signed tokens expire: warned, renewed on the same connection, or closed. */
@Execution(ExecutionMode.CONCURRENT)
class RenewalIT {
    private static final int ACCEPTED = 0;
    private static final int EXPIRING = 1;
    private static final int REFUSED = 2;

    @TempDir
    private Path scratch;

    private static WireClient understanding(GatewayProcess gateway, String device, String token) throws IOException {
        WireClient client = WireClient.connect(gateway.tcp())
                .send(WireFrame.understandingAuth(WireFrame.hello(device, 0, 0, token, "")));
        client.expect(WireFrame.WELCOME);
        return client;
    }

    private static WireFrame renewed(WireClient client, String token) throws IOException {
        return client.send(WireFrame.AUTH, token.getBytes(StandardCharsets.US_ASCII))
                .expect(WireFrame.AUTH);
    }

    @Test
    void token_atItsEnd_closesThoseThatDidNotRenew() throws Exception {
        Issuer issuer = new Issuer(scratch);
        Instant later = Instant.now().plusSeconds(3_600);
        try (GatewayProcess gateway = issuer.trustedBy(GatewayProcess.with("auth.mode", "methods"))
                .set("auth.methods", "[jwt]", "auth.warn-before", "3s")
                .set("auth.failures.exempt", "[\"127.0.0.0/8\"]")
                .start()) {
            Instant expiry = Instant.now().plusSeconds(6).truncatedTo(ChronoUnit.SECONDS);
            try (WireClient old = WireClient.connect(gateway.tcp())
                            .send(WireFrame.hello("old", 0, 0, issuer.token("old", expiry), ""));
                    WireClient forgets = understanding(gateway, "forgets", issuer.token("forgets", expiry));
                    WireClient renews = understanding(gateway, "renews", issuer.token("renews", expiry));
                    WebSocketWire plain = WebSocketWire.plain(
                            gateway.webSocket(), "/ws/plain?token=" + issuer.token("plain", expiry))) {
                old.expect(WireFrame.WELCOME);
                WireFrame warning = renews.expect(WireFrame.AUTH);
                assertEquals(EXPIRING, warning.admission());
                assertTrue(warning.remainingMillis() <= 3_000, warning::toString);
                assertEquals(
                        REFUSED, renewed(renews, issuer.token("another", later)).admission());
                WireFrame right = renewed(renews, issuer.token("renews", later));
                assertEquals(ACCEPTED, right.admission());
                assertTrue(right.remainingMillis() > 3_000_000, right::toString);

                assertEquals(EXPIRING, forgets.expect(WireFrame.AUTH).admission());
                forgets.expectClose(4008);
                old.expectClose(4008);
                plain.expectClose(4008);
                renews.roundTrip(7);
            }
            JsonNode closes = gateway.admin("GET", "/v1/closed?reason=auth_expired")
                    .json()
                    .get("closed");
            assertEquals(3, closes.size(), closes::toString);
            for (JsonNode close : closes) {
                assertFalse(Instant.parse(close.get("at").asText()).isBefore(expiry), close::toString);
                assertEquals("expiry", close.at("/deadline/kind").asText());
            }
        }
    }
}
