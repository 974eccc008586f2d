package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heartwheel.auth.HashedToken;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** One gateway with all methods of authentication, and devices that show what is right, what is wrong, and nothing. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("AuthIT") // with others; its own tests one after the other
class AuthIT {
    private static final String WORDS = "not admitted";
    private static final String TOKEN = "token-of-meter-1";

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;
    private static Issuer issuer;
    private static HttpServer service;
    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        issuer = new Issuer(scratch);
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/admit", AuthIT::answer);
        service.start();
        tokens(TOKEN);
        GatewaySetup setup = GatewayProcess.with("auth.mode", "methods")
                .set("auth.methods", "[certificate, jwt, tokens, http]")
                .set(
                        "auth.certificate.from",
                        "cn",
                        "auth.tokens.file",
                        tokensFile().toString())
                .set("auth.http.url", "http://127.0.0.1:" + service.getAddress().getPort() + "/admit")
                // others of this machine may guess; one failure a minute is forgiven, none while this runs
                .set("auth.failures.exempt", "[\"127.0.0.1\"]", "auth.failures.per-minute", "1");
        String mutual = "listeners.mutual.";
        setup.set(mutual + "bind", "127.0.0.1:0", mutual + "tls.enabled", "true")
                .set(mutual + "tls.client-auth", "required")
                .set(
                        mutual + "tls.client-ca-file",
                        certificates.certificate("ca").toString())
                .set(
                        mutual + "tls.certificate-file",
                        certificates.certificate("gateway").toString())
                .set(mutual + "tls.key-file", certificates.key("gateway").toString());
        gateway = issuer.trustedBy(setup).start();
    }

    @AfterAll
    static void end() throws Exception {
        try {
            gateway.close();
        } finally {
            service.stop(0);
        }
    }

    private static Path tokensFile() {
        return scratch.resolve("tokens");
    }

    /** The tokens of meter-1. */
    private static void tokens(String... good) throws IOException {
        StringBuilder line = new StringBuilder("meter-1");
        for (String each : good) {
            line.append(' ').append(HashedToken.of(each.getBytes(StandardCharsets.UTF_8)));
        }
        Files.writeString(tokensFile(), line.append('\n'));
    }

    /** The service, which knows one token. */
    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String token = new ObjectMapper()
                    .readTree(exchange.getRequestBody())
                    .path("token")
                    .asText();
            String result = token.equals("known to the service") ? "admit" : "deny";
            byte[] body = ("{\"result\":\"" + result + "\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static void assertAdmitted(String device, String token) throws IOException {
        assertAdmitted(WireClient.connect(gateway.tcp()), device, token);
    }

    private static void assertAdmitted(WireClient opened, String device, String token) throws IOException {
        try (WireClient client = opened) {
            client.send(WireFrame.hello(device, 0, 0, token, "")).expect(WireFrame.WELCOME);
        }
    }

    private static void assertRefused(int code, String device, String token) throws IOException {
        assertRefused(WireClient.connect(gateway.tcp()), code, device, token);
    }

    private static void assertRefused(WireClient opened, int code, String device, String token) throws IOException {
        try (WireClient client = opened) {
            client.send(WireFrame.hello(device, 0, 0, token, ""));
            assertEquals(WORDS, client.expectClose(code));
        }
    }

    private static JsonNode latestRefused() throws IOException {
        return gateway.admin("GET", "/v1/closed?handshakes=true&limit=1").json().at("/closed/0");
    }

    private static double results(String method, String result) throws IOException {
        return gateway.metrics()
                .sum("heartwheel_auth_results_total", "method=\"" + method + "\"", "result=\"" + result + "\"");
    }

    // ------------------------------------------------------------------ a method each

    private static WireClient mutual() throws Exception {
        InetSocketAddress address = gateway.port("mutual");
        Socket socket =
                certificates.client("device").getSocketFactory().createSocket(address.getAddress(), address.getPort());
        return new WireClient(socket);
    }

    @Test
    void certificate_ofADevice_admitsThatDeviceAlone() throws Exception {
        assertAdmitted(mutual(), "device", "");
        assertRefused(mutual(), 4401, "meter-1", TOKEN);
        assertTrue(latestRefused().get("cause").asText().startsWith("not admitted: certificate: other device"));
        assertEquals(1, results("certificate", "admitted"));
    }

    @Test
    void jwt_ofADevice_admitsThatDeviceAlone() throws Exception {
        String token = issuer.token("meter-2", Instant.now().plusSeconds(600));
        assertAdmitted("meter-2", token);
        assertRefused(4401, "meter-3", token);
        assertEquals(
                "not admitted: jwt: other device", latestRefused().get("cause").asText());
        assertEquals(1, results("jwt", "admitted"));
    }

    @Test
    void service_decides_onWhomNobodyElseKnows() throws Exception {
        assertAdmitted("meter-4", "known to the service");
        assertRefused(4401, "meter-4", "unknown");
        assertTrue(latestRefused().get("cause").asText().startsWith("not admitted: http: denied"));
        assertEquals(1, results("http", "admitted"));
        assertEquals(1, results("http", "denied"));
    }

    // ------------------------------------------------------------------ tokens, in every dialect

    private static WebSocketWire messages(String more, String token) throws IOException {
        WebSocketWire wire = WebSocketWire.connect(gateway.webSocket())
                .upgraded("/ws", "Sec-WebSocket-Protocol: heartwheel.v1" + more + "\r\n");
        return wire.send(WebSocketWire.BINARY, WireFrame.hello("meter-1", 0, 0, token, ""));
    }

    private static WebSocketWire.Answer plain(String target, String header) throws IOException {
        try (WebSocketWire wire = WebSocketWire.connect(gateway.webSocket())) {
            return wire.request(target, header);
        }
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    private static String offered(String token) {
        return "Sec-WebSocket-Protocol: heartwheel.plain, heartwheel.bearer." + token + "\r\n";
    }

    @Test
    void rightToken_inEveryDialect_isAdmitted() throws Exception {
        assertAdmitted("meter-1", TOKEN);
        for (WebSocketWire each :
                new WebSocketWire[] {messages("", TOKEN), messages(", heartwheel.bearer." + TOKEN, "")}) {
            try (WebSocketWire wire = each) {
                assertEquals(
                        WireFrame.WELCOME,
                        wire.expect(WebSocketWire.BINARY).frame().type());
            }
        }
        assertEquals(101, plain("/ws/meter-1?token=" + TOKEN, "").status());
        assertEquals(101, plain("/ws/meter-1", bearer(TOKEN)).status());
        WebSocketWire.Answer browser = plain("/ws/meter-1", offered(TOKEN));
        assertEquals(101, browser.status());
        assertEquals("heartwheel.plain", browser.headers().get("sec-websocket-protocol"));
    }

    @Test
    void refusal_whateverTheCause_hasTheSameWordsAndLeavesEvidence() throws Exception {
        assertRefused(4401, "meter-1", "wrong-token");
        JsonNode evidence = latestRefused();
        assertEquals("unauthorized", evidence.get("reason").asText());
        assertEquals("meter-1", evidence.get("claimed_device").asText());
        assertEquals("not admitted: tokens: wrong token", evidence.get("cause").asText());
        assertFalse(evidence.toString().contains("wrong-token"), "a token is shown");
        assertRefused(4401, "meter-1", "");
        WebSocketWire.Answer wrong = plain("/ws/meter-1?token=wrong-token", "");
        assertEquals(401, wrong.status());
        for (String header : new String[] {bearer("wrong-token"), offered("wrong-token")}) {
            assertEquals(wrong, plain("/ws/meter-1", header));
        }
    }

    @Test
    void tokensFile_withANewerToken_admitsBothAfterAReload() throws Exception {
        assertRefused(4401, "meter-1", "newer-token");
        tokens(TOKEN, "newer-token");
        assertEquals(200, gateway.admin("POST", "/v1/reload").status());
        assertAdmitted("meter-1", TOKEN);
        assertAdmitted("meter-1", "newer-token");
        Files.writeString(tokensFile(), "meter-1 broken\n");
        assertEquals(422, gateway.admin("POST", "/v1/reload").status());
        assertAdmitted("meter-1", "newer-token");
        tokens(TOKEN);
        assertEquals(200, gateway.admin("POST", "/v1/reload").status());
    }

    @Test
    void guesses_afterTenFromOneAddress_reachNoMethod() throws Exception {
        double limited = gateway.metrics().sum("heartwheel_auth_failures_limited_total");
        for (int i = 0; i < 10; i++) {
            assertRefused(guesser(), 4401, "meter-1", "guess-" + i);
        }
        double looked = results("tokens", "wrong_token");
        assertRefused(guesser(), 4207, "meter-1", "guess-10");
        assertRefused(guesser(), 4207, "meter-1", TOKEN);
        assertEquals(looked, results("tokens", "wrong_token"));
        assertEquals(limited + 2, gateway.metrics().sum("heartwheel_auth_failures_limited_total"));
        assertAdmitted("meter-1", TOKEN);
    }

    private static WireClient guesser() throws IOException {
        return new WireClient(WireClient.open(gateway.tcp(), "127.0.0.9"));
    }
}
