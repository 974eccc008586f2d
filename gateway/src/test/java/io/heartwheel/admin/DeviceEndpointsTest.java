package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.event.CloseReason;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.GoAway;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The device API over real sockets, with devices that have none. */
class DeviceEndpointsTest {
    private static final String BINARY = "application/octet-stream";

    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    // ------------------------------------------------------------------ looking

    @Test
    void show_present_tellsAll() throws Exception {
        FakeSession device = admin.device("sensor/42", "heartwheel.v1", Runnable::run);
        admin.gateway.pass(Duration.ofSeconds(7));
        device.beat();
        admin.gateway.pass(Duration.ofMillis(500));

        HttpResponse<String> response = admin.get("/v1/devices/sensor%2F42");
        assertEquals(200, response.statusCode());
        assertEquals(
                "{\"device\":\"sensor/42\",\"session\":1,\"epoch\":" + device.epoch()
                        + ",\"listener\":\"tcp\",\"protocol\":\"heartwheel.v1\",\"remote\":\"192.0.2.7:40001\",\"client\":\"acme-fw/2.1\""
                        + ",\"state\":\"established\",\"interval_ms\":60000,\"connected_for_ms\":7500,\"last_frame_in_ms_ago\":500}\n",
                response.body());
    }

    @Test
    void show_gone_is404() throws Exception {
        FakeSession device = admin.device("dev-1");
        device.hangUp();
        HttpResponse<String> response = admin.get("/v1/devices/dev-1");
        assertEquals(404, response.statusCode());
        assertEquals("offline", errorCode(response));
    }

    @Test
    void show_idsOfAllKinds_areDecodedOnce() throws Exception {
        for (String id : List.of("a b", "a+b", "a%2Fb", "müller", "..", "?x=1&y", "/", "日本", "%", "\"\\")) {
            admin.device(id);
            String encoded = URLEncoder.encode(id, StandardCharsets.UTF_8);
            String path = encoded.replace("+", "%20").replace(".", "%2E");
            assertEquals(id, text(admin.told("/v1/devices/" + path), "device"));
        }
    }

    @Test
    void show_idThatCannotBe_is400() throws Exception {
        for (String id : List.of("%00", "a%0Ab", "%7F", "x".repeat(129), "%C3%BC".repeat(65))) {
            HttpResponse<String> response = admin.get("/v1/devices/" + id);
            assertEquals(400, response.statusCode(), id);
            assertEquals("bad_request", errorCode(response));
        }
    }

