package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.EventKind;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.SyncPolicy;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutletEndpointsTest {
    @TempDir
    Path directory;

    private final MemoryStore store = new MemoryStore();

    @AutoClose
    private Outlets outlets;

    @AutoClose
    private AdminFixture admin;

    /** None delivers: none is started. */
    @BeforeEach
    void open() throws Exception {
        for (int i = 0; i < 3; i++) {
            store.append(EventKind.DATA.number(), "d", "{}");
        }
        OutletSettings.Target file =
                new OutletSettings.ToFile(directory.resolve("out"), 1 << 20, Duration.ZERO, 1, SyncPolicy.NEVER);
        List<OutletSettings> settings =
                List.of(new OutletSettings("b", Set.of(EventKind.DATA), file), new OutletSettings("a", Set.of(), file));
        outlets = Outlets.open(settings, store, "");
        admin = new AdminFixture(outlets);
    }

    private HttpResponse<String> rewind(String body) throws Exception {
        return admin.post("/v1/outlets/b/rewind", "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void list_noJournal_isEmpty() throws Exception {
        try (AdminFixture none = new AdminFixture()) {
            assertEquals("{\"outlets\":[]}\n", none.get("/v1/outlets").body());
            assertEquals(404, none.status("GET", "/v1/outlets/main"));
        }
    }

    @Test
    void list_outlets_tellsEachByName() throws Exception {
        JsonNode told = admin.told("/v1/outlets").get("outlets");
        assertEquals(2, told.size());
        assertEquals("a", told.get(0).get("name").asText());
        assertEquals(
                "{\"name\":\"b\",\"kind\":\"file\",\"place\":\"" + directory.resolve("out")
                        + "\",\"state\":\"running\",\"cursor\":0,\"lag_events\":3,\"oldest_age_ms\":0,\"delivered\":0,"
                        + "\"skipped\":0,\"oversized\":0,\"failures\":0,\"last_error\":null,\"last_error_at\":null,\"next_attempt_in_ms\":null}",
                admin.told("/v1/outlets/b").toString());
    }

    @Test
    void pause_thenResume_changeTheState() throws Exception {
        assertEquals("paused", text(json(admin.call("POST", "/v1/outlets/b/pause")), "state"));
        assertEquals("running", text(json(admin.call("POST", "/v1/outlets/b/resume")), "state"));
        assertEquals("not_found", errorCode(admin.call("POST", "/v1/outlets/c/pause")));
        assertEquals(405, admin.get("/v1/outlets/b/pause").statusCode());
    }

    private void start() throws Exception {
        outlets.start(new ThreadSupervisor((name, stack) -> {}, () -> {}));
        outlets.awaitDelivered(3, Duration.ofSeconds(30));
    }

    @Test
    void rewind_outletThatRuns_answersWithItsNewCursorAndLag() throws Exception {
        start();

        HttpResponse<String> answer = rewind("{\"to\":2}");

        assertEquals(200, answer.statusCode());
        assertEquals(1, json(answer).get("cursor").asInt());
        assertEquals(2, json(answer).get("lag_events").asInt());
    }

    @Test
    void rewind_threeForms_areTaken() throws Exception {
        start();
        for (String body : List.of("{\"to\":\"start\"}", "{\"to\":4}", "{\"to\":\"2026-01-01T00:00:00Z\"}")) {
            assertEquals(200, rewind(body).statusCode(), body);
        }
    }

    @Test
    void orders_outletThatHasEnded_areRefused() throws Exception {
        start();
        outlets.close();
        for (HttpResponse<String> answer : List.of(
                rewind("{\"to\":2}"),
                admin.call("POST", "/v1/outlets/b/pause"),
                admin.call("POST", "/v1/outlets/b/resume"))) {
            assertEquals(409, answer.statusCode(), answer.body());
            assertEquals("ended", errorCode(answer));
            assertTrue(answer.body().contains("outlet b has ended"), answer.body());
        }
        assertEquals("ended", text(admin.told("/v1/outlets/b"), "state"));
    }

    @Test
    void rewind_anythingElse_isRefused() throws Exception {
        for (String body :
                List.of("", "{", "[]", "{}", "{\"to\":1.5}", "{\"to\":\"end\"}", "{\"to\":0}", "{\"to\":5}")) {
            HttpResponse<String> answer = rewind(body);
            assertEquals(400, answer.statusCode(), body);
            assertEquals("bad_request", errorCode(answer), body);
        }
        assertTrue(rewind("{\"to\":5}").body().contains("to = record 5: need 1..4"));
    }
}
