package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.process.GatewayProcess.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests of an operator to a gateway; the figures are those of what happened on the sockets. */
@Execution(ExecutionMode.CONCURRENT)
class AdminIT {
    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = GatewayProcess.with("heartbeat.interval", "60s", "transport.write-watermark.low", "8KiB")
                .set("transport.write-watermark.high", "16KiB", "protocol.max-payload", "32KiB")
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    @Test
    void push_toADevice_isSentAsItsProtocolHasIt() throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "müller/7");
                WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/plain")) {
            Answer answer = push("m%C3%BCller%2F7", "?id=18446744073709551615", "text/plain", "hé");
            assertEquals(202, answer.status(), answer::toString);
            assertEquals("sent", answer.json().get("outcome").asText());
            WireFrame data = device.expect(WireFrame.DATA);
            assertEquals(-1, data.id());
            assertEquals("hé", data.text());
            assertEquals(WireFrame.TEXT, data.flags());

            assertEquals(
                    202, push("plain", "", "application/octet-stream", "bytes").status());
            WebSocketWire.Frame message = plain.expect(WebSocketWire.BINARY);
            assertArrayEquals("bytes".getBytes(StandardCharsets.US_ASCII), message.payload());
            assertEquals(202, push("plain", "", "application/json", "{}").status());
            assertEquals("{}", plain.expect(WebSocketWire.TEXT).text());
        }
    }

    @Test
    void push_toADeviceThatDoesNotRead_becomesBusyAndThenGoesOn() throws Exception {
        try (WireClient slow = WireClient.narrow(gateway.tcp(), 4_096)) {
            slow.sayHello("slow");
            String large = "x".repeat(32_000);
            int sent = 0;
            Answer answer = push("slow", "", "text/plain", large);
            while (answer.status() == 202 && sent < 2_000) {
                sent++;
                answer = push("slow", "", "text/plain", large);
            }
            assertEquals(503, answer.status(), answer::toString);
            assertEquals("busy", answer.json().get("outcome").asText());
            for (int i = 0; i < sent; i++) {
                assertEquals(32_000, slow.next(WireFrame.DATA).message().length);
            }
            Await.until("room again", () -> push("slow", "", "text/plain", "y").status() == 202);
            assertEquals("y", slow.next(WireFrame.DATA).text());
        }
    }

    @Test
    void push_thatIsToBeAcknowledged_isToldWhenItIs() throws Exception {
        try (WireClient first = WireClient.hello(gateway.tcp(), "acks");
                WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/pongs")) {
            FutureTask<Answer> acknowledged =
                    Background.run(() -> push("acks", "?ack=device&timeout=1m", "text/plain", "open"));
            WireFrame data = first.expect(WireFrame.DATA);
            assertEquals(WireFrame.TEXT | WireFrame.WANTS_ACK, data.flags());
            first.reset();
            try (WireClient second = WireClient.hello(gateway.tcp(), "acks")) {
                assertEquals(data.id(), second.expect(WireFrame.DATA).id());
                byte[] ack = Arrays.copyOf(data.payload(), 9); // the id, and status 0
                ack[8] = 0;
                second.send(WireFrame.ACK, ack);
                assertEquals(200, acknowledged.get().status());
                assertEquals(
                        "acknowledged", acknowledged.get().json().get("outcome").asText());
            }
            FutureTask<Answer> received =
                    Background.run(() -> push("pongs", "?ack=received&timeout=1m", "text/plain", "hello"));
            assertEquals("hello", plain.expect(WebSocketWire.TEXT).text());
            plain.send(WebSocketWire.PONG, plain.expect(WebSocketWire.PING).payload());
            assertEquals(200, received.get().status());
            assertEquals(
                    "expired",
                    push("pongs", "?ack=received&timeout=1ms", "text/plain", "hello")
                            .json()
                            .get("outcome")
                            .asText());
            assertEquals(0, gateway.metrics().sum("heartwheel_push_waiting"));
        }
    }

    @Test
    void delete_aDevice_closesItAsTheOperatorSays() throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "unwanted");
                WebSocketWire plain = WebSocketWire.plain(gateway.webSocket(), "/ws/unwanted-too")) {
            assertEquals(204, gateway.status("DELETE", "/v1/devices/unwanted?reason=firmware%20recall"));
            assertEquals("firmware recall", device.expectClose(4007));
            assertEquals(204, gateway.status("DELETE", "/v1/devices/unwanted-too"));
            plain.expectClose(4007);
            assertEquals(404, gateway.status("GET", "/v1/devices/unwanted"));
        }
    }

    /** Connections that end in every way a peer can make them; every one of them is in the sums once. */
    @Test
    void closes_ofEveryKind_areCountedOnce() throws Exception {
        try (GatewayProcess counting = GatewayProcess.with("heartbeat.interval", "20s", "heartbeat.grace", "1.5")
                .set("handshake.timeout", "5s", "read-progress.timeout", "1s", "transport.max-connections", "100")
                .start()) {
            List<AutoCloseable> open = new ArrayList<>();
            Map<String, Integer> wanted = Ending.each(counting, 7, open);
            int all = wanted.values().stream().mapToInt(Integer::intValue).sum();
            Await.until("all closed", () -> counting.metrics().sum("heartwheel_closes_total") >= all);
            for (AutoCloseable each : open) {
                each.close();
            }
            MetricsPage page = counting.metrics();
            wanted.forEach((reason, count) -> assertEquals(count.doubleValue(), page.closes(reason), reason));
            assertEquals(all, page.sum("heartwheel_closes_total"));
            assertEquals(all, page.sum("heartwheel_accepts_total"));
            double established =
                    page.sum("heartwheel_closes_total") - page.sum("heartwheel_closes_total", "protocol=\"handshake\"");
            assertEquals(page.sum("heartwheel_opens_total"), established);
            assertEquals(0, page.connections());
        }
    }

    private static Answer push(String device, String query, String type, String body) throws Exception {
        return gateway.admin(
                "POST", "/v1/devices/" + device + "/messages" + query, type, body.getBytes(StandardCharsets.UTF_8));
    }
}
