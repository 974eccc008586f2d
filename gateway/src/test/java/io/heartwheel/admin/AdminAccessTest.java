package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.heartwheel.log.LogSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Access to the admin API: tokens with scopes, and the listener for monitors. */
class AdminAccessTest {
    private static final String ALL = "read,send,operate ";

    @TempDir
    static Path directory;

    private final ListAppender<ILoggingEvent> audit = new ListAppender<>();
    private AdminFixture admin;

    @BeforeEach
    void start() throws Exception {
        admin = new AdminFixture(settings("ops " + ALL + AdminTokensTest.hash("ops-token") + "\nlooker read "
                + AdminTokensTest.hash("looker-token") + "\nsender send " + AdminTokensTest.hash("sender-token")));
        audit.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Audit.NAME);
        logger.setLevel(Level.INFO);
        logger.addAppender(audit);
    }

    @AfterEach
    void end() {
        ((Logger) LoggerFactory.getLogger(Audit.NAME)).detachAppender(audit);
        admin.close();
    }

    private static AdminSettings settings(String tokens) throws IOException {
        Path file = Files.writeString(directory.resolve("tokens"), tokens);
        return AdminFixture.settings("127.0.0.1:0", 16, file, null);
    }

    private int status(String token, String method, String target) throws Exception {
        return call(token, method, target).statusCode();
    }

    private HttpResponse<String> call(String token, String method, String target) throws Exception {
        HttpRequest.Builder request = admin.request(target);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return admin.send(request.method(method, HttpRequest.BodyPublishers.noBody()));
    }

    private List<String> audited() {
        return audit.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void request_withoutToken_isUnauthorizedButForHealth() throws Exception {
        assertEquals(200, status(null, "GET", "/healthz"));
        assertEquals(200, status(null, "GET", "/readyz"));
        for (String target : List.of("/metrics", "/v1/gateway", "/v1/devices", "/v1/devices/a", "/nothing", "/")) {
            HttpResponse<String> answer = call(null, "GET", target);
            assertEquals(401, answer.statusCode(), target);
            assertEquals(
                    "Bearer realm=\"heartwheel\"",
                    answer.headers().firstValue("WWW-Authenticate").orElse(""));
        }
        assertEquals(401, status(null, "POST", "/v1/drain"));
        assertEquals(401, status(null, "PUT", "/v1/devices?x=y"));
        assertEquals(List.of(), audited());
    }

    /** Each route that the API's document has. */
    @Test
    void everyRoute_withoutAToken_is401ButForHealth() throws Exception {
        List<String> routes = AnswerSchemas.ofThisGateway().operations();
        assertTrue(routes.size() > 20, routes::toString);
        for (String route : routes) {
            String[] parts = route.split(" ");
            boolean health = route.matches("GET /(healthz|readyz)");
            assertEquals(health ? 200 : 401, status(null, parts[0], parts[1].replaceAll("\\{[a-z_]+}", "x")), route);
        }
    }

    @Test
    void request_wrongToken_isToldTheSameAsNone() throws Exception {
        HttpResponse<String> none = call(null, "GET", "/v1/gateway");
        HttpResponse<String> wrong = call("wrong", "GET", "/v1/gateway");
        HttpResponse<String> basic = admin.send(admin.request("/v1/gateway")
                .header("Authorization", "Basic b3BzOm9wcw==")
                .GET());

        assertEquals(401, wrong.statusCode());
        assertEquals(none.body(), wrong.body());
        assertEquals(none.body(), basic.body());
        String twice = admin.raw("GET /v1/gateway HTTP/1.0\r\nAuthorization: Bearer ops-token\r\n"
                + "Authorization: Bearer ops-token\r\n\r\n");
        assertTrue(twice.startsWith("HTTP/1.1 401 "), twice);
    }

    @Test
    void request_byScope_isDoneOrForbidden() throws Exception {
        assertEquals(200, status("looker-token", "GET", "/v1/gateway"));
        assertEquals(200, status("looker-token", "HEAD", "/metrics"));
        assertEquals(403, status("looker-token", "POST", "/v1/reload"));
        assertEquals(403, status("looker-token", "POST", "/v1/devices/a/messages"));
        assertEquals(403, status("sender-token", "GET", "/v1/devices"));
        assertEquals(404, status("sender-token", "POST", "/v1/devices/a/messages?id=7"));
        assertEquals(403, status("sender-token", "DELETE", "/v1/devices/a"));
        assertEquals(200, status("ops-token", "POST", "/v1/reload"));
        assertEquals(404, status("ops-token", "GET", "/nothing"));
        assertEquals(405, status("ops-token", "PUT", "/v1/drain"));
    }

    @Test
    void change_doneOrForbidden_isAudited() throws Exception {
        status("looker-token", "POST", "/v1/drain?stay=true");
        status("ops-token", "DELETE", "/v1/devices/b%0aad?reason=x+y");
        status("ops-token", "GET", "/v1/devices");
        status("wrong", "POST", "/v1/drain");
        status("ops-token", "DELETE", "/v1/devices/" + "x".repeat(500));

        List<String> lines = audited();
        assertEquals(3, lines.size(), lines::toString);
        assertEquals("POST /v1/drain?stay=true by token/looker from 127.0.0.1: 403", lines.get(0));
        assertEquals("DELETE /v1/devices/b%0aad?reason=x+y by token/ops from 127.0.0.1: 400", lines.get(1));
        assertTrue(lines.get(2).length() < 500 && lines.get(2).endsWith("x by token/ops from 127.0.0.1: 400"));
    }

    /** A flood of messages, or of refused requests, is bounded in the log; a change of the gateway is not hidden by it. */
    @Test
    void change_ofTheGateway_isMarkedToBeLoggedHoweverManyThereAre() throws Exception {
        status("looker-token", "POST", "/v1/reload");
        status("sender-token", "POST", "/v1/devices/a/messages?id=7");
        status("ops-token", "POST", "/v1/reload");

        assertEquals(
                List.of(false, false, true),
                audit.list.stream()
                        .map(line -> line.getMarkerList() != null
                                && line.getMarkerList().contains(LogSettings.EACH))
                        .toList());
    }

    @Test
    void change_withoutTokensConfigured_isAuditedAsLocal() throws Exception {
        try (AdminFixture open = new AdminFixture()) {
            assertEquals(200, open.call("POST", "/v1/reload").statusCode());
        }
        assertEquals(List.of("POST /v1/reload by local from 127.0.0.1: 200"), audited());
    }

    @Test
    void guesses_fromOneAddress_areHeldUpAfterTen() throws Exception {
        assertEquals(200, status("ops-token", "GET", "/v1/gateway"));
        for (int i = 0; i < AdminAccess.GUESSES; i++) {
            assertEquals(401, status("guess-" + i, "GET", "/v1/gateway"));
        }
        for (int i = 0; i < 200; i++) {
            HttpResponse<String> answer = call("other-" + i, "GET", "/v1/gateway");
            assertEquals(429, answer.statusCode());
            assertEquals("6", answer.headers().firstValue("Retry-After").orElse(""));
        }

        assertEquals(429, status("looker-token", "GET", "/v1/gateway"));
        assertEquals(200, status("ops-token", "GET", "/v1/gateway"));
        assertEquals(200, status(null, "GET", "/healthz"));
        assertEquals(401, status(null, "GET", "/v1/gateway"));
    }

    @Test
    void prepare_otherTokens_replacesTheFormerAtOnce() throws Exception {
        assertEquals(200, status("ops-token", "GET", "/v1/gateway"));

        admin.server
                .prepare(settings("new " + ALL + AdminTokensTest.hash("new-token")))
                .run();

        assertEquals(401, status("ops-token", "GET", "/v1/gateway"));
        assertEquals(200, status("new-token", "GET", "/v1/gateway"));
        assertThrows(IOException.class, () -> admin.server.prepare(settings("broken")));
        assertEquals(200, status("new-token", "GET", "/v1/gateway"));
    }

    @Test
    void foreignOrigin_withAToken_isStillRefused() throws Exception {
        HttpResponse<String> answer = admin.send(admin.request("/v1/reload")
                .header("Authorization", "bearer  ops-token")
                .header("Origin", "https://evil.example")
                .POST(HttpRequest.BodyPublishers.noBody()));

        assertEquals(403, answer.statusCode());
        assertFalse(answer.headers().firstValue("Access-Control-Allow-Origin").isPresent());
    }

    @Test
    void settings_beyondLoopback_needSomethingThatKnowsCallers() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> AdminFixture.settings("0.0.0.0:0", 1, null, null));

        assertEquals("admin.bind = 0.0.0.0:0: " + AdminSettings.NEED_CALLERS, refusal.getMessage());
    }

    @Test
    void monitor_anyRequest_showsFiguresAndHealthOnly() throws Exception {
        AdminSettings settings = settings("ops read " + AdminTokensTest.hash("ops-token"));
        try (AdminServer monitor = AdminServer.startMonitor(settings, admin.ports(), admin.secured)) {
            for (String target : List.of("/metrics", "/healthz", "/readyz")) {
                assertEquals(200, at(monitor, "GET", target), target);
                assertEquals(200, at(monitor, "HEAD", target), target);
                assertEquals(405, at(monitor, "POST", target), target);
            }
            for (String target : List.of("/v1/gateway", "/v1/devices", "/", "/metrics/x", "/v1/drain")) {
                assertEquals(404, at(monitor, "GET", target), target);
                assertEquals(404, at(monitor, "POST", target), target);
            }
        }
    }

    private static int at(AdminServer server, String method, String target) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + target);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
