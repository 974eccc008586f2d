package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.log.LogCapture;
import io.heartwheel.session.FakeSession;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Callers that break the rules, over real sockets, byte by byte: each gets an error, and nobody else notices. */
class HostileCallersTest {
    private static final String HOST = "Host: gw\r\n";
    private static final String LAST = "Connection: close\r\n\r\n";

    @AutoClose
    private final LogCapture log = new LogCapture(Exchange.class);

    private final AdminFixture admin = new AdminFixture(4);

    @AfterEach
    void stop() throws Exception {
        awaitRoom();
        admin.close();
        assertEquals(List.of(), log.messages(), "at DEBUG if at all");
    }

    private void assertAnswered(int status, String code, String request) throws Exception {
        String answer = admin.raw(request);
        assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
        assertTrue(answer.contains("\"code\":\"" + code + "\""), answer);
        assertTrue(answer.contains("connection: close"), answer);
        assertEquals(1, answer.split("HTTP/1.1 ", -1).length - 1, answer);
    }

    @Test
    void requestLine_tooLong_is414() throws Exception {
        assertAnswered(414, "uri_too_long", "GET /" + "a".repeat(5_000) + " HTTP/1.1\r\n" + HOST + "\r\n");
    }

    @Test
    void headers_tooLargeOrTooMany_are431() throws Exception {
        String start = "GET /healthz HTTP/1.1\r\n" + HOST;
        assertAnswered(431, "headers_too_large", start + "X: " + "a".repeat(9_000) + "\r\n\r\n");
        assertAnswered(431, "headers_too_large", start + "X: a\r\n".repeat(5_000) + "\r\n");
        assertAnswered(431, "headers_too_large", start + "X: " + "a".repeat(1 << 20));
    }

    @Test
    void bytes_thatAreNoHttp_are400() throws Exception {
        assertAnswered(400, "bad_request", "\u0001\u0000\u0000\u0019HW\u0001\u0000\r\n\r\n");
        assertAnswered(400, "bad_request", "GET\r\n\r\n");
        assertAnswered(400, "bad_request", "GET /healthz HTTP/1.1\r\n" + HOST + "no colon\r\n\r\n");
        assertAnswered(400, "bad_request", "GET /healthz HTTP/1.1\r\n" + HOST + "Content-Length: -1\r\n\r\n");
    }

    @Test
    void host_missingOrTwice_is400() throws Exception {
        assertAnswered(400, "bad_request", "GET /healthz HTTP/1.1\r\n" + LAST);
        assertAnswered(400, "bad_request", "GET /healthz HTTP/1.1\r\n" + HOST + HOST + LAST);
    }

