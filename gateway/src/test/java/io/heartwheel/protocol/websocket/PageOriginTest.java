package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.OutcomeCounts;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Web pages that may open a WebSocket, by whole requests. */
class PageOriginTest {
    private static final String BROWSER =
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    private final WebSocketBench bench = new WebSocketBench();

    private EmbeddedChannel ask(List<String> origins, String host, String... headers) {
        return ask(WebSocketBench.PLAIN.path(), origins, null, host, headers);
    }

    private EmbeddedChannel ask(
            String path, List<String> origins, ForwardedSettings forwarded, String host, String... headers) {
        EmbeddedChannel channel =
                bench.accept(new WebSocketSettings(path, "/healthz", List.of(), origins, 8 << 10, false, forwarded));
        ClientAddress.tell(channel, IpAddress.parse("10.0.0.1"), 4_000);
        StringBuilder text = new StringBuilder("GET " + path + "/dev-1 HTTP/1.1\r\nHost: " + host + "\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        channel.writeInbound(WebSocketBench.bytes(text.append("\r\n").toString()));
        return channel;
    }

    private static int status(EmbeddedChannel channel) {
        String answer = WebSocketBench.text(channel);
        channel.finishAndReleaseAll();
        return Integer.parseInt(answer.substring(9, 12));
    }

    @Test
    void request_withoutOrigin_passes() {
        assertEquals(101, status(ask(List.of(), "gateway.example")));
        assertEquals(101, status(ask(List.of("https://app.example"), "gateway.example")));
    }

    @ParameterizedTest
    @CsvSource({
        "https://gateway.example, gateway.example",
        "http://gateway.example, gateway.example",
        "HTTPS://Gateway.Example, gateway.EXAMPLE",
        "https://gateway.example, gateway.example:443",
        "https://gateway.example:443, gateway.example",
        "http://gateway.example:80, gateway.example",
        "http://gateway.example, gateway.example:80",
        "http://gateway.example, gateway.example:",
        "http://gateway.example:7080, gateway.example:7080",
        "https://gateway.example:7080, gateway.example:7080",
        "http://[::1]:7080, [::1]:7080",
        "http://127.0.0.1:7080, 127.0.0.1:7080"
    })
    void request_ofAPageOfTheSameHost_passes(String origin, String host) {
        assertEquals(101, status(ask(List.of(), host, "Origin: " + origin)));
    }

    @ParameterizedTest
    @CsvSource({
        "https://evil.example, gateway.example",
        "https://gateway.example.evil.example, gateway.example",
        "https://evilgateway.example, gateway.example",
        "https://gateway.example:8443, gateway.example",
        "https://gateway.example, gateway.example:80",
        "http://gateway.example, gateway.example:443",
        "http://gateway.example, gateway.example:7080",
        "http://gateway.example:7081, gateway.example:7080",
        "null, gateway.example",
        "null, null",
        "file://, gateway.example",
        "file:///, gateway.example",
        "file:///sdcard/index.html, gateway.example",
        "http://, gateway.example",
        "https://evil.example https://gateway.example, gateway.example",
        "https://gateway.example https://evil.example, gateway.example",
        "null https://gateway.example, gateway.example",
        "moz-extension://5b1ee5e5, gateway.example",
        "capacitor://localhost, localhost:7080",
        "https://gateway.example@evil.example, gateway.example",
        "chrome-extension://gateway.example, gateway.example",
        "http://[::1]:7080, [::2]:7080"
    })
    void request_ofAnotherPage_isRefusedAndNamed(String origin, String host) {
        EmbeddedChannel channel = ask(List.of(), host, "Origin: " + origin, BROWSER);

        String told = "Origin \"" + origin + "\": need one listed in websocket.origins, or a page of " + host;
        String answer = WebSocketBench.text(channel);
        assertTrue(answer.startsWith("HTTP/1.1 403 "), answer);
        assertTrue(answer.endsWith("\r\n\r\n" + told + "\n"), answer);
        assertEquals(CloseReason.FOREIGN_ORIGIN, bench.reason());
        assertFalse(bench.closed().established());
        assertEquals(told, bench.gateway.evidence.get(0).cause());
        assertEquals("dev-1", bench.gateway.evidence.get(0).claimedDevice(), "so that its own \"why\" tells of it");
        assertEquals(List.of(), bench.gateway.events);
        channel.finishAndReleaseAll();
    }

    /** What no browser can send is no page's: libraries of devices do so. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ws://gateway.example",
                "wss://192.0.2.7:7080/ws",
                "WS://other",
                "gateway.example",
                "gateway.example:7080",
                "localhost:7080",
                "192.0.2.7",
                "https://github.com/someone/a-library",
                "https://gateway.example/",
                "http://localhost/",
                "http://other?x",
                "//other",
                "*",
                "arduino",
                ""
            })
    void request_withWhatNoBrowserSends_passes(String origin) {
        for (List<String> listed : List.of(List.<String>of(), List.of("https://app.example"))) {
            assertEquals(101, status(ask(listed, "gateway.example:7080", "Origin: " + origin)));
        }
    }

    @Test
    void request_withTheRightHostAndNoPort_passesUnlessABrowserSendsIt() {
        for (String origin : new String[] {"http://192.0.2.7", "https://192.0.2.7", "HTTP://192.0.2.7"}) {
            String line = "Origin: " + origin;
            assertEquals(101, status(ask(List.of(), "192.0.2.7:7080", line)));
            assertEquals(101, status(ask(List.of(), "192.0.2.7:7080", line, "User-Agent: esp-client/1.2")));
            assertEquals(403, status(ask(List.of(), "192.0.2.7:7080", line, BROWSER)), "a page of port 80 or 443");
            assertEquals(403, status(ask(List.of("https://app.example"), "192.0.2.7:7080", line)), "others are listed");
            assertEquals(403, status(ask(List.of(), "192.0.2.8:7080", line)));
        }
    }

    @Test
    void request_withALongOrHarmfulOrigin_isNamedInPart() {
        EmbeddedChannel channel = ask(List.of("null"), "gateway.example", "Origin: http://\u0085" + "x".repeat(4_000));
        String answer = WebSocketBench.text(channel);
        assertTrue(
                answer.endsWith(
                        "\nOrigin \"http://?" + "x".repeat(56) + "...\": need one listed in websocket.origins\n"),
                answer);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://evil.example", "null", "chrome-extension://abc", "http://gateway.example:1"})
    void request_ofAnyPageWhereAllAreTaken_passes(String origin) {
        assertEquals(101, status(ask(List.of("*"), "gateway.example", "Origin: " + origin)));
    }

    @Test
    void request_whereOriginsAreListed_needsOneOfThem() {
        List<String> listed =
                List.of("https://app.example:443", "HTTP://intranet:8080", "null", "file://", "capacitor://localhost");
        for (String good : new String[] {
            "https://app.example",
            "https://APP.example:443",
            "http://intranet:8080",
            "null",
            "file://",
            "FILE:///x",
            "capacitor://localhost"
        }) {
            assertEquals(101, status(ask(listed, "gateway.example", "Origin: " + good)), good);
        }
        for (String bad : new String[] {
            "http://app.example", "https://app.example:8443", "http://intranet", "https://gateway.example"
        }) {
            assertEquals(403, status(ask(listed, "gateway.example", "Origin: " + bad)), bad);
        }
        assertTrue(bench.gateway.closed.stream()
                .filter(closed -> closed.reason() != CloseReason.PEER_CLOSED)
                .allMatch(closed -> closed.reason() == CloseReason.FOREIGN_ORIGIN));
    }

    @ParameterizedTest
    @CsvSource({
        "x-forwarded-for, 10.0.0.0/8, X-Forwarded-Host: app.example, 101",
        "x-forwarded-for, 10.0.0.0/8, X-Forwarded-Host: app.example:443, 101",
        "x-forwarded-for, 10.0.0.0/8, 'X-Forwarded-Host: app.example, inner:8080', 101",
        "x-forwarded-for, 10.0.0.0/8, X-Forwarded-Host: other.example, 403",
        "x-forwarded-for, 10.0.0.0/8, X-Forwarded-Host: app.example:80, 403",
        "x-forwarded-for, 10.0.0.0/8, 'Forwarded: for=203.0.113.7;host=app.example', 403",
        "x-forwarded-for, 192.0.2.0/24, X-Forwarded-Host: app.example, 403",
        "forwarded, 10.0.0.0/8, 'Forwarded: for=203.0.113.7;host=app.example', 101",
        "forwarded, 10.0.0.0/8, 'Forwarded: for=203.0.113.7;host=\"app.example:443\";proto=https, for=10.0.0.2;host=x', 101",
        "forwarded, 10.0.0.0/8, 'Forwarded: for=198.51.100.1;host=app.example, for=203.0.113.7;host=gateway', 403",
        "forwarded, 10.0.0.0/8, 'Forwarded: for=203.0.113.7;host=\"a b\"', 403",
        "forwarded, 10.0.0.0/8, X-Forwarded-Host: app.example, 403",
        "forwarded, 192.0.2.0/24, Forwarded: for=203.0.113.7;host=app.example, 403"
    })
    void request_throughABalancer_isMeasuredByTheHostItWasAskedFor(
            String header, String trusted, String line, int status) {
        var settings = new ForwardedSettings(header, Networks.parse(List.of(trusted)));
        bench.forwarded =
                new Forwarded(settings, new OutcomeCounts<>(ForwardedOutcome.class), (channel, address) -> {});

        assertEquals(
                status,
                status(ask("/ws", List.of(), settings, "10.9.9.9:7080", "Origin: https://app.example", line, BROWSER)));
    }
}
