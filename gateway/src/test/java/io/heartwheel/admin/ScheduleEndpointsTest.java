package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.push.schedule.ScheduleLimits;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Schedules over HTTP. */
class ScheduleEndpointsTest {
    private static final String ONCE = "{\"to\":{\"device\":\"d\"},\"after\":\"5s\",\"text\":\"hello\"}";

    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    private HttpResponse<String> put(String key, String body) throws Exception {
        return admin.send(admin.request("/v1/schedules/" + key)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(body)));
    }

    private String mistakes(String body) throws Exception {
        HttpResponse<String> refused = put("k", body);
        assertEquals(400, refused.statusCode(), body);
        return json(refused).get("detail").asText();
    }

    private static void limits(AdminFixture admin, int max, long maxBytes) {
        admin.schedules.reconfigure(new ScheduleLimits(max, maxBytes, Duration.ofDays(7)));
    }

    @Test
    void put_new_answersAllOfIt() throws Exception {
        HttpResponse<String> put = put("a%2Fb", ONCE);
        assertEquals(201, put.statusCode());
        assertEquals(
                "{\"key\":\"a/b\",\"to\":{\"device\":\"d\"},\"after\":\"5s\",\"times\":1,\"missed\":\"once\",\"ack\":\"sent\","
                        + "\"timeout\":\"10s\",\"store\":false,\"text\":\"hello\",\"bytes\":5,\"durable\":false,\"state\":\"waiting\","
                        + "\"runs\":0,\"next\":\"2026-05-28T20:26:45.001Z\"}\n",
                put.body());
        assertEquals(put.body(), admin.get("/v1/schedules/a%2Fb").body());
    }

    @Test
    void put_everyMember_isToldAgain() throws Exception {
        limits(admin, 10, 1_000);
        String body =
                "{\"to\":{\"group\":\"site-7\"},\"at\":\"2026-12-01T06:00:00Z\",\"every\":\"1h\",\"mode\":\"delay\","
                        + "\"times\":24,\"missed\":\"all\",\"ack\":\"device\",\"timeout\":\"2d\",\"store\":true,\"base64\":\"AAEC\"}";
        JsonNode told = json(put("k", body));
        new ObjectMapper()
                .readTree(body)
                .properties()
                .forEach(member -> assertEquals(member.getValue(), told.get(member.getKey()), told::toString));
        assertEquals("2026-12-01T06:00:00Z", told.get("next").asText());
        JsonNode kept = json(put("k", "{\"to\":{\"all\":true},\"after\":\"0s\",\"store\":true,\"text\":\"\"}"));
        assertEquals("7d", kept.get("timeout").asText(), "as long as it may be kept");
    }

    @Test
    void put_again_takesThePlace() throws Exception {
        assertEquals(201, put("k", ONCE).statusCode());
        HttpResponse<String> put = put("k", "{\"to\":{\"all\":true},\"every\":\"1d\",\"text\":\"\"}");
        assertEquals(200, put.statusCode());
        assertEquals("{\"all\":true}", json(put).get("to").toString());
        assertEquals("1d", json(put).get("after").asText());
        assertTrue(json(put).path("times").isMissingNode());
    }

    @Test
    void put_mistakes_areToldAllAtOnce() throws Exception {
        String all =
                mistakes("{\"to\":{},\"after\":\"400d\",\"at\":\"noon\",\"every\":\"99ms\",\"mode\":\"no\",\"times\":0,"
                        + "\"missed\":1,\"ack\":\"x\",\"timeout\":\"0s\",\"store\":1,\"text\":1,\"more\":true}");
        for (String part : List.of(
                "more: need one of",
                "to = {}",
                "every = \"99ms\": need 100ms..366d",
                "mode = \"no\"",
                "times = 0",
                "missed = 1",
                "ack = \"x\"",
                "store = 1",
                "timeout = \"0s\"",
                "at = \"noon\"",
                "after, at: need only one",
                "text = 1")) {
            assertTrue(all.contains(part), part + " in " + all);
        }
        String to = "{\"to\":{\"all\":true},";
        assertEquals(
                "after = \"400d\": need 0s..366d, as in 500ms, 90s, 10m, 2h or 7d",
                mistakes(to + "\"after\":\"400d\",\"text\":\"\"}"));
        assertEquals("after, at, every: need one of them", mistakes(to + "\"text\":\"\"}"));
        assertEquals(
                "text, base64: need one of them", mistakes(to + "\"after\":\"1s\",\"text\":\"\",\"base64\":\"\"}"));
        assertEquals("base64 = \"*\": need a string of base64", mistakes(to + "\"after\":\"1s\",\"base64\":\"*\"}"));
        assertEquals(
                "store = true: need a messages.directory",
                mistakes(to + "\"after\":\"1s\",\"store\":true,\"text\":\"\"}"));
        assertEquals(
                "timeout = \"301s\": need 1ms..5m, as in 500ms, 90s, 10m, 2h or 7d",
                mistakes(to + "\"after\":\"1s\",\"timeout\":\"301s\",\"text\":\"\"}"));
        assertTrue(mistakes(to + "\"after\":\"1s\",\"text\":\"\\ud800\"}").startsWith("text = "));
        assertTrue(mistakes(to + "\"at\":\"2020-01-01T00:00:00Z\",\"text\":\"\"}")
                .startsWith("at = 2020-01-01T00:00:00Z: need a time to come"));
        assertTrue(mistakes("{\"to\":{\"group\":\"no group\"},\"after\":\"1s\",\"text\":\"\"}")
                .startsWith("to = "));
        assertEquals("body: need one JSON object", mistakes("[]"));
        assertTrue(mistakes("{").startsWith("body: "));
        assertTrue(mistakes("{\"to\":1,\"to\":1}").startsWith("body: Duplicate"));
        assertEquals(0, admin.schedules.size());
    }

    @Test
    void put_limitIsReached_isFull() throws Exception {
        limits(admin, 1, 11);
        assertEquals(201, put("a", ONCE).statusCode());
        HttpResponse<String> full = put("b", ONCE);
        assertEquals(429, full.statusCode());
        assertEquals("full", errorCode(full));
        assertEquals("1", full.headers().firstValue("retry-after").orElse(""));
        assertEquals(200, put("a", ONCE.replace("hello", "hello there")).statusCode());
        HttpResponse<String> large = put("a", ONCE.replace("hello", "hello, there"));
        assertEquals(429, large.statusCode());
        assertEquals(
                "messages.total-bytes = 11B: what is kept takes 0, and this one 12",
                json(large).get("detail").asText());
    }

    @Test
    void put_tooLarge_is413() throws Exception {
        HttpResponse<String> refused = put("k", ONCE.replace("hello", "x".repeat(AdminFixture.MAX_PAYLOAD + 1)));
        assertEquals(413, refused.statusCode());
    }

    @Test
    void list_pages_goOnByTheirCursor() throws Exception {
        for (String key : List.of("b", "a", "c")) {
            put(key, ONCE);
        }
        JsonNode first = admin.told("/v1/schedules?limit=2");
        assertEquals(List.of("a", "b"), first.get("schedules").findValuesAsText("key"));
        assertTrue(first.get("schedules").get(0).path("base64").isMissingNode());
        JsonNode second =
                admin.told("/v1/schedules?limit=2&cursor=" + first.get("next").asText());
        assertEquals(List.of("c"), second.get("schedules").findValuesAsText("key"));
        assertTrue(second.get("next").isNull());
        assertEquals(
                List.of("b"),
                admin.told("/v1/schedules?prefix=b").get("schedules").findValuesAsText("key"));
        assertEquals(400, admin.status("GET", "/v1/schedules?cursor=xyz"));
    }

    @Test
    void delete_thenGet_isGone() throws Exception {
        put("k", ONCE);
        assertEquals(204, admin.status("DELETE", "/v1/schedules/k"));
        for (String method : List.of("DELETE", "GET")) {
            HttpResponse<String> gone = admin.call(method, "/v1/schedules/k");
            assertEquals(404, gone.statusCode());
            assertEquals("no_schedule", errorCode(gone));
        }
        assertEquals(400, admin.status("GET", "/v1/schedules/" + "k".repeat(129)));
    }
}
