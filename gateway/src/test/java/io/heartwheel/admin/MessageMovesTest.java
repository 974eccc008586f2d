package io.heartwheel.admin;

import static io.heartwheel.admin.FleetRig.MOMENT;
import static io.heartwheel.admin.FleetRig.json;
import static io.heartwheel.admin.FleetRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.push.KeptMessages;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.session.FakeSession;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Messages that are kept at one gateway for a device that comes back at another. */
class MessageMovesTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @AutoClose
    private final FleetRig rig = new FleetRig();

    private void keep(FleetRig.Node at, long id) {
        Response answer = at.push("?store=1&ack=device&timeout=1h&id=" + id, "m" + id);
        assertEquals(202, answer.status(), () -> text(answer));
        assertEquals("queued", json(answer).path("outcome").asText());
    }

    private void keep(FleetRig.Node at, long first, long last) {
        LongStream.rangeClosed(first, last).forEach(id -> keep(at, id));
    }

    private void pass(long seconds) {
        pass(rig, seconds * SECOND);
    }

    private static void pass(FleetRig rig, long nanos) {
        for (long i = nanos / MOMENT; i > 0; i--) {
            rig.pass(MOMENT);
        }
    }

    /** A device that acknowledges what it gets. */
    private static FakeSession connect(FleetRig.Node at) {
        FakeSession device = at.connect("d");
        device.onData = data -> device.onLoop(() -> device.ack(data.messageId(), true));
        ids(device).forEach(id -> device.onLoop(() -> device.ack(id, true)));
        return device;
    }

    private static List<Long> ids(FakeSession device) {
        return device.data.stream().map(FakeSession.Data::messageId).toList();
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    private static long counted(FleetRig.Node at, Outcome wanted) {
        long[] found = new long[1];
        at.admin.pushes.outcomes((outcome, count) -> found[0] += outcome == wanted ? count : 0);
        return found[0];
    }

    private long acknowledged() {
        return List.of(rig.a, rig.b, rig.c).stream()
                .mapToLong(each -> counted(each, Outcome.ACKNOWLEDGED))
                .sum();
    }

    private void assertNothingKept() {
        for (FleetRig.Node each : List.of(rig.a, rig.b, rig.c)) {
            assertEquals(0, each.admin.pushes.stored());
            assertEquals(0, each.admin.pushes.waiting(), "in memory");
        }
    }

    // ------------------------------------------------------------------ they follow

    @Test
    void device_comesElsewhere_getsWhatIsKeptInOrderWithinASecondAndIsToldOnce() {
        keep(rig.a, 1, 40);
        pass(1);
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(upTo(40), ids(device));
        assertEquals(40, acknowledged());
        assertEquals(40, rig.a.count(What.GIVEN_TAKEN));
        assertNothingKept();
        pass(30);
        assertEquals(40, device.data.size());
    }

    /** Numbers of messages begin anew there. */
    @Test
    void message_ofTheIdAndNumberOfOneBeforeARestart_isAnother() {
        keep(rig.a, 8);
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(List.of(8L), ids(device));
        device.hangUp();
        rig.a.kill();
        FleetRig.Node again = rig.a.restart();
        again.admin.gateway.pass(Duration.ofMinutes(1)); // a clock does not begin anew
        pass(5);
        keep(again, 8);
        FakeSession later = connect(rig.b);
        pass(20);
        assertEquals(List.of(8L), ids(later));
    }

    @Test
    void device_thatIsThereAlready_getsWhatASecondGatewayKept() {
        FakeSession device = connect(rig.b);
        pass(1);
        rig.a.admin.pushes.send(push(1)); // as a schedule does, which asks nobody where the device is
        pass(1);
        assertEquals(List.of(1L), ids(device));
        assertNothingKept();
    }

    private static Push push(long id) {
        return new Push("d", id, true, new byte[1], Push.Ack.DEVICE, false, 3_600 * SECOND, true);
    }

    @Test
    void device_wroteItsRowBeforeItIsEstablished_isAskedForAgain() {
        keep(rig.a, 1);
        List<ApiAnswer.Outcome> told = new ArrayList<>();
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call -> {
            boolean early = told.isEmpty();
            told.add(early ? ApiAnswer.Outcome.ABSENT : ApiAnswer.Outcome.ANSWERED);
            return early
                    ? CompletableFuture.completedFuture(ApiAnswer.none(ApiAnswer.Outcome.ABSENT, ""))
                    : api.answer(call);
        });
        FakeSession device = connect(rig.b);
        pass(2);
        assertEquals(List.of(1L), ids(device));
        assertEquals(2, told.size());
    }

    @Test
    void device_movesBeforeItAcknowledges_getsTheRestThere() {
        FakeSession before = rig.a.connect("d");
        keep(rig.a, 1, 20);
        assertEquals(16, before.data.size());
        before.onLoop(() -> before.ack(1, true));
        FakeSession after = connect(rig.b);
        pass(1);
        assertEquals(LongStream.rangeClosed(2, 20).boxed().toList(), ids(after));
        assertEquals(20, acknowledged());
        assertNothingKept();
    }

    @Test
    void row_isNotHeardOf_isFoundByTheRound() {
        keep(rig.a, 1);
        pass(1);
        rig.a.admin.part.fleet.watch("d", false);
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(List.of(), ids(device));
        pass(10);
        assertEquals(List.of(1L), ids(device));
    }

    /** Each is a reason to look soon. */
    @Test
    void messages_keptOneAfterTheOther_doNotWaitForTheLast() {
        FakeSession device = connect(rig.b);
        for (int id = 1; id <= 50; id++) {
            rig.a.admin.pushes.send(push(id));
            rig.pass(MOMENT);
        }
        assertTrue(ids(device).size() > 20, () -> ids(device).toString());
    }

    @Test
    void messages_behindThoseThatAQueueHas_areGivenToNobody() {
        rig.a.connect("d");
        keep(rig.a, 1, 20);
        List<Long> offered = new ArrayList<>();
        KeptMessages.Part part = new KeptMessages.Part(0, true);
        while (part.more()) {
            part = rig.await(rig.a.admin.pushes.kept().give("d", part.upTo(), (push, number, expiresMillis) -> {
                offered.add(push.id());
                return CompletableFuture.completedFuture(KeptMessages.Given.TAKEN);
            }));
        }
        assertEquals(List.of(), offered);
    }

    @Test
    void device_comesBackWhereTheyAreKept_getsThemThere() {
        keep(rig.a, 1, 3);
        FakeSession device = connect(rig.a);
        pass(1);
        assertEquals(upTo(3), ids(device));
        assertEquals(0, rig.a.count(What.GIVEN_TAKEN));
    }

    @Test
    void twoGateways_keepSome_eachInItsOrder() {
        keep(rig.a, 1, 3);
        keep(rig.b, 4, 6);
        FakeSession device = connect(rig.c);
        pass(1);
        List<Long> ids = ids(device);
        assertEquals(6, ids.size());
        assertEquals(upTo(3), ids.stream().filter(id -> id <= 3).toList());
        assertEquals(List.of(4L, 5L, 6L), ids.stream().filter(id -> id > 3).toList());
        assertNothingKept();
    }

    // ------------------------------------------------------------------ something fails

    @Test
    void answer_isLost_isAskedAgainAndKeptOnce() {
        keep(rig.a, 1, 3);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        List<String> offered = new ArrayList<>();
        rig.b.admin.part.fleet.serve(call -> {
            offered.add(call.target());
            return api.answer(call)
                    .thenCompose(answer -> offered.size() == 1
                            ? new CompletableFuture<>()
                            : CompletableFuture.completedFuture(answer));
        });
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(List.of(1L), ids(device));
        pass(25);
        assertEquals(upTo(3), ids(device));
        assertEquals(4, offered.size());
        assertEquals(3, acknowledged());
        assertNothingKept();
    }

    @Test
    void answer_isLostAndTheDeviceMovesOn_isKeptByTheNextUnderTheSameId() {
        keep(rig.a, 1);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call -> api.answer(call).thenCompose(answer -> new CompletableFuture<>()));
        connect(rig.b);
        pass(1);
        FakeSession after = connect(rig.c);
        pass(25);
        assertEquals(List.of(1L), ids(after));
        assertNothingKept();
    }

    @Test
    void giver_isGone_keepsThemUntilItIsBack() {
        keep(rig.a, 1, 2);
        rig.a.kill();
        FakeSession device = connect(rig.b);
        pass(20);
        assertEquals(List.of(), ids(device));
        FleetRig.Node back = rig.a.restart();
        pass(1);
        assertEquals(upTo(2), ids(device));
        assertEquals(0, back.admin.pushes.stored());
    }

    @Test
    void giver_diesBeforeItHearsThatTheyAreKept_asksAgainAndTheyAreKeptOnce() {
        keep(rig.a, 1, 2);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call -> api.answer(call).thenCompose(answer -> new CompletableFuture<>()));
        FakeSession device = connect(rig.b);
        pass(1);
        rig.a.kill();
        assertEquals(List.of(1L), ids(device));
        rig.b.admin.part.fleet.serve(api);
        FleetRig.Node back = rig.a.restart();
        pass(1);
        assertEquals(upTo(2), ids(device));
        assertEquals(2, back.count(What.GIVEN_TAKEN));
        assertEquals(0, back.admin.pushes.stored());
    }

    @Test
    void nats_isAway_isToldAndWhatAScheduleKeptFollowsWhenItIsBack() {
        rig.memory.down = true;
        pass(1);
        assertEquals(503, rig.a.push("?store=1", "x").status());
        rig.a.admin.pushes.send(push(7));
        FakeSession device = connect(rig.b);
        pass(5);
        assertEquals(List.of(), ids(device));
        rig.memory.down = false;
        pass(15);
        assertEquals(List.of(7L), ids(device));
    }

    @Test
    void taker_refuses_theyStayWhereTheyAreAndAreOfferedAgain() {
        keep(rig.a, 1, 2);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        boolean[] full = {true};
        rig.b.admin.part.fleet.serve(call -> full[0]
                ? CompletableFuture.completedFuture(new ApiAnswer(
                        ApiAnswer.Outcome.ANSWERED,
                        429,
                        List.of(),
                        "{\"code\":\"full\"}".getBytes(StandardCharsets.UTF_8)))
                : api.answer(call));
        FakeSession device = connect(rig.b);
        pass(5);
        assertEquals(1, rig.a.count(What.GIVEN_REFUSED), "the second waits for the first");
        full[0] = false;
        pass(15);
        assertEquals(upTo(2), ids(device));
    }

    @Test
    void message_thatDoesNotFit_keepsNoOtherWaiting() {
        rig.a.push("?store=1&ack=device&id=1", "x".repeat(800));
        keep(rig.a, 2);
        rig.memory.maxMessageBytes = 700;
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(List.of(2L), ids(device));
        assertEquals(1, rig.a.admin.pushes.stored());
        assertEquals(1, rig.a.count(What.GIVEN_LEFT));
    }

    @Test
    void idThatWaitsThere_staysUntilThatIsOver() {
        FakeSession device = rig.b.connect("d");
        keep(rig.b, 1);
        rig.a.admin.pushes.send(push(1));
        rig.a.admin.pushes.send(push(2));
        pass(1);
        assertEquals(List.of(1L, 2L), ids(device));
        device.onLoop(() -> device.ack(1, true));
        pass(15);
        assertEquals(List.of(1L, 2L, 1L), ids(device));
    }

    @Test
    void device_comesBackWhileTheyAreGiven_getsWhatTheOtherHasNotTakenAndNoneTwice() {
        keep(rig.a, 1, 3);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        CompletableFuture<ApiAnswer> second = new CompletableFuture<>();
        rig.b.admin.part.fleet.serve(call -> rig.a.count(What.GIVEN_TAKEN) == 0 ? api.answer(call) : second);
        FakeSession there = connect(rig.b);
        pass(1);
        assertEquals(List.of(1L), ids(there));
        FakeSession back = connect(rig.a);
        keep(rig.a, 4);
        pass(1);
        assertEquals(List.of(), ids(back), "nobody knows who keeps the second, and the others are behind it");
        second.complete(ApiAnswer.none(ApiAnswer.Outcome.ABSENT, ""));
        pass(1);
        assertEquals(List.of(2L, 3L, 4L), ids(back));
        assertEquals(4, acknowledged());
        assertNothingKept();
    }

    // ------------------------------------------------------------------ more than are listened to

    @Test
    void devices_beyondThoseListenedTo_areFoundByTheRoundAndListenedToLater() {
        MessageMoves.begin(rig.a.admin.ports(), 3);
        keepForEach("d", 10);
        pass(12);
        List<FakeSession> devices = connectAll("d", 10);
        pass(1);
        assertEquals(3, devices.stream().filter(each -> !each.data.isEmpty()).count());
        pass(10);
        assertTrue(devices.stream().allMatch(each -> each.data.size() == 1));
        pass(10);

        keepForEach("e", 3);
        pass(1);
        List<FakeSession> later = connectAll("e", 3);
        pass(1);
        assertTrue(later.stream().allMatch(each -> each.data.size() == 1), "the others are forgotten");
        assertNothingKept();
    }

    private void keepForEach(String names, int count) {
        for (int i = 0; i < count; i++) {
            String target = "/v1/devices/" + names + i + "/messages?store=1&ack=sent&timeout=1h";
            assertEquals(202, rig.a.ask("POST", target, "x").status());
        }
    }

    private List<FakeSession> connectAll(String names, int count) {
        return IntStream.range(0, count).mapToObj(i -> rig.b.connect(names + i)).toList();
    }

    // ------------------------------------------------------------------ at random

    @Test
    void device_movesAtRandom_getsEachMessageOnce() {
        worlds(0);
    }

    @Test
    void device_movesAtRandomOverAWayThatLosesAndRepeats_getsEachMessage() {
        worlds(0.1);
    }

    private static void worlds(double lost) {
        long first = Long.getLong("test.seed", System.nanoTime());
        for (long seed = first; seed < first + 10; seed++) {
            try (FleetRig rig = new FleetRig(seed)) {
                world(rig, new Random(seed), lost);
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("test.seed = " + seed, failed);
            }
        }
    }

    private static void world(FleetRig rig, Random random, double lost) {
        List<FleetRig.Node> nodes = List.of(rig.a, rig.b, rig.c);
        List<FakeSession> sessions = new ArrayList<>();
        List<Long> accepted = new ArrayList<>();
        rig.memory.dropped = lost;
        rig.memory.repeated = lost;
        for (long step = 1; step <= 200; step++) {
            FleetRig.Node at = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (at.push("?store=1&ack=device&id=" + step, "x").status() == 202) {
                        accepted.add(step);
                    }
                }
                case 1 -> sessions.add(connect(at));
                case 2 -> sessions.forEach(FakeSession::hangUp);
                default -> pass(rig, random.nextLong(3 * SECOND));
            }
        }
        sessions.forEach(FakeSession::hangUp);
        rig.memory.dropped = 0;
        sessions.add(connect(rig.b));
        pass(rig, 60 * SECOND);
        Map<Long, Long> got = sessions.stream()
                .flatMap(each -> ids(each).stream())
                .collect(Collectors.groupingBy(id -> id, TreeMap::new, Collectors.counting()));
        if (lost == 0) {
            assertEquals(accepted.stream().collect(Collectors.toMap(id -> id, id -> 1L)), got);
            assertEquals(
                    accepted.size(),
                    nodes.stream()
                            .mapToLong(each -> counted(each, Outcome.ACKNOWLEDGED))
                            .sum());
        }
        assertTrue(got.keySet().containsAll(accepted), () -> accepted + " " + got);
        nodes.forEach(each -> assertEquals(0, each.admin.pushes.stored()));
    }

    // ------------------------------------------------------------------ times and looks

    @Test
    void time_goesOnAtTheNextGateway() {
        keep(rig.a, 1);
        rig.a.admin.gateway.pass(Duration.ofMinutes(50));
        rig.b.connect("d");
        pass(1);
        JsonNode message = json(rig.b.get("/v1/devices/d/messages/1"));
        assertTrue(message.path("expires_in_ms").asLong() <= 600_000, message::toString);
        assertTrue(message.path("expires_in_ms").asLong() > 590_000, message::toString);
    }

    /** In milliseconds it has more digits than a time may have. */
    @Test
    void time_ofWeeks_isCarried() {
        PushSettings all = PushSettings.DEFAULTS;
        StoredSettings month = new StoredSettings(Path.of(""), true, Duration.ofDays(30), 1L << 30);
        for (FleetRig.Node each : List.of(rig.a, rig.b)) {
            each.admin.pushes.reconfigure(new PushSettings(
                    all.perDevice(),
                    all.bytesPerDevice(),
                    all.totalBytes(),
                    all.keepKeys(),
                    all.keysMaxBytes(),
                    month));
        }
        assertEquals(
                202, rig.a.push("?store=1&ack=device&timeout=336h&id=1", "x").status());
        FakeSession device = rig.b.connect("d");
        pass(1);
        assertEquals(List.of(1L), ids(device));
        Push weeks = new Push("d", 2, true, new byte[1], Push.Ack.DEVICE, false, 336 * 3_600 * SECOND, true);
        assertEquals(Outcome.QUEUED, rig.await(rig.a.admin.anywhere.send(weeks)).outcome());
    }

    @Test
    void time_isOver_isToldWhereItIsKept() {
        keep(rig.a, 1);
        rig.a.admin.gateway.pass(Duration.ofHours(2));
        FakeSession device = connect(rig.b);
        pass(1);
        assertEquals(List.of(), ids(device));
        assertEquals(1, counted(rig.a, Outcome.EXPIRED));
        assertEquals(0, rig.a.admin.pushes.stored());
    }

    @Test
    void kept_isListedShownAndTakenBackThroughAnyGateway() {
        keep(rig.a, 1);
        keep(rig.b, 2);
        Response list = rig.c.get("/v1/devices/d/messages");
        assertEquals(2, json(list).path("messages").size(), () -> text(list));
        assertEquals("a", FleetRig.header(rig.c.get("/v1/devices/d/messages/1"), Elsewhere.NODE_HEADER));
        assertEquals(
                2, json(rig.a.get("/v1/devices/d/messages")).path("messages").size());
        assertEquals(204, rig.c.ask("DELETE", "/v1/devices/d/messages/1", "").status());
        assertEquals(404, rig.c.get("/v1/devices/d/messages/1").status());
        assertEquals(404, rig.c.ask("DELETE", "/v1/devices/d/messages/1", "").status());
        assertEquals(
                1, json(rig.c.get("/v1/devices/d/messages")).path("messages").size());
        FakeSession device = connect(rig.c);
        pass(1);
        assertEquals(List.of(2L), ids(device));
    }

    @Test
    void kept_whereAGatewayCannotTell_isUnknownAndNeverNothing() {
        keep(rig.a, 1);
        keep(rig.c, 2);
        ApiAnswer earlierRelease = ApiAnswer.none(ApiAnswer.Outcome.ABSENT, "it is not connected here");
        List<CompletableFuture<ApiAnswer>> answers =
                List.of(new CompletableFuture<>(), CompletableFuture.completedFuture(earlierRelease));
        for (CompletableFuture<ApiAnswer> answer : answers) {
            rig.b.admin.part.fleet.serve(call -> answer);
            assertEquals(503, rig.c.get("/v1/devices/d/messages").status());
            assertEquals(200, rig.c.get("/v1/devices/d/messages/1").status());
            assertEquals(503, rig.c.get("/v1/devices/d/messages/8").status());
            assertEquals(
                    504, rig.c.ask("DELETE", "/v1/devices/d/messages/8", "").status());
        }
        assertEquals(204, rig.c.ask("DELETE", "/v1/devices/d/messages/1", "").status());
    }

    @Test
    void takenBack_whileItIsGiven_isNotThereAfterwards() {
        keep(rig.a, 1);
        CompletableFuture<ApiAnswer> late = new CompletableFuture<>();
        rig.b.admin.part.fleet.serve(
                call -> call.method().equals("POST") ? late : new FleetApi(rig.b.admin.ports()).answer(call));
        rig.b.connect("d");
        pass(1);
        var answer = rig.a.begin("DELETE", "/v1/devices/d/messages/1", "");
        pass(1);
        late.complete(ApiAnswer.none(ApiAnswer.Outcome.BUSY, "no"));
        assertEquals(204, rig.await(answer).status());
        assertNothingKept();
    }

    /** It is not yet where it is asked for first, and no more where it is asked for then. */
    @Test
    void takenBack_whileItMoves_isTakenBackWhereItIsThen() {
        keep(rig.a, 1);
        CompletableFuture<Boolean> onItsWay = new CompletableFuture<>();
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call ->
                call.method().equals("POST") ? onItsWay.thenCompose(arrived -> api.answer(call)) : api.answer(call));
        rig.b.connect("d");
        pass(1);
        var answer = rig.c.begin("DELETE", "/v1/devices/d/messages/1", "");
        pass(1);
        onItsWay.complete(true);
        assertEquals(204, rig.await(answer).status());
        assertNothingKept();
    }
}
