package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.session.FakeSession;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups and jobs over HTTP, to devices without sockets. */
@Timeout(20)
class GroupEndpointsTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    private HttpResponse<String> put(String target) throws Exception {
        return admin.call("PUT", target);
    }

    private HttpResponse<String> post(String target) throws Exception {
        return admin.post(target, "text/plain", "lights off".getBytes(StandardCharsets.UTF_8));
    }

    /** The job in this state: its thread is its own. */
    private JsonNode awaited(HttpResponse<String> begun, String state) throws Exception {
        assertEquals(202, begun.statusCode(), begun.body());
        String location = begun.headers().firstValue("location").orElseThrow();
        JsonNode job = admin.told(location);
        while (!job.path("state").asText().equals(state)) {
            job = admin.told(location);
        }
        return job;
    }

    private Set<String> members(String group) throws Exception {
        Set<String> members = new HashSet<>();
        admin.told("/v1/groups/" + group + "/devices").path("devices").forEach(each -> members.add(each.toString()));
        return members;
    }

    // ------------------------------------------------------------------ members

    @Test
    void put_device_makesItAMember() throws Exception {
        admin.device("sensor/42");
        assertEquals(
                "{\"group\":\"site-7\",\"device\":\"sensor/42\",\"durable\":false}\n",
                put("/v1/groups/site-7/devices/sensor%2F42").body());
        assertEquals(200, put("/v1/groups/site-7/devices/away").statusCode());
        assertEquals(200, put("/v1/groups/site-7/devices/away").statusCode(), "again");
        assertEquals(
                Set.of(
                        "{\"device\":\"sensor/42\",\"from\":[\"api\"],\"connected\":true}",
                        "{\"device\":\"away\",\"from\":[\"api\"],\"connected\":false}"),
                members("site-7"));
    }

    @Test
    void list_grantAndApi_tellsBothOnce() throws Exception {
        admin.member("sensor-42", "site-7");
        put("/v1/groups/site-7/devices/sensor-42");
        FakeSession left = admin.member("sensor-43", "site-7");
        assertEquals(
                Set.of(
                        "{\"device\":\"sensor-42\",\"from\":[\"api\",\"grant\"],\"connected\":true}",
                        "{\"device\":\"sensor-43\",\"from\":[\"grant\"],\"connected\":true}"),
                members("site-7"));
        left.hangUp();
        assertEquals(
                Set.of("{\"device\":\"sensor-42\",\"from\":[\"api\",\"grant\"],\"connected\":true}"),
                members("site-7"));
    }

    @Test
    void delete_member_isNoneAnyMore() throws Exception {
        put("/v1/groups/site-7/devices/away");
        assertEquals(204, admin.status("DELETE", "/v1/groups/site-7/devices/away"));
        HttpResponse<String> again = admin.call("DELETE", "/v1/groups/site-7/devices/away");
        assertEquals(404, again.statusCode());
        assertEquals("not_a_member", errorCode(again));
        assertEquals(
                "{\"devices\":[],\"next\":null}\n",
                admin.get("/v1/groups/site-7/devices").body());
    }

    @Test
    void put_moreThanMayBe_is429() throws Exception {
        for (int i = 0; i < 32; i++) {
            put("/v1/groups/g" + i + "/devices/a");
        }
        HttpResponse<String> groups = put("/v1/groups/one-more/devices/a");
        assertEquals(429, groups.statusCode());
        assertTrue(groups.body().contains("the device is in 32 groups"), groups.body());
        for (int i = 0; i < 18; i++) {
            put("/v1/groups/g/devices/b" + i);
        }
        HttpResponse<String> full = put("/v1/groups/g/devices/c");
        assertEquals(429, full.statusCode());
        assertEquals("full", errorCode(full));
        assertTrue(full.body().contains("messages.jobs.members = 50"), full.body());
        assertEquals("1", full.headers().firstValue("retry-after").orElse(""));
    }

    @Test
    void list_pageByPage_tellsEachOnce() throws Exception {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            expected.add("dev-" + i);
            put("/v1/groups/g/devices/dev-" + i);
            expected.add("granted-" + i);
            admin.member("granted-" + i, "g");
        }
        Set<String> met = new HashSet<>();
        String cursor = "";
        do {
            JsonNode page = admin.told("/v1/groups/g/devices?limit=7" + cursor);
            page.path("devices")
                    .forEach(each -> assertTrue(met.add(each.path("device").asText())));
            cursor = page.path("next").isNull()
                    ? ""
                    : "&cursor=" + page.path("next").asText();
        } while (!cursor.isEmpty());
        assertEquals(expected, met);
    }

    @Test
    void group_nameThatCannotBe_is400() throws Exception {
        for (String name : List.of("a%20b", "m%C3%BCller", "x".repeat(65), "a%2Fb", "%00")) {
            assertEquals(400, admin.get("/v1/groups/" + name + "/devices").statusCode(), name);
            assertEquals(400, put("/v1/groups/" + name + "/devices/d").statusCode(), name);
            assertEquals(400, post("/v1/groups/" + name + "/messages").statusCode(), name);
        }
        assertEquals(400, put("/v1/groups/g/devices/%00").statusCode());
    }

    // ------------------------------------------------------------------ jobs

    @Test
    void post_group_isAJobThatTellsWhomItReached() throws Exception {
        FakeSession a = admin.device("a");
        admin.member("b", "site-7");
        FakeSession other = admin.device("c");
        for (String id : List.of("a", "b", "away")) {
            put("/v1/groups/site-7/devices/" + id);
        }
        HttpResponse<String> begun = post("/v1/groups/site-7/messages");
        JsonNode job = awaited(begun, "done");
        long id = json(begun).path("id").asLong();
        long messageId = json(begun).path("message_id").asLong();
        assertEquals(
                "{\"id\":" + id + ",\"message_id\":" + messageId
                        + ",\"state\":\"done\",\"group\":\"site-7\",\"ack\":\"sent\",\"store\":false,\"rate\":null"
                        + ",\"started\":\"2023-11-14T22:13:20Z\",\"elapsed_ms\":0,\"devices\":3,\"handed\":3,\"unanswered\":0"
                        + ",\"outcomes\":{\"sent\":2,\"offline\":1},\"not_reached\":[{\"device\":\"away\",\"outcome\":\"offline\"}]}",
                job.toString());
        assertEquals(messageId, a.data.get(0).messageId());
        assertTrue(a.data.get(0).text());
        assertEquals(0, other.data.size());
    }

    @Test
    void post_all_reachesEachDevice() throws Exception {
        FakeSession a = admin.device("a");
        FakeSession b = admin.device("b", "plain", Runnable::run);
        HttpResponse<String> begun = post("/v1/messages?ack=device");
        awaited(begun, "waiting");
        a.ack(a.data.get(0).messageId(), true);
        JsonNode job = awaited(begun, "done");
        assertEquals(
                "{\"acknowledged\":1,\"cannot_acknowledge\":1}",
                job.path("outcomes").toString());
        assertEquals(0, b.data.size());
    }

    @Test
    void delete_job_takesBackWhatIsNotAcknowledged() throws Exception {
        FakeSession a = admin.device("a");
        HttpResponse<String> begun = post("/v1/messages?ack=device");
        awaited(begun, "waiting");
        String location = begun.headers().firstValue("location").orElseThrow();
        assertEquals(202, admin.status("DELETE", location));
        JsonNode job = awaited(begun, "cancelled");
        assertEquals("{\"cancelled\":1}", job.path("outcomes").toString());
        a.ack(a.data.get(0).messageId(), true);
        assertEquals(0, admin.gateway.pushes.waiting());
        assertEquals(202, admin.status("DELETE", location), "again");
    }

    @Test
    void jobs_moreThanMayBe_is429UntilOneIsOver() throws Exception {
        admin.device("a");
        HttpResponse<String> first = post("/v1/messages?rate=1");
        post("/v1/messages?rate=1");
        post("/v1/messages?rate=1");
        HttpResponse<String> full = post("/v1/messages");
        assertEquals(429, full.statusCode());
        assertEquals("full", errorCode(full));
        String location = first.headers().firstValue("location").orElseThrow();
        admin.call("DELETE", location);
        awaited(first, "cancelled");
        awaited(post("/v1/messages"), "done");
        HttpResponse<String> forgotten = admin.get(location);
        assertEquals(404, forgotten.statusCode());
        assertEquals("unknown_job", errorCode(forgotten));
        JsonNode page = admin.told("/v1/jobs?limit=2");
        assertEquals(2, page.path("jobs").size());
        assertEquals("done", page.path("jobs").get(0).path("state").asText(), "the newest first");
        JsonNode rest = admin.told("/v1/jobs?cursor=" + page.path("next").asText());
        assertEquals(1, rest.path("jobs").size());
        assertTrue(rest.path("next").isNull());
    }

    @Test
    void post_wrong_isRefused() throws Exception {
        assertEquals(409, post("/v1/messages?store=1").statusCode());
        assertEquals("no_store", errorCode(post("/v1/groups/g/messages?store=1")));
        assertEquals(400, post("/v1/messages?rate=0").statusCode());
        assertEquals(400, post("/v1/messages?timeout=10m").statusCode());
        assertEquals(400, post("/v1/messages?ack=maybe").statusCode());
        assertEquals(
                413,
                admin.post("/v1/messages", "text/plain", new byte[AdminFixture.MAX_PAYLOAD + 1])
                        .statusCode());
        assertEquals(404, admin.status("DELETE", "/v1/jobs/4711"));
        HttpResponse<String> keyed = admin.send(admin.request("/v1/messages")
                .header("Content-Type", "text/plain")
                .header("Idempotency-Key", "order-4711")
                .POST(HttpRequest.BodyPublishers.ofString("x")));
        assertEquals(400, keyed.statusCode(), "else the caller would think that it is sent once");
        assertEquals(0, admin.told("/v1/jobs").path("jobs").size());
    }
}
