package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.SharedToken;
import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.AuthPolicy;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The opening handshake, one row a fault: the status, the one reason that is counted, and the answer's form. */
class UpgradeRequestTest {
    private static final String LINE = "GET /ws/dev-1 HTTP/1.1\r\n";
    private static final String HOST = "Host: gateway.example:7080\r\n";
    private static final String UPGRADE = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n";
    private static final String VERSION = "Sec-WebSocket-Version: 13\r\n";
    private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    private static final String END = "\r\n";
    private static final String ALL = LINE + HOST + UPGRADE + VERSION + KEY;

    private static final WebSocketSettings STRICT = new WebSocketSettings(
            "/ws",
            "/healthz",
            List.of("gateway.example", "[::1]"),
            List.of("https://app.example"),
            1 << 10,
            false,
            null);

    static Stream<Arguments> headFaults() {
        return Stream.of(
                row("another path", target("/other"), 404),
                row("a path further below", target("/ws/a/b"), 404),
                row("a path that only begins the same", target("/wsx"), 404),
                row("the path in capitals", target("/WS"), 404),
                row("no upgrade at all", LINE + HOST + END, 426),
                row("no Upgrade header", LINE + HOST + "Connection: Upgrade\r\n" + VERSION + KEY + END, 426),
                row("no Connection header", LINE + HOST + "Upgrade: websocket\r\n" + VERSION + KEY + END, 426),
                row("Connection without the token", ALL.replace("keep-alive, Upgrade", "keep-alive") + END, 426),
                row("another upgrade", ALL.replace("Upgrade: websocket", "Upgrade: h2c") + END, 426),
                row("POST", ALL.replace("GET", "POST") + END, 426),
                row("HTTP/1.0", ALL.replace("HTTP/1.1", "HTTP/1.0") + END, 426),
                row("HTTP/2.0", ALL.replace("HTTP/1.1", "HTTP/2.0") + END, 426),
                row("version 8", ALL.replace("Version: 13", "Version: 8") + END, 426),
                row("no version", LINE + HOST + UPGRADE + KEY + END, 426),
                row("two versions", ALL + VERSION + END, 426),
                row("no Host", LINE + UPGRADE + VERSION + KEY + END, 400),
                row("two Hosts", ALL + HOST + END, 400),
                row("a malformed Host", ALL.replace("gateway.example:7080", "gateway.example/x") + END, 400),
                row("an empty Host", ALL.replace("gateway.example:7080", "") + END, 400),
                row("no key", LINE + HOST + UPGRADE + VERSION + END, 400),
                row("two keys", ALL + KEY + END, 400),
                row("a short key", ALL.replace("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZQ==") + END, 400),
                row("a long key", ALL.replace("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZTE=") + END, 400),
                row("a key that is not base64", ALL.replace("dGhl", "d*hl") + END, 400),
                row("a body by length", ALL + "Content-Length: 1\r\n" + END, 400),
                row("a chunked body", ALL + "Transfer-Encoding: chunked\r\n" + END, 400),
                row("a foreign Host", ALL.replace("gateway.example:7080", "evil.example") + END, 403),
                row(
                        "a foreign Origin",
                        ALL + "Origin: https://evil.example\r\n" + END,
                        403,
                        CloseReason.FOREIGN_ORIGIN),
                row("Origin null", ALL + "Origin: null\r\n" + END, 403, CloseReason.FOREIGN_ORIGIN),
                row("two Origins", ALL + "Origin: https://app.example\r\nOrigin: https://app.example\r\n" + END, 400));
    }

