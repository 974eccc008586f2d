package io.heartwheel.admin;

import static io.heartwheel.admin.FleetRig.MOMENT;
import static io.heartwheel.admin.FleetRig.json;
import static io.heartwheel.admin.FleetRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages to many devices of a fleet, and those of schedules to one of them. */
class FleetJobsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final String TO_GROUP = "/v1/groups/g/messages";

    @AutoClose
    private final FleetRig rig = new FleetRig();

    FleetJobsTest() {
        hearOfEachOther();
    }

    private void hearOfEachOther() {
        for (int i = 0; i < 30; i++) {
            rig.pass(SECOND / 10);
        }
    }

    private List<FakeSession> connect(FleetRig.Node to, int devices) {
        return IntStream.range(0, devices)
                .mapToObj(i -> to.connect(to.admin.part.id.name() + i))
                .toList();
    }

    private JsonNode start(FleetRig.Node at, String target) {
        Response answer = at.ask("POST", target, "x");
        assertEquals(202, answer.status(), () -> text(answer));
        rig.pass(MOMENT);
        return json(answer);
    }

    private JsonNode look(FleetRig.Node at, JsonNode job) {
        Response answer = at.get("/v1/jobs/" + job.path("id").asText());
        assertEquals(200, answer.status(), () -> text(answer));
        return json(answer);
    }

    private static void assertDone(int devices, String outcomes, JsonNode job) {
        assertEquals("done", job.path("state").asText(), job::toString);
        assertEquals(devices, job.path("devices").asInt(), job::toString);
        assertEquals(outcomes, job.path("outcomes").toString());
        assertEquals(0, job.path("unanswered").asInt());
    }

    private static List<String> missing(JsonNode job) {
        List<String> missing = new ArrayList<>();
        job.path("missing")
                .forEach(each -> missing.add(
                        each.path("node").asText() + ": " + each.path("text").asText()));
        return missing;
    }

    private static void assertOnce(FakeSession device, JsonNode job) {
        assertEquals(1, device.data.size(), "messages");
        assertEquals(job.path("message_id").asLong(), device.data.get(0).messageId());
    }

    /** Time passes for the timers of a gateway, too. */
    private void passAt(FleetRig.Node node, int seconds) {
        for (int i = 0; i < seconds; i++) {
            node.admin.gateway.pass(Duration.ofSeconds(1));
            rig.pass(MOMENT);
        }
    }

    // ------------------------------------------------------------------ to all

    /** Nobody knows of its release. */
    @Test
    void job_memberWhoseRowIsHeldByAConnectionThatHasEnded_isToldAsOffline() {
        FakeSession device = rig.b.connect("d");
        assertEquals(200, rig.a.ask("PUT", "/v1/groups/g/devices/d", "").status());
        rig.memory.dropped = 1;
        device.hangUp();
        rig.pass(MOMENT);
        rig.memory.dropped = 0;
        hearOfEachOther();
        assertTrue(rig.memory.row("d").held());
        JsonNode job = start(rig.a, TO_GROUP);
        hearOfEachOther();
        assertDone(1, "{\"offline\":1}", look(rig.a, job));
    }

    /** It has heard nobody yet, and read no row. */
    @Test
    void job_atAGatewayThatHasJustStarted_isToldToMissWhoIsNotKnown() {
        FakeSession device = rig.b.connect("d");
        rig.a.kill();
        FleetRig.Node again = rig.a.restart();
        JsonNode blind = start(again, "/v1/messages");
        assertTrue(missing(blind).stream().anyMatch(text -> text.contains("had just started")), blind::toString);
        hearOfEachOther();
        JsonNode job = start(again, "/v1/messages");
        assertOnce(device, job);
        assertTrue(missing(job).stream().allMatch("a: it is gone"::equals), job::toString);
    }

    @Test
    void job_toAll_reachesTheDevicesOfAllGatewaysUnderOneId() {
        List<FakeSession> devices = Stream.of(connect(rig.a, 2), connect(rig.b, 3), connect(rig.c, 1))
                .flatMap(List::stream)
                .toList();
        JsonNode begun = start(rig.a, "/v1/messages");
        assertEquals("[\"a\",\"b\",\"c\"]", begun.path("nodes").toString());
        JsonNode job = look(rig.a, begun);
        assertDone(6, "{\"sent\":6}", job);
        assertEquals(List.of(), missing(job));
        devices.forEach(device -> assertOnce(device, job));
        assertTrue(devices.get(5).data.get(0).text(), "the content type came along");
    }

    @Test
    void job_whoseMessagesComeTwiceOverTheBus_isDoneOnce() {
        FakeSession device = connect(rig.b, 1).get(0);
        rig.memory.repeated = 1;
        JsonNode job = start(rig.a, "/v1/messages");
        assertDone(1, "{\"sent\":1}", look(rig.a, job));
        assertOnce(device, job);
    }

    @Test
    void share_isListedWhereItIsDoneWithTheGatewayWhereTheJobBegan() {
        connect(rig.b, 2);
        JsonNode job = start(rig.a, "/v1/messages");
        JsonNode share = json(rig.b.get("/v1/jobs")).path("jobs").path(0);
        assertEquals("a", share.path("from").asText());
        assertDone(2, "{\"sent\":2}", share);
        assertDone(2, "{\"sent\":2}", look(rig.b, share));
        assertFalse(json(rig.a.get("/v1/jobs")).path("jobs").path(0).has("from"));
        assertEquals(job.path("message_id").asLong(), share.path("message_id").asLong());
    }

    @Test
    void rate_isDividedByTheDevicesOfEach() {
        connect(rig.a, 1);
        connect(rig.b, 3);
        hearOfEachOther();
        JsonNode job = start(rig.a, "/v1/messages?rate=103");
        assertEquals(103, job.path("rate").asInt());
        assertEquals(
                76,
                json(rig.b.get("/v1/jobs")).path("jobs").path(0).path("rate").asInt());
        assertEquals(
                1, json(rig.c.get("/v1/jobs")).path("jobs").path(0).path("rate").asInt());
        assertEquals(
                26,
                json(rig.a.get("/v1/jobs")).path("jobs").path(0).path("rate").asInt());
    }

    @Test
    void cancel_endsAllShares() {
        connect(rig.a, 2);
        FakeSession there = connect(rig.b, 2).get(1);
        JsonNode job = start(rig.a, "/v1/messages?rate=3&ack=device");
        assertEquals("running", look(rig.a, job).path("state").asText());
        assertEquals(4, look(rig.a, job).path("devices").asInt());
        assertEquals(
                202,
                rig.a.ask("DELETE", "/v1/jobs/" + job.path("id").asText(), "").status());
        rig.pass(MOMENT);
        assertEquals("cancelled", look(rig.a, job).path("state").asText());
        passAt(rig.b, 5);
        assertEquals(List.of(), there.data);
    }

    // ------------------------------------------------------------------ gateways that cannot be asked

    @Test
    void gateway_thatHasJustDied_isMissing() {
        connect(rig.a, 1);
        connect(rig.b, 1);
        rig.b.kill();
        JsonNode job = start(rig.a, "/v1/messages");
        assertEquals(List.of("b: it is gone"), missing(job));
        assertDone(1, "{\"sent\":1}", look(rig.a, job));
        assertEquals(List.of("b: it is gone"), missing(look(rig.a, job)));
    }

    @Test
    void gateway_thatDiesMeanwhile_isMissingAndItsDevicesAreNotCounted() {
        connect(rig.a, 1);
        connect(rig.b, 2);
        connect(rig.c, 1);
        JsonNode job = start(rig.a, "/v1/messages?ack=device&timeout=5m");
        assertEquals(4, look(rig.a, job).path("unanswered").asInt());
        rig.b.kill();
        assertEquals(2, look(rig.a, job).path("unanswered").asInt());
        assertEquals(List.of("b: it is gone"), missing(look(rig.a, job)));
        assertEquals("[\"a\",\"c\"]", look(rig.a, job).path("nodes").toString());
    }

    @Test
    void gateway_thatDiesWhenItsShareIsOver_isCounted() {
        connect(rig.b, 2);
        JsonNode job = start(rig.a, "/v1/messages");
        look(rig.a, job);
        rig.b.kill();
        assertDone(2, "{\"sent\":2}", look(rig.a, job));
        rig.a.ask("DELETE", "/v1/jobs/" + job.path("id").asText(), "");
        assertEquals(List.of(), missing(look(rig.a, job)));
    }

    @Test
    void gateway_whoseAnswerIsLost_isMissingUntilTheNextLook() {
        FakeSession device = connect(rig.b, 1).get(0);
        FleetApi api = new FleetApi(rig.b.admin.ports());
        rig.b.admin.part.fleet.serve(call -> {
            api.answer(call);
            return new CompletableFuture<>();
        });
        JsonNode job = start(rig.a, "/v1/messages");
        assertEquals(List.of("b: it has not answered in time"), missing(job));
        rig.b.admin.part.fleet.serve(api);
        assertDone(1, "{\"sent\":1}", look(rig.a, job));
        assertEquals(List.of(), missing(look(rig.a, job)));
        assertOnce(device, job);
    }

    @Test
    void shareHere_beginsWhenTheOthersHaveAnswered() {
        FakeSession here = connect(rig.a, 1).get(0);
        CompletableFuture<ApiAnswer> never = new CompletableFuture<>();
        rig.b.admin.part.fleet.serve(call -> never);
        CompletionStage<Response> answer = rig.a.begin("POST", "/v1/messages", "x");
        rig.pass(MOMENT);
        rig.a.admin.groups.jobs().sweep(); // as once a second
        rig.pass(MOMENT);
        assertEquals(List.of(), here.data);
        assertEquals(List.of("b: it has not answered in time"), missing(json(rig.await(answer))));
        rig.pass(MOMENT);
        assertEquals(1, here.data.size());
    }

    @Test
    void gateway_whoseAnswerIsNotUnderstood_isMissing() {
        FakeSession here = connect(rig.a, 1).get(0);
        rig.b.admin.part.fleet.serve(call -> CompletableFuture.completedFuture(
                new ApiAnswer(ApiAnswer.Outcome.ANSWERED, 202, List.of(), new byte[] {'?'})));
        assertEquals(List.of("b: its answer is not understood"), missing(start(rig.a, "/v1/messages")));
        assertEquals(1, here.data.size());
    }

    @Test
    void gateway_thatRefusesOrDoesNotGetIt_isMissingWithTheReason() {
        IntStream.range(0, 3).forEach(i -> rig.b.admin.groups.jobs().start(waiting())); // as many as may be
        JsonNode job = start(rig.a, "/v1/messages");
        assertEquals(List.of("b: messages.jobs.max = 3: that many are under way"), missing(job));
        assertEquals(missing(job), missing(look(rig.a, job)), "not that there is no such job");
        rig.memory.maxMessageBytes = 400;
        Response answer = rig.a.ask("POST", "/v1/messages", "x".repeat(500));
        assertEquals(2, json(answer).path("missing").size(), () -> text(answer));
        assertTrue(text(answer).contains("a body of 500 bytes"), () -> text(answer));
    }

    private static Broadcast waiting() {
        return new Broadcast(1, null, true, new byte[0], Push.Ack.SENT, SECOND, false, 1);
    }

    @Test
    void gateway_ofAnEarlierRelease_isMissing() throws Exception {
        NodeId old = new NodeId("old", 1);
        rig.earlierRelease(old).membership().announce(new NodeStatus(old, 5));
        rig.b.admin.part.fleet.serve(call -> CompletableFuture.completedFuture(new ApiAnswer(
                ApiAnswer.Outcome.ANSWERED,
                404,
                List.of(),
                Response.error(404, "not_found", "nothing is here").body())));
        rig.pass(MOMENT);
        JsonNode job = start(rig.a, "/v1/messages");
        assertEquals(
                List.of(
                        "b: it is of an earlier release and takes no part",
                        "old: it is of an earlier release and is not asked"),
                missing(job));
    }

    @Test
    void nats_away_theOthersAreMissingAndTheDevicesHereGetIt() {
        FakeSession device = connect(rig.a, 1).get(0);
        connect(rig.b, 1);
        rig.memory.down = true;
        rig.pass(SECOND);
        JsonNode job = start(rig.a, "/v1/messages");
        assertEquals(3, missing(job).size(), () -> missing(job).toString());
        assertTrue(
                missing(job).get(2).contains("not heard of"), () -> missing(job).toString());
        assertDone(1, "{\"sent\":1}", look(rig.a, job));
        assertOnce(device, job);
    }

    // ------------------------------------------------------------------ groups, and devices that move

    private void put(FleetRig.Node at, String device) {
        assertEquals(200, at.ask("PUT", "/v1/groups/g/devices/" + device, "").status());
    }

    @Test
    void job_toAGroup_countsEachMemberOnceWhereverItIs() {
        FakeSession granted = rig.b.admin.member("granted", "g");
        FakeSession both = rig.c.admin.member("both", "g");
        FakeSession byApi = rig.b.connect("by-api");
        connect(rig.a, 1);
        List.of("by-api", "both", "away").forEach(device -> put(rig.a, device));
        rig.pass(MOMENT);
        JsonNode job = look(rig.a, start(rig.a, TO_GROUP));
        assertDone(4, "{\"offline\":1,\"sent\":3}", job);
        assertEquals("away", job.path("not_reached").path(0).path("device").asText());
        List.of(granted, both, byApi).forEach(device -> assertOnce(device, job));
    }

    @Test
    void member_thatComesToAnotherGatewayBeforeItsTurn_getsIt() {
        put(rig.a, "d");
        JsonNode job = start(rig.a, TO_GROUP + "?rate=3");
        FakeSession device = rig.b.connect("d");
        passAt(rig.a, 3);
        assertDone(1, "{\"sent\":1}", look(rig.a, job));
        assertOnce(device, job);
    }

    @ParameterizedTest(name = "of the share of {0}")
    @ValueSource(strings = {"a", "b"})
    void device_thatMovesBeforeItsTurn_getsItOnceWhereItIs(String share) {
        FleetRig.Node from = share.equals("a") ? rig.a : rig.b;
        connect(from, 1);
        from.connect("d");
        JsonNode job = start(rig.a, "/v1/messages?rate=3");
        FakeSession after = (share.equals("a") ? rig.b : rig.a).connect("d");
        passAt(from, 4);
        assertDone(2, "{\"sent\":2}", look(rig.a, job));
        assertOnce(after, job);
    }

    @Test
    void devices_thatMoveWhileTheJobRuns_allGetItUnderOneIdAndWhoStaysOnce() {
        for (int seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            List<FleetRig.Node> nodes = List.of(rig.a, rig.b, rig.c);
            Map<String, List<FakeSession>> devices = new TreeMap<>();
            for (int i = 0; i < 12; i++) {
                String id = "s" + seed + "-" + i;
                FakeSession device = nodes.get(random.nextInt(3)).connect(id);
                devices.put(id, new ArrayList<>(List.of(device)));
                assertEquals(
                        200,
                        rig.a
                                .ask("PUT", "/v1/groups/s" + seed + "/devices/" + id, "")
                                .status());
            }
            JsonNode job = start(rig.a, "/v1/groups/s" + seed + "/messages?rate=3");
            List<String> ids = List.copyOf(devices.keySet());
            for (int i = 0; i < 15; i++) {
                String id = ids.get(random.nextInt(6)); // the others stay
                devices.get(id).add(nodes.get(random.nextInt(3)).connect(id));
                nodes.forEach(node -> passAt(node, 1));
            }
            JsonNode done = look(rig.a, job);
            assertEquals("done", done.path("state").asText(), done::toString);
            int sent = done.path("outcomes").path("sent").asInt();
            int got = 0;
            for (Map.Entry<String, List<FakeSession>> device : devices.entrySet()) {
                List<FakeSession.Data> data = device.getValue().stream()
                        .flatMap(session -> session.data.stream())
                        .toList();
                got += data.size();
                boolean once = device.getValue().size() == 1;
                assertTrue(data.size() == 1 || (!once && data.size() == 2), device.getKey() + " " + data.size());
                data.forEach(each -> assertEquals(job.path("message_id").asLong(), each.messageId()));
            }
            assertEquals(got, sent, "seed " + seed + ": each is counted");
            assertEquals(done.path("devices").asInt(), sent);
        }
    }

    @Test
    void device_thatHasMovedAndWhoseRowCannotBeRead_isUnknownAndNeverOffline() {
        rig.a.connect("d");
        JsonNode job = start(rig.a, "/v1/messages?rate=3");
        rig.b.connect("d");
        rig.memory.down = true;
        passAt(rig.a, 3);
        assertEquals("{\"unknown\":1}", look(rig.a, job).path("outcomes").toString());
    }

    @Test
    void members_manyWhileNatsIsAway_areUnknownAndNothingNests() {
        IntStream.range(0, 50).forEach(i -> put(rig.a, "m" + i));
        rig.memory.down = true;
        rig.pass(SECOND);
        assertDone(50, "{\"unknown\":50}", look(rig.a, start(rig.a, TO_GROUP)));
    }

    // ------------------------------------------------------------------ one device, as a schedule sends to it

    private CompletionStage<PushResult> send(String device, boolean store) {
        return rig.a.admin.anywhere.send(
                new Push(device, -7, true, new byte[] {'x'}, Push.Ack.SENT, false, 10 * SECOND, store));
    }

    @Test
    void send_manyWhileNatsIsAway_endInPartsSoThatOthersHaveTheirTurn() {
        rig.memory.down = true;
        rig.pass(SECOND);
        Queue<Runnable> tasks = new ArrayDeque<>();
        rig.memory.calls = tasks::add;
        List<CompletionStage<PushResult>> many =
                IntStream.range(0, 1_000).mapToObj(i -> send("d" + i, false)).toList();
        long[] before = new long[1];
        rig.a.admin.part.fleet.run(() -> before[0] = ended(many));
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        assertEquals(64, before[0]);
        assertEquals(1_000, ended(many));
    }

    private static long ended(List<CompletionStage<PushResult>> all) {
        return all.stream().filter(each -> each.toCompletableFuture().isDone()).count();
    }

    @Test
    void send_toADeviceOfAnotherGateway_isWrittenThere() {
        FakeSession device = rig.b.connect("d/1 +\u00fc");
        assertEquals(
                PushResult.Outcome.SENT, rig.await(send("d/1 +\u00fc", false)).outcome());
        assertEquals(-7, device.data.get(0).messageId());
        assertEquals(
                PushResult.Outcome.OFFLINE, rig.await(send("nobody", false)).outcome());
        assertEquals(
                PushResult.Outcome.QUEUED, rig.await(send("d/1 +\u00fc", true)).outcome());
    }

    @Test
    void send_whileNobodyKnowsWhereTheDeviceIs_isToBeTriedAgain() {
        rig.b.connect("d");
        rig.b.kill();
        CompletionException failure = assertThrows(CompletionException.class, () -> rig.await(send("d", true)));
        assertInstanceOf(RejectedExecutionException.class, failure.getCause());
        FakeSession after = rig.c.connect("d");
        assertEquals(PushResult.Outcome.SENT, rig.await(send("d", false)).outcome());
        assertEquals(1, after.data.size());
    }

    @Test
    void send_whileThisGatewayEnds_isToldWhatIsOnItsWayAndWhatIsNot() {
        rig.b.connect("d");
        List<CompletableFuture<PushResult>> all = IntStream.range(0, 300)
                .mapToObj(i -> send("d", false).toCompletableFuture())
                .toList();
        rig.memory.calls = call -> {
            throw new RejectedExecutionException();
        };
        rig.pass(SECOND);
        assertTrue(all.stream().allMatch(CompletableFuture::isDone), "each is told");
        all.subList(0, 256)
                .forEach(each ->
                        assertEquals(PushResult.Outcome.EXPIRED, each.join().outcome()));
        for (CompletableFuture<PushResult> notBegun : all.subList(256, 300)) {
            CompletionException failure = assertThrows(CompletionException.class, notBegun::join);
            assertInstanceOf(RejectedExecutionException.class, failure.getCause());
        }
    }

    @Test
    void send_moreThanAreCarriedAtOnce_allArrive() {
        FakeSession device = rig.b.connect("d");
        List<CompletionStage<PushResult>> all =
                IntStream.range(0, 1_000).mapToObj(i -> send("d", false)).toList();
        all.forEach(rig::await);
        assertEquals(1_000, device.data.size());
    }
}
