package io.heartwheel.admin;

import static io.heartwheel.admin.FleetRig.MOMENT;
import static io.heartwheel.admin.FleetRig.checked;
import static io.heartwheel.admin.FleetRig.header;
import static io.heartwheel.admin.FleetRig.json;
import static io.heartwheel.admin.FleetRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.event.CloseReason;
import io.heartwheel.session.FakeSession;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Requests at one gateway about a device that is connected to another. */
class ElsewhereTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final String KEY = "Idempotency-Key";

    @AutoClose
    private final FleetRig rig = new FleetRig();

    /** Who has answered; null: who was asked. */
    private static String node(Response answer) {
        return header(answer, Elsewhere.NODE_HEADER);
    }

    private static void assertAnswered(int status, String outcome, String node, Response answer) {
        assertEquals(status, answer.status(), () -> text(answer));
        assertEquals(outcome, json(answer).path("outcome").asText());
        assertEquals(node, node(answer));
    }

    private static void assertRefused(int status, String code, String words, Response answer) {
        assertEquals(status, answer.status(), () -> text(answer));
        assertEquals(code, json(answer).path("code").asText());
        String detail = json(answer).path("detail").asText();
        assertTrue(detail.contains(words), detail);
    }

    /** Requests carried to b are answered so, or never. */
    private void bAnswers(Function<CompletionStage<ApiAnswer>, CompletionStage<ApiAnswer>> as) {
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call -> {
            rig.b.served.add(call);
            return as.apply(api.answer(call));
        });
    }

    private void bAnswersNever() {
        bAnswers(known -> new CompletableFuture<>());
    }

    /** While it stood still others may have taken its devices for lost. */
    @Test
    void request_atAGatewayThatStoodStill_isRefusedUntilItIsSureOfItsDevices() {
        rig.a.connect("d");
        rig.memory.pass(20 * SECOND);
        assertRefused(503, "unknown", "stood still", rig.a.get("/v1/devices/d"));
        assertRefused(503, "unknown", "stood still", rig.a.push("", "reboot"));
        for (int i = 0; i < 50; i++) { // b is sure again before a is
            rig.memory.pass(SECOND / 10);
            rig.b.admin.part.turn();
        }
        assertRefused(503, "busy", "stood still", rig.memory.await(rig.b.begin("GET", "/v1/devices/d", "")));
        for (int i = 0; i < 50; i++) {
            rig.pass(SECOND / 10);
        }
        assertEquals(200, rig.a.get("/v1/devices/d").status());
        assertEquals(200, rig.b.get("/v1/devices/d").status());
    }

    /** Its row names this gateway already, and the one before is closed. */
    @Test
    void look_atADeviceThatIsJustLetIn_waitsForItsLoop() {
        Deque<Runnable> loop = new ArrayDeque<>();
        rig.b.admin.device("d", "heartwheel", loop::add);
        while (loop.size() < 1) {
            rig.pass(MOMENT);
        }
        CompletionStage<Response> here = rig.b.begin("GET", "/v1/devices/d", "");
        CompletionStage<Response> elsewhere = rig.a.begin("GET", "/v1/devices/d", "");
        turn(loop);
        assertEquals(200, rig.memory.await(here).status());
        assertEquals(200, rig.memory.await(elsewhere).status());
    }

    /** The kick of the gateway that it went to comes just before the request, to which it is here still. */
    @Test
    void push_toADeviceThatLeavesAtThatMoment_followsIt() {
        Deque<Runnable> loop = new ArrayDeque<>();
        rig.a.admin.device("d", "heartwheel", loop::add);
        turn(loop);
        rig.b.connect("d");
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/devices/d/messages", "x");
        turn(loop);
        assertAnswered(202, "sent", "b", rig.memory.await(answer));
    }

    private void turn(Deque<Runnable> loop) {
        for (int i = 0; i < 20; i++) {
            rig.pass(MOMENT);
            for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
                task.run();
            }
        }
    }

    // ------------------------------------------------------------------ messages

    @Test
    void push_sent_isWrittenThereAndAnsweredFromThere() {
        FakeSession device = rig.b.connect("d");
        Response answer = rig.a.push("?id=7", "reboot");
        assertAnswered(202, "sent", "b", answer);
        assertEquals(device.epoch(), json(answer).path("epoch").asLong());
        assertEquals(7, json(answer).path("id").asLong());
        assertEquals("reboot", new String(device.data.get(0).payload(), StandardCharsets.UTF_8));
        assertTrue(device.data.get(0).text(), "the content type came along");
        assertEquals(1, rig.a.count(What.CALL_ANSWERED));
        assertEquals(1, rig.b.count(What.SERVED_ANSWERED));
    }

    @Test
    void push_received_isAnsweredWhenThePongComes() {
        FakeSession device = rig.b.connect("d");
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/devices/d/messages?ack=received", "x");
        rig.pass(MOMENT);
        assertFalse(answer.toCompletableFuture().isDone());
        device.pong(device.pings.get(0).number());
        assertAnswered(200, "received", "b", rig.memory.await(answer));
    }

    @Test
    void push_device_isAnsweredWhenTheAckComes() {
        FakeSession device = rig.b.connect("d");
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/devices/d/messages?ack=device", "x");
        rig.pass(3 * SECOND);
        assertFalse(answer.toCompletableFuture().isDone());
        device.ack(device.data.get(0).messageId(), true);
        assertAnswered(200, "acknowledged", "b", rig.memory.await(answer));
    }

    @Test
    void push_reply_bringsTheDevicesAnswer() {
        FakeSession device = rig.b.connect("d");
        device.onData = data -> device.reply(data.messageId(), true, "21.5".getBytes(StandardCharsets.UTF_8));
        Response answer = rig.a.push("?reply=1", "celsius?");
        assertAnswered(200, "replied", "b", answer);
        assertEquals("{\"text\":\"21.5\"}", json(answer).path("reply").toString());
    }

    @Test
    void push_neverAcknowledged_isExpiredThere() {
        rig.b.connect("d");
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/devices/d/messages?ack=device&timeout=5m", "x");
        rig.pass(MOMENT);
        rig.b.admin.gateway.pass(Duration.ofMinutes(5).plusSeconds(1));
        rig.pass(300 * SECOND); // the asked gateway waits for longer than that
        assertAnswered(504, "expired", "b", rig.memory.await(answer));
    }

    @Test
    void push_store_isTheAffairOfTheGatewayThatHasTheDevice() {
        rig.b.connect("d");
        assertAnswered(202, "queued", "b", rig.a.push("?store=1", "x"));
    }

    @Test
    void push_deviceOfNoGateway_isOffline() {
        Response answer = rig.a.push("", "x");
        assertAnswered(404, "offline", null, answer);
        rig.b.connect("d").hangUp();
        rig.pass(MOMENT);
        assertAnswered(404, "offline", null, rig.a.push("", "x"));
        assertEquals(List.of(), rig.b.served, "its row says that nobody has it");
    }

    @Test
    void push_deviceMovesOnTheWay_reachesItWhereItIs() {
        FakeSession before = rig.b.connect("d");
        List<FakeSession> after = new ArrayList<>();
        FleetApi api = new FleetApi(rig.b.admin.ports());
        CompletableFuture<ApiCall> arrived = new CompletableFuture<>();
        CompletableFuture<ApiAnswer> told = new CompletableFuture<>();
        rig.b.admin.part.fleet.serve(call -> {
            arrived.complete(call);
            return told;
        });
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/devices/d/messages", "x");
        rig.pass(MOMENT);
        after.add(rig.c.connect("d"));
        rig.pass(MOMENT);
        api.answer(arrived.join()).thenAccept(told::complete);
        assertAnswered(202, "sent", "c", rig.memory.await(answer));
        assertEquals(List.of(), before.data);
        assertEquals(1, after.get(0).data.size());
        assertEquals(1, rig.a.count(What.CALL_ABSENT));
    }

    @Test
    void push_staleRow_isOfflineAfterTwoLooks() throws Exception {
        Engine engine = rig.memory.join(new NodeId("x", 1));
        byte[] id = "d".getBytes(StandardCharsets.UTF_8);
        rig.memory.await(new DeviceRegistry(engine.rows()).claim(id, rig.b.admin.part.id, 99, 5, row -> true));
        assertAnswered(404, "offline", null, rig.a.push("", "x"));
        assertEquals(2, rig.b.count(What.SERVED_ABSENT));
    }

    /** The copies of the row know the holder before, that nobody holds it, or nothing. */
    @Test
    void push_copiesOfTheRowLag_reachesTheDevice() {
        rig.memory.mostLagNanos = 60 * SECOND;
        rig.b.connect("d");
        assertAnswered(202, "sent", "b", rig.a.push("", "x"));
        rig.c.connect("d");
        rig.pass(MOMENT);
        assertAnswered(202, "sent", "c", rig.a.push("", "x"));
    }

    @Test
    void push_comesTwiceOverTheBus_isSentOnce() {
        FakeSession device = rig.b.connect("d");
        rig.memory.repeated = 1;
        assertAnswered(202, "sent", "b", rig.a.push("", "x"));
        rig.pass(SECOND);
        assertEquals(1, device.data.size());
    }

    // ------------------------------------------------------------------ nobody knows what became of it

    @Test
    void push_noAnswer_isExpiredWithItsIdAndNotSentAgain() {
        FakeSession device = rig.b.connect("d");
        bAnswersNever();
        long beginNanos = rig.memory.now();
        Response answer = rig.a.push("?ack=device&timeout=1m", "x");
        assertAnswered(504, "expired", null, answer);
        assertRefused(504, "expired", "node b has not answered in time; the device may have it", answer);
        assertTrue(rig.memory.now() - beginNanos > 60 * SECOND, "not before the device's own time was over");
        assertEquals(1, rig.b.served.size());
        assertEquals(1, device.data.size());
        assertEquals(device.data.get(0).messageId(), json(answer).path("id").asLong());
        assertEquals(1, rig.a.count(What.CALL_LOST));
    }

    @Test
    void pushToKeep_noAnswer_isUnknown() {
        rig.b.connect("d");
        bAnswersNever();
        Response answer = rig.a.push("?store=1&id=9", "x");
        assertAnswered(504, "unknown", null, answer);
        assertEquals(9, json(answer).path("id").asLong());
    }

    @Test
    void key_askedAgainAfterNoAnswer_getsWhatBecameOfItThoughTheDeviceHasMoved() {
        FakeSession before = rig.b.connect("d");
        bAnswersNever();
        assertEquals(504, rig.a.push("", "x", KEY, "k").status());
        bAnswers(known -> known);
        FakeSession after = rig.c.connect("d");
        Response answer = rig.a.push("", "x", KEY, "k");
        assertAnswered(202, "sent", "b", answer);
        assertEquals(before.data.get(0).messageId(), json(answer).path("id").asLong());
        assertEquals(1, before.data.size());
        assertEquals(List.of(), after.data);
        assertAnswered(422, "key_reused", "b", rig.a.push("", "another", KEY, "k"));
        assertEquals(List.of(), after.data);
    }

    @Test
    void key_askedAgainAfterItsGatewayDied_isNotGivenToAnother() {
        rig.b.connect("d");
        bAnswersNever();
        assertEquals(504, rig.a.push("", "x", KEY, "k").status());
        rig.b.kill();
        FakeSession after = rig.c.connect("d");
        assertRefused(504, "expired", "went to node b, which is gone", rig.a.push("", "x", KEY, "k"));
        assertEquals(List.of(), after.data);
        assertAnswered(202, "sent", "c", rig.a.push("", "x", KEY, "another"));
    }

    @Test
    void key_whoseMessageWasNotSent_isTriedWhereTheDeviceIs() {
        FakeSession before = rig.b.connect("d");
        before.drains = false;
        assertAnswered(503, "busy", "b", rig.a.push("", "x", KEY, "k"));
        FakeSession after = rig.c.connect("d");
        assertAnswered(202, "sent", "c", rig.a.push("", "x", KEY, "k"));
        assertEquals(1, after.data.size());
    }

    @Test
    void key_ofAMessageSentHere_isAnsweredHere() {
        rig.a.connect("d");
        assertAnswered(202, "sent", null, rig.a.push("", "x", KEY, "k"));
        FakeSession after = rig.b.connect("d");
        assertAnswered(202, "sent", null, rig.a.push("", "x", KEY, "k"));
        assertEquals(List.of(), after.data);
    }

    @Test
    void key_thatWentElsewhere_staysThereThoughTheDeviceIsHereNow() {
        rig.b.connect("d");
        assertAnswered(202, "sent", "b", rig.a.push("", "x", KEY, "k"));
        FakeSession after = rig.a.connect("d");
        assertAnswered(202, "sent", "b", rig.a.push("", "x", KEY, "k"));
        assertEquals(List.of(), after.data);
    }

    // ------------------------------------------------------------------ nothing is done

    @Test
    void node_gone_isUnknownAtOnceAndNeverOffline() {
        rig.b.connect("d");
        rig.b.kill();
        long beginNanos = rig.memory.now();
        for (String target : List.of("/v1/devices/d", "/v1/devices/d/why", "/v1/devices/d/messages")) {
            assertRefused(503, "unknown", "node b, which had the device last, is gone", rig.a.get(target));
        }
        assertRefused(503, "unknown", "is gone", rig.a.push("?ack=device", "x"));
        assertRefused(503, "unknown", "is gone", rig.a.ask("DELETE", "/v1/devices/d", ""));
        assertTrue(rig.memory.now() - beginNanos < SECOND);
        assertEquals(5, rig.a.count(What.CALL_NO_NODE));
    }

    @Test
    void node_goneAndTheDeviceCameBackElsewhere_isAskedThere() {
        rig.b.connect("d");
        rig.b.kill();
        rig.c.connect("d");
        assertAnswered(202, "sent", "c", rig.a.push("", "x"));
    }

    @Test
    void node_withAsMuchAsItTakes_isBusyUntilSomethingEnds() {
        rig.b.connect("d");
        CompletableFuture<ApiAnswer> first = new CompletableFuture<>();
        rig.b.admin.part.fleet.serve(call -> {
            rig.b.served.add(call);
            return rig.b.served.size() == 1 ? first : new CompletableFuture<>();
        });
        String target = "/v1/devices/d/messages?ack=device&timeout=5m";
        for (int i = 0; i < 4_096; i++) {
            rig.a.begin("POST", target, "x");
        }
        rig.pass(MOMENT);
        assertRefused(503, "busy", "as many requests are at other gateways", rig.a.push("?ack=device", "x"));
        Response answer = rig.c.push("?ack=device", "x");
        assertRefused(503, "busy", "node b has as many requests", answer);
        assertEquals("1", header(answer, HttpHeaderNames.RETRY_AFTER));
        assertEquals(4_096, rig.b.served.size());
        assertEquals(1, rig.b.count(What.SERVED_BUSY));
        first.complete(new ApiAnswer(ApiAnswer.Outcome.ANSWERED, 204, List.of(), new byte[0]));
        rig.a.begin("POST", target, "x");
        rig.pass(MOMENT);
        assertEquals(4_097, rig.b.served.size());
    }

    @Test
    void node_ofAnEarlierRelease_isToldSoAndNeverOffline() throws Exception {
        NodeId old = new NodeId("old", 1);
        Engine engine = rig.earlierRelease(old);
        byte[] id = "d".getBytes(StandardCharsets.UTF_8);
        rig.memory.await(new DeviceRegistry(engine.rows()).claim(id, old, 1, 5, row -> true));
        assertRefused(503, "unknown", "node old, which has the device, is of an earlier release", rig.a.push("", "x"));
        assertRefused(503, "unknown", "earlier release", rig.a.get("/v1/devices/d"));
        assertEquals(2, rig.a.count(What.CALL_UNSUPPORTED));
    }

    @Test
    void body_thatDoesNotFitInAMessage_isRefusedWithBothLimits() {
        FakeSession device = rig.b.connect("d");
        rig.memory.maxMessageBytes = 900;
        Response answer = rig.a.push("", "x".repeat(850));
        assertRefused(413, "too_large", "a body of 850 bytes", answer);
        assertRefused(413, "too_large", "max_payload of NATS is 900", answer);
        assertEquals(List.of(), device.data);
        assertAnswered(202, "sent", "b", rig.a.push("", "x".repeat(700)));
    }

    @Test
    void reply_thatDoesNotFitInAMessage_isExpiredAndSaysWhy() {
        FakeSession device = rig.b.connect("d");
        rig.memory.maxMessageBytes = 900;
        device.onData =
                data -> device.reply(data.messageId(), true, "x".repeat(900).getBytes(StandardCharsets.UTF_8));
        assertRefused(
                504, "expired", "max_payload of NATS is 900; the device may have it", rig.a.push("?reply=1", "x"));
        assertEquals(1, device.data.size());
    }

    @Test
    void nats_away_isUnknownForDevicesThatAreNotHere() {
        rig.b.connect("there");
        rig.a.connect("d");
        rig.memory.down = true;
        rig.pass(SECOND);
        assertAnswered(202, "sent", null, rig.a.push("", "x"));
        assertRefused(503, "unknown", "NATS is not to be had", rig.a.get("/v1/devices/there"));
        assertRefused(503, "unknown", "NATS", rig.a.ask("POST", "/v1/devices/there/messages?store=1", "x"));
    }

    // ------------------------------------------------------------------ the other routes

    @Test
    void look_isAnsweredThere() {
        FakeSession device = rig.b.connect("a/1 +ü");
        Response answer = rig.a.get("/v1/devices/a%2F1%20+%C3%BC");
        assertEquals(200, answer.status(), () -> text(answer));
        assertEquals("b", node(answer));
        assertEquals(device.epoch(), json(answer).path("epoch").asLong());
        Response own = rig.b.get("/v1/devices/a%2F1%20+%C3%BC");
        assertEquals(200, own.status());
        assertNull(node(own));
        assertEquals(404, rig.a.get("/v1/devices/other").status());
    }

    @Test
    void close_isDoneThere() {
        FakeSession device = rig.b.connect("d");
        assertEquals(
                204, rig.a.ask("DELETE", "/v1/devices/d?reason=moved+on", "").status());
        assertEquals(CloseReason.ADMIN_CLOSED, device.closeFrames.get(0).reason());
        assertEquals("moved on", device.closeFrames.get(0).text());
    }

    @Test
    void close_noAnswer_isUnknown() {
        rig.b.connect("d");
        bAnswersNever();
        assertAnswered(504, "unknown", null, rig.a.ask("DELETE", "/v1/devices/d", ""));
    }

    @Test
    void why_isAnsweredWhereTheDeviceIsOrWasLast() {
        FakeSession device = rig.b.connect("d");
        bAnswers(known -> {
            known.toCompletableFuture().join(); // what is remembered is searched on another thread
            return known;
        });
        Response open = rig.a.get("/v1/devices/d/why");
        assertEquals("b", node(open));
        assertTrue(json(open).path("open").asBoolean(), () -> text(open));
        device.hangUp();
        rig.pass(MOMENT);
        Response closed = rig.a.get("/v1/devices/d/why");
        assertEquals("b", node(closed));
        assertEquals(1, json(closed).path("closed").size(), () -> text(closed));
        rig.b.kill();
        Response forgotten = checked(
                "GET", "/v1/devices/d/why", rig.memory.await(joined(rig.a.begin("GET", "/v1/devices/d/why", ""))));
        assertEquals(404, forgotten.status(), "nobody is left that remembers");
    }

    /** Its end is on another thread. */
    private CompletionStage<Response> joined(CompletionStage<Response> answer) {
        rig.pass(MOMENT);
        answer.toCompletableFuture().join();
        return answer;
    }

    @Test
    void messages_thatWaitThere_areListedAndTakenBack() {
        rig.b.connect("d");
        rig.a.begin("POST", "/v1/devices/d/messages?ack=device&id=7", "x");
        rig.pass(MOMENT);
        Response list = rig.a.get("/v1/devices/d/messages");
        assertEquals("b", node(list));
        assertEquals(7, json(list).path("messages").path(0).path("id").asLong());
        assertEquals(200, rig.a.get("/v1/devices/d/messages/7").status());
        assertEquals(404, rig.a.get("/v1/devices/d/messages/8").status());
        assertEquals(204, rig.a.ask("DELETE", "/v1/devices/d/messages/7", "").status());
        assertEquals(404, rig.a.get("/v1/devices/d/messages/7").status());
    }

    @Test
    void messages_thatWaitHereForADeviceThatHasMoved_areToldFromHere() {
        rig.a.connect("d");
        rig.a.begin("POST", "/v1/devices/d/messages?ack=device&id=7", "x");
        rig.b.connect("d");
        Response list = rig.a.get("/v1/devices/d/messages");
        assertNull(node(list));
        assertEquals(7, json(list).path("messages").path(0).path("id").asLong());
        assertEquals(204, rig.a.ask("DELETE", "/v1/devices/d/messages/7", "").status());
        Response rest = rig.a.get("/v1/devices/d/messages");
        assertEquals(0, json(rest).path("messages").size(), () -> text(rest));
    }

    // ------------------------------------------------------------------ who may ask

    @Test
    void caller_whoMayNot_isRefusedWhereItAsks() {
        rig.b.connect("d");
        Caller reader = new Caller("token/reader", Set.of(Scope.READ));
        Request call = FleetRig.request("DELETE", "/v1/devices/d", new byte[0]);
        Response answer = rig.memory.await(rig.a.routes.answer(call, reader, ""));
        assertEquals(403, answer.status());
        assertEquals(List.of(), rig.b.served);
    }

    @Test
    void bus_isAskedForDevicesOnly() {
        for (String target : List.of("/v1/drain", "/v1/reload", "/v1/messages", "no path")) {
            ApiCall call = new ApiCall(rig.a.admin.part.id, 0, 1, "POST", target, List.of(), new byte[0]);
            ApiAnswer answer = rig.memory.await(rig.a.admin.part.fleet.ask(rig.b.admin.part.id, call, SECOND));
            assertTrue(answer.status() == 404 || answer.status() == 400, () -> target + " " + answer.text());
        }
    }

    @Test
    void bus_strangeBytes_areAnsweredAsUnknown() {
        byte[] whole = new ApiCall(rig.a.admin.part.id, 1, 1, "GET", "/v1/devices", List.of(), new byte[0]).encode();
        for (int length = 2; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            ApiAnswer answer = ApiAnswer.decode(
                    rig.memory.await(rig.a.admin.part.engine.bus().request(rig.b.admin.part.id, part)));
            assertEquals(ApiAnswer.Outcome.UNSUPPORTED, answer.outcome(), () -> part.length + " bytes");
        }
    }
}