    static Stream<Arguments> offerFaults() {
        return Stream.of(
                row("a subprotocol twice", ALL + "Sec-WebSocket-Protocol: a, a\r\n" + END, 400),
                row(
                        "another version of our subprotocol",
                        ALL + "Sec-WebSocket-Protocol: heartwheel.v2\r\n" + END,
                        400,
                        CloseReason.BAD_VERSION),
                row(
                        "foreign subprotocols",
                        ALL + "Sec-WebSocket-Protocol: mqtt, x\r\n" + END,
                        400,
                        CloseReason.BAD_VERSION),
                row(
                        "a token without the subprotocol it is for",
                        ALL + "Sec-WebSocket-Protocol: heartwheel.bearer.secret\r\n" + END,
                        400,
                        CloseReason.BAD_VERSION),
                row(
                        "two tokens as subprotocols",
                        ALL
                                + "Sec-WebSocket-Protocol: heartwheel.plain, heartwheel.bearer.a, heartwheel.bearer.b\r\n"
                                + END,
                        400,
                        CloseReason.BAD_HTTP),
                row(
                        "a token as a subprotocol and one in a header",
                        ALL
                                + "Authorization: Bearer secret\r\n"
                                + "Sec-WebSocket-Protocol: heartwheel.plain, heartwheel.bearer.secret\r\n"
                                + END,
                        400,
                        CloseReason.BAD_HTTP),
                row(
                        "another version beside a foreign one",
                        ALL + "Sec-WebSocket-Protocol: mqtt, Heartwheel.v1\r\n" + END,
                        400,
                        CloseReason.BAD_VERSION),
                row("a malformed extension", ALL + "Sec-WebSocket-Extensions: a; =1\r\n" + END, 400),
                row("an unclosed quote", ALL + "Sec-WebSocket-Extensions: a; b=\"1\r\n" + END, 400));
    }

    static Stream<Arguments> targetFaults() {
        return Stream.of(
                row("a fragment in the target", target("/ws/dev-1#x"), 400),
                row("a target without a path", target("ws.example"), 400),
                row("an asterisk", target("*"), 400),
                row("a long request line", target("/ws/" + "a".repeat(2000)), 414),
                row("long headers", ALL + "X: " + "a".repeat(2000) + "\r\n" + END, 431),
                row("line and headers too long together", target("/ws/dev-1?" + "a".repeat(900)), 431),
                row("a header without a colon", ALL + "nonsense\r\n" + END, 400),
                row("a blank before the colon", ALL + "X : 1\r\n" + END, 400),
                row("a control character in a header", ALL + "X: a\0b\r\n" + END, 400),
                row("garbage", "\u0001\u0002\u0003\r\n\r\n", 400),
                row("two device ids", target("/ws/dev-1?device=dev-2"), 400),
                row("a parameter twice", target("/ws?device=a&device=b"), 400),
                row("broken percent-encoding", target("/ws/a%2"), 400),
                row("percent-encoding that is not hexadecimal", target("/ws/a%zz"), 400),
                row("heartbeat_ms that is no number", target("/ws/dev-1?heartbeat_ms=1s"), 400),
                row("heartbeat_ms beyond 32 bits", target("/ws/dev-1?heartbeat_ms=4294967296"), 400),
                row(
                        "two tokens",
                        target("/ws/dev-1?token=secret").replace(END + END, END) + "Authorization: Bearer secret\r\n"
                                + END,
                        400),
                row("two Authorizations", ALL + "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n" + END, 400),
                row("no device id", target("/ws"), 400, CloseReason.BAD_IDENTITY),
                row("an empty device id in the path", target("/ws/"), 400, CloseReason.BAD_IDENTITY),
                row("an empty device id in the query", target("/ws?device="), 400, CloseReason.BAD_IDENTITY),
                row("a device id of 129 bytes", target("/ws/" + "a".repeat(129)), 400, CloseReason.BAD_IDENTITY),
                row("a device id with a control character", target("/ws/a%0a"), 400, CloseReason.BAD_IDENTITY),
                row("a device id that is not UTF-8", target("/ws/%ff"), 400, CloseReason.BAD_UTF8),
                row("a wrong token", target("/ws/dev-1?token=wrong"), 401, CloseReason.UNAUTHORIZED),
                row("no token", target("/ws/dev-1"), 401, CloseReason.UNAUTHORIZED),
                row(
                        "a token of another scheme",
                        ALL + "Authorization: Basic secret\r\n" + END,
                        401,
                        CloseReason.UNAUTHORIZED));
    }

