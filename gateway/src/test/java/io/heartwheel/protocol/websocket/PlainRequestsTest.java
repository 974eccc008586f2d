package io.heartwheel.protocol.websocket;

import static io.heartwheel.protocol.websocket.PlainRequests.Outcome.NOT_READY;
import static io.heartwheel.protocol.websocket.PlainRequests.Outcome.OTHER;
import static io.heartwheel.protocol.websocket.PlainRequests.Outcome.READY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that ask for no WebSocket: what they are answered, and what is left of them. */
class PlainRequestsTest {
    private final WebSocketBench bench = new WebSocketBench();

    private String ask(String request) {
        return ask("/healthz", request);
    }

    private String ask(@Nullable String health, String request) {
        EmbeddedChannel channel = bench.accept(
                new WebSocketSettings("/ws", health, List.of("gateway.example"), List.of(), 1 << 10, false, null));
        channel.writeInbound(WebSocketBench.bytes(request.replace("|", "\r\n") + "\r\n\r\n"));
        String answer = WebSocketBench.text(channel);
        assertTrue(answer.contains("\r\nConnection: "), answer);
        channel.finishAndReleaseAll();
        return answer;
    }

    private long count(PlainRequests.Outcome outcome) {
        return bench.plainRequests.counts().count(outcome);
    }

    private Evidence latest() {
        return bench.gateway.evidence.get(bench.gateway.evidence.size() - 1);
    }

    @ParameterizedTest
    @CsvSource({
        "GET /healthz HTTP/1.1|Host: 10.0.0.7",
        "GET /healthz HTTP/1.1|Host: 10.0.0.7:7080|User-Agent: ELB-HealthChecker/2.0|Accept-Encoding: gzip",
        "GET /healthz?verbose HTTP/1.1|Host: other|Connection: keep-alive",
        "GET /healthz HTTP/1.0",
        "GET http://gateway.example/healthz HTTP/1.1|Host: x"
    })
    void healthCheck_isAnsweredByReadiness_andOnlyCounted(String request) {
        for (boolean ready : new boolean[] {true, false}) {
            bench.plainRequests.answerBy(() -> ready);
            String answer = ask(request);
            assertTrue(answer.startsWith(ready ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 503 "), answer);
            assertTrue(answer.endsWith(ready ? "\r\n\r\nready\n" : "\r\n\r\nnot ready\n"), answer);
            String head = ask(request.replace("GET", "HEAD"));
            assertEquals(
                    answer.substring(0, answer.indexOf("\r\n\r\n") + 4).replaceAll("Retry-After: .*", ""),
                    head.replaceAll("Retry-After: .*", ""));
            assertFalse(latest().refused(), "no event, no line, no entry");
        }
        assertEquals(2, count(READY));
        assertEquals(2, count(NOT_READY));
        assertEquals(0, count(OTHER));
        assertEquals(List.of(), bench.gateway.events);
    }

    @Test
    void healthCheck_beforeAnybodyAnswers_is503() {
        assertTrue(ask("GET /healthz HTTP/1.1").startsWith("HTTP/1.1 503 "));
    }

    @Test
    void healthCheck_onAPathOfItsOwn_isAnsweredThere() {
        bench.plainRequests.answerBy(() -> true);
        assertTrue(ask("/", "GET / HTTP/1.0").startsWith("HTTP/1.1 200 "));
        assertTrue(ask("/ws", "GET /ws HTTP/1.1").startsWith("HTTP/1.1 200 "));
        assertTrue(ask(null, "GET /healthz HTTP/1.1").startsWith("HTTP/1.1 404 "));
        assertEquals(2, count(READY));
    }

    @Test
    void healthCheck_withAnotherMethodOrAskingForMore_isNone() {
        bench.plainRequests.answerBy(() -> true);
        assertTrue(ask("POST /healthz HTTP/1.1").startsWith("HTTP/1.1 404 "));
        assertTrue(ask("GET /healthz HTTP/1.1|Host: gateway.example|Connection: Upgrade|Upgrade: websocket"
                        + "|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                .startsWith("HTTP/1.1 404 "));
        assertEquals(CloseReason.BAD_HTTP, latest().reason(), "a device that went astray is told of");
        assertEquals(0, count(READY));
        assertEquals(1, count(OTHER));
    }

    @Test
    void otherRequests_areRefusedLikeADeviceOnceAMinute() {
        for (int minute = 0; minute < 3; minute++) {
            int before = bench.gateway.evidence.size();
            for (String request :
                    List.of("GET / HTTP/1.1", "GET /ws/d HTTP/1.1", "OPTIONS / HTTP/1.0", "HEAD /x HTTP/1.1")) {
                String answer = ask(request);
                assertTrue(answer.startsWith("HTTP/1.1 4"), answer);
                assertTrue(answer.endsWith("\r\n\r\n") == request.startsWith("HEAD"), answer);
            }
            List<Evidence> these = bench.gateway.evidence.subList(before, bench.gateway.evidence.size());
            assertEquals(1, these.stream().filter(Evidence::refused).count());
            assertEquals(
                    "nothing is here" + (minute == 0 ? "" : "; and 3 other HTTP requests since the last that was told"),
                    these.get(0).cause());
            bench.gateway.pass(Duration.ofMinutes(1));
        }
        assertEquals(12, count(OTHER));
        assertEquals(12, bench.gateway.closed.size(), "each is a close");
    }
}
