package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The server over real sockets: requests about the whole gateway, and rules of every response. */
class AdminServerTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    @Test
    void metrics_formats_areThoseAccepted() throws Exception {
        HttpResponse<String> page = admin.get("/metrics");
        assertEquals(200, page.statusCode());
        assertEquals("text/plain; version=0.0.4; charset=utf-8", header(page, "content-type"));
        assertTrue(page.body().contains("heartwheel_build_info{version=\"0.1.0\""), page.body());
        page = admin.send(admin.request("/metrics").header("Accept", "application/openmetrics-text; version=1.0.0"));
        assertTrue(header(page, "content-type").startsWith("application/openmetrics-text"));
    }

    /** Prometheus asks so. */
    @Test
    void metrics_gzipAccepted_areAQuarterOfTheBytes() throws Exception {
        byte[] plain = admin.get("/metrics").body().getBytes(StandardCharsets.UTF_8);
        HttpRequest asked =
                admin.request("/metrics").header("Accept-Encoding", "gzip").build();
        HttpResponse<byte[]> page = HttpClient.newHttpClient().send(asked, HttpResponse.BodyHandlers.ofByteArray());
        assertEquals("gzip", page.headers().firstValue("content-encoding").orElse(""));
        assertTrue(page.body().length * 4 < plain.length, () -> page.body().length + " of " + plain.length);
        byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(page.body())).readAllBytes();
        assertTrue(new String(unpacked, StandardCharsets.UTF_8).contains("heartwheel_build_info{version=\"0.1.0\""));

        HttpResponse<String> small = admin.send(admin.request("/healthz").header("Accept-Encoding", "gzip"));
        assertEquals("", header(small, "content-encoding"));
    }

    @Test
    void head_anyGet_hasItsHeadersAndNoBody() throws Exception {
        for (String target : List.of("/healthz", "/v1/gateway", "/v1/devices")) {
            HttpResponse<String> got = admin.get(target);
            HttpResponse<String> head = admin.call("HEAD", target);
            assertEquals(got.statusCode(), head.statusCode());
            assertEquals(header(got, "content-length"), header(head, "content-length"));
            assertEquals(header(got, "content-type"), header(head, "content-type"));
            assertEquals("", head.body());
        }
    }

    @Test
    void healthz_somethingStuck_says503AndWhat() throws Exception {
        assertEquals("{\"status\":\"alive\"}\n", admin.get("/healthz").body());
        admin.notAlive = List.of("event loop 1 has not turned for 7.3 s", "wheel has not turned for 9.0 s");
        HttpResponse<String> response = admin.get("/healthz");
        assertEquals(503, response.statusCode());
        assertEquals("not_alive", errorCode(response));
        assertEquals(
                "event loop 1 has not turned for 7.3 s; wheel has not turned for 9.0 s",
                text(json(response), "detail"));
        assertEquals(200, admin.get("/readyz").statusCode());
    }

    @Test
    void readyz_draining_says503AndWhy() throws Exception {
        assertEquals("{\"status\":\"ready\"}\n", admin.get("/readyz").body());
        admin.notReady = List.of("draining");
        HttpResponse<String> response = admin.get("/readyz");
        assertEquals(503, response.statusCode());
        assertEquals("application/problem+json", header(response, "content-type"));
        assertEquals(
                "{\"type\":\"urn:heartwheel:problem:not_ready\",\"title\":\"Not ready\",\"status\":503"
                        + ",\"detail\":\"draining\",\"code\":\"not_ready\"}\n",
                response.body());
        assertEquals(200, admin.get("/healthz").statusCode());
    }

    @Test
    void gateway_asked_tellsOfItself() throws Exception {
        admin.device("dev-1");
        JsonNode gateway = admin.told("/v1/gateway");
        assertEquals("0.1.0", text(gateway, "version"));
        assertEquals(86_400_000, gateway.path("uptime_ms").asLong());
        assertEquals("epoll", text(gateway, "transport"));
        assertTrue(gateway.path("ready").asBoolean());
        assertEquals("0.0.0.0:7070", text(gateway.at("/listeners/0"), "address"));
        assertTrue(gateway.at("/listeners/1/tls").asBoolean());
        assertEquals(
                "[\"10.0.0.0/8\",\"fd00::1\"]",
                gateway.at("/listeners/0/proxy/trusted").toString());
        assertTrue(gateway.at("/listeners/0/forwarded").isNull());
        assertTrue(gateway.at("/listeners/1/proxy").isNull());
        assertEquals("forwarded", text(gateway.at("/listeners/1/forwarded"), "header"));
        assertEquals(1, gateway.at("/connections/devices").asLong());
        assertEquals(1_000_000, gateway.at("/connections/limit").asLong());
    }

    @Test
    void path_unknown_is404() throws Exception {
        String targets = "/ /metrics/ //metrics /v1 /v1/devices/a/b /v2/devices /favicon.ico /METRICS";
        for (String target : targets.split(" ")) {
            HttpResponse<String> response = admin.get(target);
            assertEquals(404, response.statusCode(), target);
            assertEquals("not_found", errorCode(response), target);
        }
        assertEquals(400, admin.status("GET", "/v1/devices/"));
    }

    @Test
    void method_notOfThePath_is405WithAllow() throws Exception {
        assertNotAllowed("POST", "/metrics", "GET, HEAD");
        assertNotAllowed("DELETE", "/healthz", "GET, HEAD");
        assertNotAllowed("OPTIONS", "/v1/devices", "GET, HEAD");
        assertNotAllowed("PUT", "/v1/devices/dev-1", "GET, HEAD, DELETE");
        assertNotAllowed("PUT", "/v1/devices/dev-1/messages", "POST, GET, HEAD");
        assertNotAllowed("BREW", "/v1/gateway", "GET, HEAD");
    }

    private void assertNotAllowed(String method, String target, String allowed) throws Exception {
        HttpResponse<String> response = admin.call(method, target);
        assertEquals(405, response.statusCode(), target);
        assertEquals(allowed, header(response, "allow"), target);
        assertEquals("method_not_allowed", errorCode(response));
    }

    @Test
    void parameter_unknownOrTwice_is400() throws Exception {
        for (String query : List.of("metrics?name%5B%5D=x", "healthz?verbose", "v1/devices?limt=5")) {
            assertEquals(400, admin.status("GET", "/" + query), query);
        }
        assertEquals(400, admin.status("GET", "/v1/devices?limit=5&limit=6"));
        assertEquals(200, admin.status("GET", "/v1/devices?limit=5&"));
    }

    @Test
    void body_whereNoneBelongs_is400() throws Exception {
        HttpResponse<String> response =
                admin.send(admin.request("/v1/devices").method("GET", HttpRequest.BodyPublishers.ofString("{}")));
        assertEquals(400, response.statusCode());
    }

    @Test
    void answer_any_forbidsToGuessFrameOrKeepIt() throws Exception {
        for (String target : List.of("/metrics", "/healthz", "/nowhere", "/v1/devices")) {
            HttpResponse<String> response = admin.get(target);
            assertEquals("nosniff", header(response, "x-content-type-options"));
            assertEquals("no-store", header(response, "cache-control"));
            assertEquals("no-referrer", header(response, "referrer-policy"));
            assertTrue(header(response, "content-security-policy").contains("default-src 'none'"));
            assertTrue(header(response, "date").endsWith(" GMT"));
        }
    }

    @Test
    void upgradeToHttp2_offeredByTheClient_isPassedOver() throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(admin.request("/healthz").build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode());
        assertEquals(HttpClient.Version.HTTP_1_1, response.version());
    }

    @Test
    void start_addressInUse_namesItAndLeavesNothing() {
        AdminSettings taken = AdminFixture.settings("127.0.0.1:" + admin.port(), 1, null, null);
        IOException failure =
                assertThrows(IOException.class, () -> AdminServer.start(taken, admin.ports(), admin.secured));
        assertTrue(failure.getMessage().startsWith("admin.bind = 127.0.0.1:" + admin.port() + ": "));
    }

    @Test
    void close_connectionsOpen_endsThemAll() throws Exception {
        List<Socket> open = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            open.add(admin.connect());
            if (i % 2 == 0) {
                open.get(i).getOutputStream().write("POST /v1/".getBytes(StandardCharsets.US_ASCII));
            }
        }
        admin.close();
        for (Socket socket : open) {
            assertEnded(socket);
        }
        admin.close();
        assertThrows(IOException.class, () -> admin.get("/healthz"));
    }

    private static void assertEnded(Socket socket) throws IOException {
        try (socket) {
            assertEquals(-1, socket.getInputStream().read());
        } catch (SocketException reset) {
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
