package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.metrics.GatewayMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The pipeline under a clock that the test moves: time limits of a caller, and the order of responses. */
class PipelineTest {
    private static final String GET = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n";

    private final List<CompletableFuture<Response>> later = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    PipelineTest() {
        channel.freezeTime();
        channel.config().setAutoRead(false);
        Response now = Response.json(200, Map.of("is", "now"));
        Routes routes = new Routes(List.of(
                Route.get("/now", "at once", call -> now.now()),
                Route.get("/later", "later", call -> later()),
                Route.post("/body", "the body", call -> echo(call).now())
                        .withBody(new Route.Body(List.of(), "any", null))));
        AdminSlots slots = new AdminSlots(new GatewayMetrics("0", "epoll").admin(), System::nanoTime);
        AdminServer.install(
                channel,
                new ConnectionClock(slots, channel),
                1_024,
                new Exchange.Served(routes, () -> AdminHosts.ANY, () -> AdminAccess.OPEN, status -> {}));
        channel.pipeline().fireChannelActive();
    }

    private CompletableFuture<Response> later() {
        CompletableFuture<Response> answer = new CompletableFuture<>();
        later.add(answer);
        return answer;
    }

    private void answer(int which, String text) {
        later.get(which).complete(Response.of("text/plain", text.getBytes(StandardCharsets.US_ASCII)));
        channel.runPendingTasks();
    }

    private static Response echo(Request call) {
        return Response.of("text/plain", call.body());
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    private void send(String bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
        channel.runPendingTasks();
    }

    private void pass(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    /** All that was sent since the last look. */
    private String sent() {
        StringBuilder text = new StringBuilder();
        for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
            text.append(bytes.toString(StandardCharsets.ISO_8859_1));
            bytes.release();
        }
        return text.toString();
    }

    // ------------------------------------------------------------------ time

    @Test
    void connect_thenNothing_isClosedUnanswered() {
        pass(9_999);
        assertTrue(channel.isOpen());
        pass(1);
        assertFalse(channel.isOpen());
        assertEquals("", sent());
    }

    @Test
    void request_drippingIn_isLateHoweverManyBytesCome() {
        for (int i = 0; i < 9; i++) {
            send(GET.substring(i, i + 1));
            pass(1_000);
        }
        send("x");
        assertEquals("", sent());
        pass(1_000);
        String answer = sent();
        assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
        assertTrue(answer.contains("connection: close"), answer);
        assertTrue(answer.contains("\"code\":\"request_timeout\""), answer);
        send("more");
        pass(999);
        assertTrue(channel.isOpen());
        pass(1);
        assertFalse(channel.isOpen());
    }

    @Test
    void keepAlive_idle_isClosedUnansweredAfterLong() {
        send(GET);
        assertTrue(sent().startsWith("HTTP/1.1 200 "));
        pass(74_999);
        assertTrue(channel.isOpen());
        pass(1);
        assertFalse(channel.isOpen());
        assertEquals("", sent());
    }

    @Test
    void keepAlive_nextRequestBegun_hasTheTimeOfARequest() {
        send(GET);
        sent();
        pass(60_000);
        send("GET /now");
        pass(9_999);
        assertEquals("", sent());
        pass(1);
        assertTrue(sent().startsWith("HTTP/1.1 408 "));
    }

    @Test
    void answer_takesForEver_connectionIsClosed() {
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
        pass(329_999); // the longest that a message may wait for its device, and half a minute
        assertTrue(channel.isOpen());
        pass(1);
        assertFalse(channel.isOpen());
        later.get(0).complete(Response.noContent());
        channel.runPendingTasks();
        assertEquals("", sent());
    }

    @Test
    void answer_comesLate_isTakenInHalfAMinute() {
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
        pass(200_000);
        later.get(0).complete(Response.noContent());
        channel.runPendingTasks();
        assertTrue(sent().startsWith("HTTP/1.1 204 "));
        assertTrue(channel.isOpen());
    }

    @Test
    void request_bodyNeverWhole_isLateThoughItsHeadHasCome() {
        send("POST /body HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nContent-Length: 9\r\n\r\nhalf");
        pass(10_000);
        assertTrue(sent().startsWith("HTTP/1.1 408 "));
    }

    // ------------------------------------------------------------------ pieces and order

    @Test
    void request_inPiecesOfAnySize_isServed() {
        String request = "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
        for (int size : List.of(1, 2, 3, request.length() - 5, request.length() - 1, request.length())) {
            for (int at = 0; at < request.length(); at += size) {
                send(request.substring(at, Math.min(request.length(), at + size)));
            }
            String answer = sent();
            assertTrue(answer.endsWith("\r\n\r\nhello"), () -> size + ": " + answer);
        }
    }

    @Test
    void requests_sentAhead_areAnsweredOneAfterTheOther() {
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2) + GET);
        assertEquals(1, later.size());
        answer(0, "first");
        assertTrue(sent().endsWith("first"));
        assertEquals(2, later.size());
        answer(1, "second");
        String rest = sent();
        assertTrue(rest.indexOf("second") < rest.indexOf("{\"is\":\"now\"}"), rest);
    }

    @Test
    void requests_sentAheadOfMany_areAllAnswered() {
        send(GET.repeat(130));
        assertEquals(130, count(sent(), "HTTP/1.1 200 OK"));
    }

    @Test
    void read_whileAnswering_isHeldBack() {
        int[] reads = new int[1];
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext ctx) {
                reads[0]++;
                ctx.read();
            }
        });
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\nPOST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
        assertEquals(0, reads[0]);
        later.get(0).complete(Response.noContent());
        channel.runPendingTasks();
        assertTrue(reads[0] > 0);
    }

    @Test
    void requests_behindTheLast_areNotServed() {
        send("GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + GET.repeat(3));
        String answer = sent();
        assertEquals(1, count(answer, "HTTP/1.1 200 OK"));
        assertTrue(answer.contains("connection: close"));
        pass(1_000);
        assertFalse(channel.isOpen());
    }

    @Test
    void requests_behindABrokenOne_areNotServed() {
        send(GET + "\u0000\u0001 garbage\r\n\r\n" + GET);
        String answer = sent();
        assertEquals(1, count(answer, "HTTP/1.1 200 OK"));
        assertEquals(1, count(answer, "HTTP/1.1 400 Bad Request"));
        assertTrue(answer.indexOf("200 OK") < answer.indexOf("400 Bad"), answer);
    }

    @Test
    void body_tooLargeBehindOneBeingAnswered_isRefusedInItsTurn() {
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n" + "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n"
                + "x".repeat(2_000));
        assertEquals("", sent());
        answer(0, "first");
        String answers = sent();
        assertTrue(answers.indexOf("first") < answers.indexOf("HTTP/1.1 413 "), answers);
        assertTrue(answers.contains("need at most 1024 bytes"), answers);
    }

    @Test
    void answer_failed_is500WithoutDetails() {
        send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
        later.get(0).completeExceptionally(new IllegalStateException("secret detail"));
        channel.runPendingTasks();
        String answer = sent();
        assertTrue(answer.startsWith("HTTP/1.1 500 "), answer);
        assertFalse(answer.contains("secret"), answer);
    }

    private static long count(String text, String part) {
        return IntStream.range(0, text.length())
                .filter(at -> text.startsWith(part, at))
                .count();
    }
}
