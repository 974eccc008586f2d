package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.session.FakeSession;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Reasons of closes, past and future, over real sockets, with devices that have none. */
class CloseEndpointsTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    private JsonNode why(String device) throws Exception {
        HttpResponse<String> response = admin.get("/v1/devices/" + device + "/why");
        assertEquals(200, response.statusCode(), response::body);
        assertTrue(response.body().startsWith("{\"text\":\""), response::body);
        return json(response);
    }

    private JsonNode closed(String query) throws Exception {
        HttpResponse<String> response = admin.get("/v1/closed" + query);
        assertEquals(200, response.statusCode(), response::body);
        return json(response);
    }

    private static List<String> devices(JsonNode page) {
        List<String> devices = new ArrayList<>();
        page.get("closed").forEach(close -> devices.add(text(close, "device")));
        return devices;
    }

    // ------------------------------------------------------------------ one device

    @Test
    void why_open_tellsWhatWouldCloseItAndWhen() throws Exception {
        admin.device("dev-1");
        admin.gateway.pass(Duration.ofSeconds(20));

        JsonNode told = why("dev-1");
        assertTrue(told.get("open").asBoolean());
        assertEquals("heartbeat", text(told.get("deadline"), "kind"));
        assertEquals(70_000, told.at("/deadline/due_in_ms").asLong());
        String sentence = "open for 20.0 s; would be closed in 70.0 s by heartbeat 60 s (default) x 1.5";
        assertTrue(text(told, "text").startsWith(sentence), told::toString);
        assertEquals(0, told.get("closed").size());
        assertFalse(told.has("reason"));
    }

    @Test
    void why_closedAndOpenAgain_tellsBoth() throws Exception {
        admin.device("dev-1").end(CloseReason.PEER_RESET);
        FakeSession again = admin.device("dev-1");

        JsonNode told = why("dev-1");
        assertEquals(again.sessionId(), told.get("session").asLong());
        assertEquals("peer_reset", told.get("closed").get(0).get("reason").asText());
        assertFalse(told.get("closed").get(0).has("open"));
    }

    @Test
    void why_takenOver_namesTheSuccessor() throws Exception {
        admin.device("dev-1");
        FakeSession second = admin.device("dev-1");

        JsonNode before = why("dev-1").get("closed").get(0);
        assertEquals("taken_over", text(before, "reason"));
        assertEquals(second.sessionId(), before.get("successor_session").asLong());
    }

    @Test
    void why_displacedAgainAndAgain_namesTheRival() throws Exception {
        String last = "";
        for (int i = 0; i < 5; i++) {
            last = admin.device("dev-1").remote();
        }
        assertEquals(
                "a newer connection from " + last + " has this device id",
                text(why("dev-1").get("closed").get(0), "cause"));
        assertFalse(text(why("dev-1"), "text").contains("displace"));

        for (int waitMillis = 2_000; waitMillis <= 4_000; waitMillis *= 2) {
            last = admin.device("dev-1").remote();
            admin.gateway.pass(Duration.ofMillis(waitMillis + 100));
        }
        String rival = admin.device("dev-1").remote();
        admin.gateway.pass(Duration.ofMillis(4_100));
        JsonNode told = why("dev-1");
        assertTrue(told.get("open").asBoolean());
        String both = "two connections from " + last + " and " + rival + " displace each other";
        assertTrue(text(told, "text").endsWith("; " + both), told::toString);
        assertEquals(both, text(told.get("refused").get(0), "cause"));
    }

    @Test
    void why_closedOnly_tellsTheLatest() throws Exception {
        for (int i = 0; i < 12; i++) {
            admin.device("dev-1").end(CloseReason.PEER_RESET);
        }
        admin.device("dev-1");
        admin.gateway.pass(Duration.ofSeconds(91));

        JsonNode told = why("dev-1");
        assertFalse(told.get("open").asBoolean());
        assertEquals("dev-1", text(told, "device"));
        assertEquals(10, told.get("closed").size());
        JsonNode latest = told.get("closed").get(0);
        assertEquals("heartbeat_timeout", text(latest, "reason"));
        assertTrue(text(told, "text").startsWith("not connected since "), told::toString);
        assertTrue(text(told, "text").endsWith(": " + text(latest, "text")), told::toString);
    }

    @Test
    void why_claimedByAStranger_tellsTheRefusalsApart() throws Exception {
        admin.refuse("dev-1");
        JsonNode told = why("dev-1");
        assertFalse(told.get("open").asBoolean());
        assertEquals(0, told.get("closed").size());
        JsonNode refused = told.get("refused").get(0);
        assertEquals("dev-1", text(refused, "claimed_device"));
        assertFalse(refused.has("device"));
        String sentence = "not connected, and no close of it is remembered; who claimed to be it was refused at ";
        assertTrue(text(told, "text").startsWith(sentence), told::toString);

        admin.device("dev-1").end(CloseReason.PEER_RESET);
        admin.refuse("dev-1");
        told = why("dev-1");
        assertEquals(2, told.get("refused").size());
        assertEquals(1, told.get("closed").size());
        String last = told.at("/closed/0/text").asText();
        assertTrue(text(told, "text").endsWith(last), "a stranger's claim is not why the device went");
    }

    private void leaves(String deviceId, String protocol, Duration after, CloseReason how) {
        FakeSession device = admin.device(deviceId, protocol, Runnable::run);
        for (Duration left = after; !left.isZero(); left = left.minusSeconds(5)) {
            admin.gateway.pass(Duration.ofSeconds(5));
            device.beat();
        }
        device.end(how);
    }

    @Test
    void why_leavesAfterTheSameSilenceAgainAndAgain_hintsAtPings() throws Exception {
        for (String protocol : new String[] {"plain", "heartwheel"}) {
            String device = "dog-" + protocol;
            leaves(device, protocol, Duration.ofSeconds(20), CloseReason.PEER_CLOSED);
            leaves(device, protocol, Duration.ofSeconds(60), CloseReason.PEER_CLOSED);
            leaves(device, protocol, Duration.ofSeconds(65), CloseReason.PEER_RESET);
            assertFalse(why(device).has("hint"), "two are no habit");
            leaves(device, protocol, Duration.ofSeconds(60), CloseReason.PEER_CLOSED);

            String hint = text(why(device), "hint");
            assertTrue(
                    hint.startsWith(
                            "it left 3 times in a row after it had heard nothing from the gateway for about 62 s"),
                    hint);
            assertTrue(hint.contains(protocol.equals("plain") ? "heartbeat.ping-every" : "writer-idle.timeout"), hint);
            admin.device(device);
            assertTrue(why(device).has("hint"), "while it is here too");
        }
    }

    @Test
    void why_leavesForOtherReasonsOrSoon_hintsAtNothing() throws Exception {
        for (int i = 0; i < 3; i++) {
            leaves("sleeper", "plain", Duration.ofSeconds(5), CloseReason.PEER_CLOSED);
            leaves("moved", "plain", Duration.ofSeconds(60), CloseReason.ADMIN_CLOSED);
            leaves("random", "plain", Duration.ofSeconds(20 + 20 * i), CloseReason.PEER_CLOSED);
        }
        for (String device : new String[] {"sleeper", "moved", "random"}) {
            assertFalse(why(device).has("hint"), device);
        }
    }

    @Test
    void why_neverSeen_is404() throws Exception {
        HttpResponse<String> response = admin.get("/v1/devices/nobody/why");
        assertEquals(404, response.statusCode());
        assertEquals("unknown_device", errorCode(response));
        assertEquals(400, admin.get("/v1/devices/%00/why").statusCode());
        assertEquals(405, admin.call("POST", "/v1/devices/nobody/why").statusCode());
    }

    @Test
    void why_loopThatDoesNotAnswer_is504() throws Exception {
        boolean[] stuck = {false};
        admin.device("dev-1", "heartwheel", task -> {
            if (!stuck[0]) {
                task.run();
            }
        });
        stuck[0] = true;
        List<String> path = List.of("v1", "devices", "dev-1", "why");
        Request call =
                new Request(HttpMethod.GET, "", null, path, Map.of(), new DefaultHttpHeaders(), new byte[0], null);

        Response answer = new CloseEndpoints(admin.ports(), Duration.ofMillis(1))
                .why(call)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        assertEquals(504, answer.status());
    }

    // ------------------------------------------------------------------ all

    @Test
    void closed_pageByPage_meetsEachOnceNewestFirst() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            admin.device("dev-" + i).end(CloseReason.PEER_RESET);
            expected.add(0, "dev-" + i);
        }
        List<String> met = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = closed("?limit=10" + cursor);
            met.addAll(devices(page));
            admin.device("late").end(CloseReason.NORMAL);
            cursor = page.get("next").isNull() ? "" : "&cursor=" + text(page, "next");
        } while (!cursor.isEmpty());
        assertEquals(expected, met);
    }

    @Test
    void closed_byReason_leavesOutTheOthers() throws Exception {
        admin.device("a").end(CloseReason.PEER_RESET);
        admin.device("b").end(CloseReason.MALFORMED);
        admin.device("c").end(CloseReason.PEER_RESET);
        assertEquals(List.of("c", "a"), devices(closed("?reason=peer_reset")));
        assertEquals(List.of(), devices(closed("?reason=normal")));
    }

    @Test
    void closed_since_takesBothForms() throws Exception {
        admin.device("a").end(CloseReason.PEER_RESET); // at 1700000000000
        assertEquals(1, closed("?since=1700000000000").get("closed").size());
        assertEquals(0, closed("?since=1700000000001").get("closed").size());
        assertEquals(1, closed("?since=2023-11-14T22:13:20Z").get("closed").size());
        assertEquals(1, closed("?since=2023-11-14T23:13:20+01:00").get("closed").size());
        assertEquals(0, closed("?since=2023-11-14T22:13:20.001Z").get("closed").size());
    }

    @Test
    void closed_handshakes_areApart() throws Exception {
        admin.device("a").end(CloseReason.PEER_RESET);
        new FakeSession(FakeSession.watchedBy(admin.closes, admin.gateway.sessionContext))
                .accept(99)
                .end(CloseReason.BAD_MAGIC);
        assertEquals(List.of("a"), devices(closed("")));
        JsonNode page = closed("?handshakes=true");
        assertEquals("bad_magic", page.get("closed").get(0).get("reason").asText());
        assertEquals(1, page.get("closed").size());
        assertFalse(page.get("closed").get(0).get("established").asBoolean());
    }

    @Test
    void closed_badParameter_is400() throws Exception {
        for (String query :
                ("reason= reason=nope since=yesterday since=-1 since=2026-01-01 handshakes=1 limit=0 cursor=1"
                                + " device=a")
                        .split(" ")) {
            assertEquals(400, admin.get("/v1/closed?" + query).statusCode(), query);
        }
    }
}