    @Test
    void http10_withoutHost_isServedAndClosed() throws Exception {
        String answer = admin.raw("GET /healthz HTTP/1.0\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
        assertTrue(answer.endsWith("{\"status\":\"alive\"}\n"), answer);
    }

    @Test
    void target_badEncoding_is400() throws Exception {
        for (String target :
                List.of("/v1/devices/%", "/v1/devices/%ff", "/v1/devices/%c0%ae", "/v1/devices?limit=%zz")) {
            assertAnswered(400, "bad_request", "GET " + target + " HTTP/1.1\r\n" + HOST + LAST);
        }
        assertAnswered(400, "bad_request", "GET /v1/devices/\u00c3( HTTP/1.1\r\n" + HOST + LAST);
        assertAnswered(400, "bad_request", "CONNECT gw:443 HTTP/1.1\r\n" + HOST + LAST);
        assertAnswered(400, "bad_request", "OPTIONS * HTTP/1.1\r\n" + HOST + LAST);
    }

    @Test
    void path_climbing_isNowhere() throws Exception {
        String paths = "/../../etc/passwd /v1/../metrics /./metrics /%2e%2e/%2e%2e/etc/passwd /..%2f..%2fetc%2fpasswd"
                + " /..\\..\\etc /v1/devices/../../metrics";
        for (String path : paths.split(" ")) {
            assertAnswered(404, "not_found", "GET " + path + " HTTP/1.1\r\n" + HOST + LAST);
        }
        assertAnswered(404, "offline", "GET /v1/devices/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + HOST + LAST);
    }

    @Test
    void body_tooLarge_is413BeforeItComesOrWhileItDoes() throws Exception {
        String post = "POST /v1/devices/a/messages HTTP/1.1\r\n" + HOST;
        String chunk = "400\r\n" + "x".repeat(1_024) + "\r\n";
        assertAnswered(413, "too_large", post + "Content-Length: 9999999999\r\n\r\n");
        assertAnswered(413, "too_large", post + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n");
        assertAnswered(413, "too_large", post + "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(100));
    }

    @Test
    void expect_bodyThatFits_isAskedFor() throws Exception {
        FakeSession device = admin.device("a");
        try (Socket socket = admin.connect()) {
            socket.getOutputStream()
                    .write(("POST /v1/devices/a/messages HTTP/1.1\r\n" + HOST
                                    + "Expect: 100-continue\r\nContent-Length: 2\r\n" + LAST)
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String first = new String(in.readNBytes(25), StandardCharsets.US_ASCII);
            assertEquals("HTTP/1.1 100 Continue\r\n\r\n", first);
            socket.getOutputStream().write("ok".getBytes(StandardCharsets.US_ASCII));
            assertTrue(AdminFixture.readAll(socket).startsWith("HTTP/1.1 202 Accepted"));
        }
        assertEquals(1, device.data.size());
    }

    @Test
    void callers_thatNeverAskToTheEnd_giveTheirPlacesToThoseWhoDo() throws Exception {
        List<Socket> halfway = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = admin.connect();
                halfway.add(socket);
                socket.getOutputStream()
                        .write(("GET /healthz HTTP/1.1\r\n" + HOST).getBytes(StandardCharsets.US_ASCII));
                String answer = admin.raw("GET /healthz HTTP/1.1\r\n" + HOST + LAST);
                if (answer.startsWith("HTTP/1.1 503 ")) { // the one half-way came in behind it, on another loop
                    answer = admin.raw("GET /healthz HTTP/1.1\r\n" + HOST + LAST);
                }
                assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
            }
            String told = AdminFixture.readAll(halfway.get(0));
            assertTrue(told.startsWith("HTTP/1.1 503 ") && told.contains("too_many_connections"), told);
        } finally {
            for (Socket socket : halfway) {
                socket.close();
            }
        }
    }

    @Test
    void host_thatIsNotOurs_is421() throws Exception {
        for (String host :
                List.of("evil.example", "evil.example:7090", "gw.evil.example", "192.0.2.1", "", "a b", "[::2]")) {
            assertAnswered(421, "unknown_host", "GET /v1/devices HTTP/1.1\r\nHost: " + host + "\r\n" + LAST);
            assertAnswered(421, "unknown_host", "GET /healthz HTTP/1.0\r\nHost: " + host + "\r\n" + LAST);
        }
        assertAnswered(421, "unknown_host", "GET http://evil.example/healthz HTTP/1.1\r\n" + HOST + LAST);
        assertAnswered(421, "unknown_host", "POST /v1/drain HTTP/1.1\r\nHost: evil.example\r\n" + LAST);
    }

    @Test
    void host_thatIsOurs_isServed() throws Exception {
        for (String host : List.of(
                "localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:80", "127.9.9.9", "[::1]", "[::1]:7", "GW:9")) {
            String answer = admin.raw("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n" + LAST);
            assertTrue(answer.startsWith("HTTP/1.1 200 "), host + ": " + answer);
        }
        assertTrue(admin.raw("GET http://localhost/healthz HTTP/1.1\r\n" + HOST + LAST)
                .startsWith("HTTP/1.1 200 "));
    }

    /** A connection counts until the server has seen its end. */
    private void awaitRoom() throws Exception {
        boolean served = false;
        while (!served) {
            served = admin.get("/healthz").statusCode() == 200;
        }
    }

    @Test
    void caller_leavesInTheMiddle_costsNothing() throws Exception {
        for (int i = 0; i < 50; i++) {
            try (Socket socket = admin.connect()) {
                socket.setSoLinger(i % 2 == 0, 0);
                socket.getOutputStream()
                        .write(("POST /v1/devices/a/messages HTTP/1.1\r\n" + HOST + "Content-Length: 100\r\n\r\nhalf")
                                .getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    @Test
    void body_bothLengthAndChunked_isNotTwoRequests() throws Exception {
        FakeSession device = admin.device("a");
        String answer = admin.raw("POST /v1/devices/a/messages HTTP/1.1\r\n" + HOST
                + "Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                + "DELETE /v1/devices/a HTTP/1.1\r\n" + HOST + LAST);
        assertTrue(device.closeFrames.isEmpty(), answer);
        assertFalse(answer.contains("204"), answer);
    }
}
