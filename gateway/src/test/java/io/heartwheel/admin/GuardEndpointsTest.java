package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.LivenessObserver.ShadowOutcome;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GuardEndpointsTest {
    @AutoClose
    private AdminFixture admin;

    private static LivenessSettings tried() {
        LivenessSettings inForce = LivenessSettings.defaults();
        LivenessSettings.Heartbeat beat = inForce.heartbeat();
        return new LivenessSettings(
                new LivenessSettings.Deadline(true, Duration.ofMillis(2_500)),
                new LivenessSettings.Heartbeat(true, beat.interval(), beat.min(), beat.max(), 1.25, true, 0.25, null),
                new LivenessSettings.ReadProgress(true, Duration.ofSeconds(5), 256),
                new LivenessSettings.Deadline(false, Duration.ofSeconds(5)),
                inForce.writerIdle(),
                new LivenessSettings.Deadline(false, Duration.ofSeconds(5)),
                inForce.age(),
                Set.of());
    }

    private static void settle(AdminFixture admin, ShadowOutcome outcome, Duration after, FakeSession device) {
        admin.shadow.shadowed(DeadlineKind.HEARTBEAT);
        admin.shadow.shadowSettled(DeadlineKind.HEARTBEAT, outcome, after.toNanos(), device.deviceId());
    }

    // ------------------------------------------------------------------ the breaker

    @Test
    void breaker_quiet_tellsSettingsAndPast() throws Exception {
        admin = new AdminFixture();
        for (int i = 1; i <= 20; i++) {
            admin.incidents.incident(new Incident(i, false, i, 0, List.of("all"), 9, 10, 0, 0, 0, 0));
            admin.incidents.incident(new Incident(i, true, i, 5, List.of("all", "loop 1"), 9, 10, 4, 3, 1, 0));
        }
        JsonNode told = admin.told("/v1/breaker");

        assertEquals("watching: no mass expiry", text(told, "text"));
        assertFalse(told.get("open").asBoolean());
        assertTrue(told.get("current").isNull());
        assertEquals(
                "{\"window_ms\":30000,\"share\":0.2,\"group_share\":0.5,\"least\":100,\"patience_ms\":10000,\"close_rate\":1000}",
                told.get("settings").toString());
        assertEquals(16, told.get("incidents").size());
        assertEquals(20, told.at("/incidents/0/number").asInt());
        assertEquals("ended", text(told.at("/incidents/0"), "state"));
        assertEquals(2, told.at("/incidents/0/scopes").size());
    }

    @Test
    void breaker_massExpiry_tellsTheIncidentAsItStands() throws Exception {
        admin = new AdminFixture();
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            devices.add(admin.device("d" + i));
        }
        admin.gateway.pass(Duration.ofSeconds(60));
        devices.forEach(FakeSession::beat);
        admin.gateway.pass(Duration.ofSeconds(91));
        JsonNode told = admin.told("/v1/breaker");

        assertTrue(told.get("open").asBoolean());
        assertEquals(150, told.get("suspects").asInt());
        assertEquals(150, told.at("/current/suspects").asInt());
        assertTrue(text(told, "text").startsWith("mass expiry for "), told::toString);
    }

    // ------------------------------------------------------------------ the shadow policy

    @Test
    void shadow_nothingSettled_isUndecided() throws Exception {
        try (AdminFixture none = new AdminFixture()) {
            assertFalse(none.told("/v1/shadow").get("enabled").asBoolean());
        }
        admin = new AdminFixture(tried());
        admin.shadow.shadowed(DeadlineKind.HANDSHAKE);
        JsonNode told = admin.told("/v1/shadow");

        assertEquals("undecided", text(told, "verdict"));
        assertEquals(
                "{\"handshake\":\"2500 ms, in force 10 s\",\"heartbeat\":\"interval x 1.25, in force x 1.5\","
                        + "\"read-progress\":\"5 s and 1 s for each 256 bytes, in force 10 s and 1 s for each 128 bytes\"}",
                told.get("policy").toString());
        assertEquals(1, told.at("/deadlines/handshake/waiting").asInt());
        assertEquals(3, told.get("deadlines").size());
    }

    @Test
    void shadow_allDead_isSafeSoFarAndSaysHowMuchSooner() throws Exception {
        admin = new AdminFixture(tried());
        FakeSession device = admin.device("d");
        for (int i = 0; i < 300; i++) {
            settle(admin, ShadowOutcome.CLOSED, Duration.ofSeconds(15), device);
        }
        JsonNode told = admin.told("/v1/shadow");

        assertEquals("safe so far", text(told, "verdict"));
        assertEquals(
                "safe so far: of 300 it would have closed, 300 were dead and none was alive (so with 95 % confidence under 1.00 % are); "
                        + "the dead would have been found 15.0 s sooner on average",
                text(told, "text"));
        assertEquals(15_000, told.get("all").get("mean_sooner_ms").asLong());
    }

    @Test
    void shadow_oneSpoke_isUnsafeAndSaysWho() throws Exception {
        admin = new AdminFixture(tried());
        FakeSession device = admin.device("sleepy");
        settle(admin, ShadowOutcome.CLOSED, Duration.ofSeconds(15), device);
        settle(admin, ShadowOutcome.SPOKE, Duration.ofMillis(2_340), device);
        JsonNode told = admin.told("/v1/shadow");

        assertEquals("unsafe", text(told, "verdict"));
        assertTrue(text(told, "text").startsWith("unsafe: of 2 it would have closed, 1 were alive"));
        assertEquals(2_340, told.get("longest_spoke_after_ms").asLong());
        assertEquals(
                "[{\"device\":\"sleepy\",\"deadline\":\"heartbeat\",\"after_ms\":2340,\"at\":\"2023-11-14T22:13:20Z\"}]",
                told.get("latest_spoke").toString());
    }
}