    @Test
    void list_pageByPage_meetsEachDeviceOnce() throws Exception {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 257; i++) {
            expected.add(admin.device("dev-" + i).deviceId());
        }
        Set<String> met = new HashSet<>();
        String cursor = "";
        int pages = 0;
        do {
            JsonNode page = admin.told("/v1/devices?limit=50" + cursor);
            assertTrue(page.path("devices").size() <= 50);
            page.path("devices").forEach(device -> assertTrue(met.add(text(device, "device"))));
            cursor = page.path("next").isNull() ? "" : "&cursor=" + text(page, "next");
            pages++;
        } while (!cursor.isEmpty());
        assertEquals(expected, met);
        assertEquals(6, pages);
    }

    @Test
    void list_noParameters_isOfAHundred() throws Exception {
        assertEquals("{\"devices\":[],\"next\":null}", admin.told("/v1/devices").toString());
        for (int i = 0; i < 101; i++) {
            admin.device("dev-" + i);
        }
        JsonNode page = admin.told("/v1/devices");
        assertEquals(100, page.path("devices").size());
        assertTrue(page.path("next").asText().matches("[0-9a-f]{16}"));
    }

    @Test
    void list_badParameter_is400() throws Exception {
        for (String query : ("limit=0 limit=1001 limit=-1 limit=ten limit= limit=1e2 cursor= cursor=zz cursor=00"
                        + " cursor=0123456789ABCDEF")
                .split(" ")) {
            assertEquals(400, admin.get("/v1/devices?" + query).statusCode(), query);
        }
    }

    @Test
    void list_filtered_showsThoseThatPassAll() throws Exception {
        admin.device("sensor-1");
        admin.device("sensor-2", "plain", Runnable::run);
        admin.device("pump-1").sendAway(CloseReason.MAX_AGE, GoAway.AT_ONCE, admin.gateway.now() + 1);
        admin.member("pump-2", "site-7");

        assertEquals(Set.of("sensor-1", "sensor-2"), listed("prefix=sensor-"));
        assertEquals(Set.of("sensor-2"), listed("prefix=sensor-&protocol=plain"));
        assertEquals(Set.of("pump-1"), listed("state=leaving"));
        assertEquals(Set.of("sensor-1", "sensor-2", "pump-1"), listed("listener=tcp"));
        assertEquals(Set.of("pump-2"), listed("listener=websocket"));
        assertEquals(Set.of("pump-2"), listed("group=site-7&state=established"));
        assertEquals(Set.of(), listed("group=site-7&prefix=sensor"));
        assertEquals(
                "{\"tenant\":\"acme\"}",
                admin.told("/v1/devices/pump-2").path("attributes").toString());
        for (String query : "prefix= protocol=mqtt state=closed listener=A group=a/b".split(" ")) {
            assertEquals(400, admin.get("/v1/devices?" + query).statusCode(), query);
        }
    }

    private Set<String> listed(String query) throws Exception {
        Set<String> ids = new HashSet<>();
        admin.told("/v1/devices?" + query).path("devices").forEach(device -> ids.add(text(device, "device")));
        return ids;
    }

    // ------------------------------------------------------------------ closing

    @Test
    void delete_present_closesWithTheReasonGiven() throws Exception {
        FakeSession device = admin.device("dev-1");
        HttpResponse<String> response = admin.call("DELETE", "/v1/devices/dev-1?reason=too%20chatty");
        assertEquals(204, response.statusCode());
        assertEquals("", response.body());
        assertEquals(List.of(new FakeSession.Farewell(CloseReason.ADMIN_CLOSED, "too chatty")), device.closeFrames);
        assertEquals(404, admin.call("DELETE", "/v1/devices/dev-1").statusCode());
    }

    @Test
    void delete_reasonThatDoesNotFit_is400AndClosesNothing() throws Exception {
        FakeSession device = admin.device("dev-1");
        for (String reason : List.of("x".repeat(124), "a%0Ab", "%FF")) {
            assertEquals(400, admin.status("DELETE", "/v1/devices/dev-1?reason=" + reason), reason);
        }
        assertTrue(device.closeFrames.isEmpty());
    }

    // ------------------------------------------------------------------ pushing

    @Test
    void push_text_isSentAndNothingMoreIsClaimed() throws Exception {
        FakeSession device = admin.device("dev-1");
        HttpResponse<String> response = push("?id=258", "application/json; charset=utf-8", utf8("{\"on\":true}"));
        assertEquals(202, response.statusCode());
        assertEquals(
                "{\"outcome\":\"sent\",\"device\":\"dev-1\",\"session\":1,\"epoch\":" + device.epoch()
                        + ",\"id\":258}\n",
                response.body());
        FakeSession.Data data = device.data.get(0);
        assertEquals(258, data.messageId());
        assertTrue(data.text());
        assertArrayEquals(utf8("{\"on\":true}"), data.payload());
    }

    @Test
    void push_binary_isWrittenAsItIs() throws Exception {
        FakeSession device = admin.device("dev-1");
        byte[] payload = {0, (byte) 0xC3, 0x28, (byte) 0xFF};
        assertEquals(202, push("", BINARY, payload).statusCode());
        assertArrayEquals(payload, device.data.get(0).payload());
        assertEquals(202, push("", BINARY + "; charset=latin1", payload).statusCode(), "bytes have no encoding");
        assertEquals(202, admin.status("POST", "/v1/devices/dev-1/messages"));
        assertEquals(0, device.data.get(2).payload().length);
        assertTrue(device.data.stream().noneMatch(FakeSession.Data::text));
    }

    @Test
    void push_textThatIsNoUtf8_is400() throws Exception {
        FakeSession device = admin.device("dev-1");
        for (String type : List.of("text/plain", "Text/HTML;charset=utf-8", "application/JSON")) {
            assertEquals(400, push("", type, new byte[] {(byte) 0xC3, 0x28}).statusCode(), type);
        }
        assertTrue(device.data.isEmpty());
    }

    @Test
    void push_idBeyondTheLimits_is400() throws Exception {
        FakeSession device = admin.device("dev-1");
        assertEquals(202, push("?id=18446744073709551615", BINARY, new byte[1]).statusCode());
        assertEquals(-1L, device.data.get(0).messageId());
        for (String bad : List.of("18446744073709551616", "-1", "", "1x", "0x10", "99999999999999999999999")) {
            assertEquals(400, push("?id=" + bad, BINARY, new byte[1]).statusCode(), bad);
        }
    }

    @Test
    void push_idBeyondWhatADoubleHolds_isToldAsAString() throws Exception {
        admin.device("dev-1");
        for (String id : List.of("0", "1", "9007199254740991", "9007199254740992", "18446744073709551615")) {
            JsonNode told = json(push("?id=" + id, BINARY, new byte[1])).path("id");
            assertEquals(id, told.asText());
            assertEquals(id.length() < 16 || id.equals("9007199254740991"), told.isIntegralNumber(), id);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '$',
            textBlock =
                    """
                    text/plain; charset=iso-8859-1                   | 415
                    text/plain;charset="utf-16"                      | 415
                    TEXT/PLAIN; format=flowed; CharSet=windows-1252  | 415
                    application/json; charset=latin1                 | 415
                    text/plain; charset="utf-8                       | 415
                    text/plain; charset=                             | 415
                    text/plain; charset                              | 400
                    text/plain; =utf-8                               | 400
                    text/plain;charset=UTF-8                         | 202
                    text/plain; charset="utf-8" ; x="a;b"            | 202
                    text/plain; charset=us-ascii                     | 202
                    text/plain;                                      | 202
                    application/json ; profile=x                     | 202
                    """)
    void push_textOfAnEncoding_isSentOnlyAsUtf8(String type, int status) throws Exception {
        FakeSession device = admin.device("dev-1");
        HttpResponse<String> response = push("", type, utf8("a"));
        assertEquals(status, response.statusCode());
        assertEquals(
                status == 202 ? 1 : 0,
                device.data.stream().filter(FakeSession.Data::text).count());
        assertTrue(status != 415 || errorCode(response).equals("unsupported_charset"), response::body);
    }

    @Test
    void push_noId_getsOneOfItsOwn() throws Exception {
        FakeSession device = admin.device("dev-1");
        long first = json(push("", BINARY, new byte[1])).path("id").asLong();
        long second = json(push("", BINARY, new byte[1])).path("id").asLong();
        assertNotEquals(first, second);
        assertEquals(first, device.data.get(0).messageId());
    }

    @Test
    void push_deviceAway_isOffline() throws Exception {
        HttpResponse<String> response = admin.post("/v1/devices/nobody/messages", BINARY, new byte[1]);
        assertEquals(404, response.statusCode());
        assertEquals(
                "{\"type\":\"urn:heartwheel:problem:offline\",\"title\":\"Offline\",\"status\":404"
                        + ",\"detail\":\"the device is not connected\",\"code\":\"offline\",\"outcome\":\"offline\"}\n",
                response.body());
    }

    @Test
    void push_deviceDoesNotDrain_isBusy() throws Exception {
        admin.device("dev-1").drains = false;
        HttpResponse<String> response = push("", BINARY, new byte[1]);
        assertEquals(503, response.statusCode());
        assertEquals("busy", text(json(response), "outcome"));
        assertEquals("1", response.headers().firstValue("retry-after").orElse(""));
    }

    @Test
    void push_overThePayloadLimit_is413() throws Exception {
        FakeSession device = admin.device("dev-1");
        assertEquals(202, push("", BINARY, new byte[AdminFixture.MAX_PAYLOAD]).statusCode());
        for (int size : List.of(AdminFixture.MAX_PAYLOAD + 1, AdminFixture.MAX_BODY + 1)) {
            HttpResponse<String> response = push("", BINARY, new byte[size]);
            assertEquals(413, response.statusCode());
            assertEquals("too_large", errorCode(response));
        }
        assertEquals(1, device.data.size());
    }

    @Test
    void push_fromAWebPage_is403() throws Exception {
        FakeSession device = admin.device("dev-1");
        HttpRequest.Builder request = admin.request("/v1/devices/dev-1/messages")
                .header("Origin", "https://evil.example")
                .POST(HttpRequest.BodyPublishers.ofString("x"));
        HttpResponse<String> response = admin.send(request);
        assertEquals(403, response.statusCode());
        assertEquals("foreign_origin", errorCode(response));
        assertTrue(device.data.isEmpty());
    }

    @Test
    void push_loopHasEnded_isOffline() throws Exception {
        boolean[] ended = new boolean[1];
        admin.device("dev-1", "heartwheel", task -> {
            if (ended[0]) {
                throw new RejectedExecutionException("the loop has ended");
            }
            task.run();
        });
        ended[0] = true;
        assertEquals(404, push("", BINARY, new byte[1]).statusCode());
    }

    private HttpResponse<String> push(String query, String type, byte[] body) throws Exception {
        return admin.post("/v1/devices/dev-1/messages" + query, type, body);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