    private static Arguments row(String name, String request, int status) {
        return row(name, request, status, status == 401 ? CloseReason.UNAUTHORIZED : CloseReason.BAD_HTTP);
    }

    private static Arguments row(String name, String request, int status, CloseReason reason) {
        return Arguments.of(name, request, status, reason);
    }

    private static String target(String target) {
        return ALL.replace("/ws/dev-1", target) + END;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"headFaults", "offerFaults", "targetFaults"})
    void request_withOneFault_isRefusedOnce(String name, String request, int status, CloseReason reason) {
        for (int piece : new int[] {request.length(), 7, 1}) {
            WebSocketBench bench = knowingTheToken();
            EmbeddedChannel channel = bench.accept(STRICT);
            WebSocketFrameDecoderTest.deliver(channel, request.getBytes(StandardCharsets.ISO_8859_1), piece);
            assertRefused(WebSocketBench.text(channel), status);
            assertEquals(reason, bench.reason());
            assertFalse(bench.closed().established());
            assertEquals("handshake", bench.closed().protocol());
            assertEquals(List.of(), bench.gateway.events);
            channel.finishAndReleaseAll();
            assertEquals(1, bench.gateway.closed.size());
        }
    }

    private static WebSocketBench knowingTheToken() {
        SharedToken secret = new SharedToken("secret".getBytes(StandardCharsets.US_ASCII));
        return new WebSocketBench(LivenessSettings.defaults(), new AuthPolicy(secret, cause -> false, 0), null);
    }

    private static void assertRefused(String answer, int status) {
        assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
        String[] parts = answer.split("\r\n\r\n", 2);
        assertTrue(parts[0].matches("(?s).*\r\nConnection: ([A-Za-z]+, )?close(\r\n.*)?"), answer);
        assertTrue(parts[0].contains("\r\nContent-Type: text/plain"), answer);
        assertTrue(parts[0].contains("\r\nContent-Length: " + parts[1].length() + "\r\n"), answer);
        assertEquals(status == 426, parts[0].contains("\r\nSec-WebSocket-Version: 13"), answer);
    }

    static Stream<Arguments> accepted() {
        String rest = ALL + "Authorization: Bearer secret\r\n";
        return Stream.of(
                Arguments.of("plain", rest + END),
                Arguments.of(
                        "small letters",
                        rest.replace("Upgrade: websocket", "upgrade: WebSocket")
                                        .replace("keep-alive, Upgrade", "upgrade")
                                + END),
                Arguments.of(
                        "Connection in two headers",
                        rest.replace("Connection: keep-alive, Upgrade", "Connection: keep-alive\r\nConnection: Upgrade")
                                + END),
                Arguments.of("an accepted Origin", rest + "Origin: https://app.example\r\n" + END),
                Arguments.of("Content-Length 0", rest + "Content-Length: 0\r\n" + END),
                Arguments.of("Host without a port", rest.replace(":7080", "") + END),
                Arguments.of("Host in capitals", rest.replace("gateway.example", "Gateway.Example") + END),
                Arguments.of("Host with an address", rest.replace("gateway.example:7080", "[::1]:7080") + END),
                Arguments.of(
                        "an absolute target",
                        rest.replace("/ws/dev-1", "http://gateway.example/ws/dev-1")
                                        .replace("Host: gateway.example:7080", "Host: other")
                                + END),
                Arguments.of(
                        "an extension we do not speak",
                        rest + "Sec-WebSocket-Extensions: permessage-deflate\r\n" + END),
                Arguments.of("an empty list of subprotocols", rest + "Sec-WebSocket-Protocol: \r\n" + END),
                Arguments.of(
                        "lists of nothing",
                        rest
                                + "Sec-WebSocket-Protocol: ,\r\nSec-WebSocket-Protocol:\r\nSec-WebSocket-Extensions: , ,\r\n"
                                + "Sec-WebSocket-Extensions:\r\n" + END),
                Arguments.of(
                        "empty elements among others",
                        rest.replace("keep-alive, Upgrade", ",keep-alive,, Upgrade,")
                                        .replace("Upgrade: websocket", "Upgrade: , websocket")
                                + "Sec-WebSocket-Extensions: ,a;b=1,,c;d,\r\n" + END),
                Arguments.of("the token in the query", target("/ws/dev-1?token=secre%74&unknown=1&heartbeat_ms=30000")),
                Arguments.of("the id in the query", target("/ws?token=secret&device=dev%2D1")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accepted")
    void request_withoutFault_isUpgradedToPlain(String name, String request) {
        for (int piece : new int[] {request.length(), 7, 1}) {
            WebSocketBench bench = knowingTheToken();
            EmbeddedChannel channel = bench.accept(STRICT);
            WebSocketFrameDecoderTest.deliver(channel, request.getBytes(StandardCharsets.ISO_8859_1), piece);
            assertEquals(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                    WebSocketBench.text(channel));
            assertEquals("plain", WebSocketBench.connection(channel).protocolName());
            assertEquals("dev-1", WebSocketBench.connection(channel).deviceId());
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void request_namingHeartwheel_isAnsweredWithIt() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(
                WebSocketBench.request("/ws", "Sec-WebSocket-Protocol: mqtt", "Sec-WebSocket-Protocol: heartwheel.v1"));
        assertTrue(WebSocketBench.text(channel).contains("\r\nSec-WebSocket-Protocol: heartwheel.v1\r\n"));
        assertEquals("heartwheel.v1", WebSocketBench.connection(channel).protocolName());
        channel.finishAndReleaseAll();
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "heartwheel.v2, heartwheel.v1, heartwheel.v3",
                "a,,heartwheel.v1",
                ",heartwheel.v1,",
                "\r\nSec-WebSocket-Protocol: heartwheel.v1\r\nSec-WebSocket-Protocol: , a"
            })
    void request_namingOursAmongOthersAndNothing_isAnsweredWithOurs(String offered) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws", "Sec-WebSocket-Protocol: " + offered));
        assertTrue(WebSocketBench.text(channel).contains("\r\nSec-WebSocket-Protocol: heartwheel.v1\r\n"));
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"heartwheel.plain, heartwheel.bearer.secret", "x, heartwheel.bearer.secret, heartwheel.plain"})
    void request_withATokenAsSubprotocol_isAdmittedAndAnsweredByTheOther(String offered) {
        WebSocketBench bench = new WebSocketBench(
                LivenessSettings.defaults(),
                new AuthPolicy(new SharedToken("secret".getBytes(StandardCharsets.US_ASCII)), cause -> false, 0),
                null);
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws/dev-1", "Sec-WebSocket-Protocol: " + offered));
        String answer = WebSocketBench.text(channel);
        assertTrue(answer.startsWith("HTTP/1.1 101 "), answer);
        assertTrue(answer.contains("\r\nSec-WebSocket-Protocol: heartwheel.plain\r\n"), answer);
        assertFalse(answer.contains("secret"), answer);
        channel.finishAndReleaseAll();
    }

    /** Who a device of {@code heartwheel.v1} is stands in its HELLO alone. */
    @Test
    void request_namingHeartwheel_takesOneSegmentAndAnyQuery() {
        for (String target : new String[] {"/ws", "/ws/", "/ws/somebody%0a", "/ws?device=other&token=wrong&device=x"}) {
            WebSocketBench bench = new WebSocketBench();
            EmbeddedChannel channel = bench.upgraded(WebSocketBench.PLAIN, target, WebSocketBench.FRAMES);
            channel.writeInbound(ClientFrame.binary(WebSocketBench.HELLO).bytes());
            assertEquals("dev-1", WebSocketBench.connection(channel).deviceId());
            channel.finishAndReleaseAll();
        }
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws/a/b", WebSocketBench.FRAMES));
        assertRefused(WebSocketBench.text(channel), 404);
        channel.finishAndReleaseAll();
    }

    /** Of two faults the one that the protocol document lists first decides. */
    @ParameterizedTest
    @MethodSource("twoFaults")
    void request_withTwoFaults_isRefusedForTheFirst(String request, int status, CloseReason reason) {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(STRICT);
        channel.writeInbound(WebSocketBench.bytes(request));
        assertRefused(WebSocketBench.text(channel), status);
        assertEquals(reason, bench.reason());
        channel.finishAndReleaseAll();
    }

    static Stream<Arguments> twoFaults() {
        String post = ALL.replace("GET", "POST");
        String evil = ALL.replace("gateway.example:7080", "evil.example");
        String badKey = ALL.replace("dGhlIHNhbXBsZSBub25jZQ==", "x");
        String foreign = "Origin: https://evil.example\r\n";
        String badExtension = "Sec-WebSocket-Extensions: a; =1\r\n";
        String badProtocol = "Sec-WebSocket-Protocol: heartwheel.v2\r\n";
        return Stream.of(
                Arguments.of(post.replace("/ws/dev-1", "/other#x") + END, 400, CloseReason.BAD_HTTP),
                Arguments.of(post.replace("/ws/dev-1", "/other") + END, 404, CloseReason.BAD_HTTP),
                Arguments.of(post.replace("gateway.example:7080", "evil.example") + END, 426, CloseReason.BAD_HTTP),
                Arguments.of(evil.replace("dGhlIHNhbXBsZSBub25jZQ==", "x") + END, 403, CloseReason.BAD_HTTP),
                Arguments.of(badKey + foreign + END, 400, CloseReason.BAD_HTTP),
                Arguments.of(ALL + "Content-Length: 1\r\n" + foreign + END, 400, CloseReason.BAD_HTTP),
                Arguments.of(ALL + foreign + badExtension + END, 403, CloseReason.FOREIGN_ORIGIN),
                Arguments.of(ALL + badExtension + badProtocol + END, 400, CloseReason.BAD_HTTP),
                Arguments.of(ALL.replace("/ws/dev-1", "/ws/%0a") + badProtocol + END, 400, CloseReason.BAD_VERSION),
                Arguments.of(target("/ws/%0a?token=%zz&heartbeat_ms=x"), 400, CloseReason.BAD_IDENTITY),
                Arguments.of(target("/ws/%ff?token=wrong"), 400, CloseReason.BAD_UTF8));
    }

    @Test
    void request_followedByAnother_isRefused() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(
                Unpooled.wrappedBuffer(WebSocketBench.request("/ws/dev-1"), WebSocketBench.request("/ws/dev-1")));
        assertRefused(WebSocketBench.text(channel), 400);
        assertEquals(CloseReason.BAD_HTTP, bench.reason());
        channel.finishAndReleaseAll();
    }

    @Test
    void request_withALongToken_isRefused() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.request("/ws/dev-1?token=" + "a".repeat(4_097)));
        assertRefused(WebSocketBench.text(channel), 400);
        channel.finishAndReleaseAll();
    }

    @Test
    void request_cutOff_isAPeerThatLeft() {
        WebSocketBench bench = new WebSocketBench();
        EmbeddedChannel channel = bench.accept(WebSocketBench.PLAIN);
        channel.writeInbound(WebSocketBench.bytes(LINE + HOST));
        channel.finishAndReleaseAll();
        assertEquals(CloseReason.PEER_CLOSED, bench.reason());
    }
}
