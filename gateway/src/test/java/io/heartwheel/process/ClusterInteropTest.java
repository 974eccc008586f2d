package io.heartwheel.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.NatsServer;
import io.heartwheel.process.GatewayProcess.Answer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real gateways beside a real nats-server: what cluster.md says of takeovers, of where a device is, and of an outage. */
@Tag("interop")
class ClusterInteropTest {
    @TempDir
    private Path directory;

    private static GatewaySetup node(String name, NatsServer server, Object... more) {
        return GatewayProcess.with(
                        "cluster.enabled",
                        "true",
                        "cluster.node",
                        name,
                        "cluster.nats.servers",
                        "[\"" + server.url() + "\"]")
                .set("sink.kind", "console", "cluster.sweep-rate", "100")
                .set(more);
    }

    private static void awaitNats(GatewayProcess gateway, boolean there) throws Exception {
        Await.until(
                "NATS " + there + ": " + gateway.log(),
                () -> gateway.metrics().sum("heartwheel_cluster_reachable") == (there ? 1 : 0));
    }

    /** A gateway that has reached the server. */
    private static GatewayProcess connected(String name, NatsServer server, Object... more) throws Exception {
        GatewayProcess gateway = node(name, server, more).start();
        try {
            awaitNats(gateway, true);
            return gateway;
        } catch (AssertionError failed) {
            gateway.close();
            throw failed;
        }
    }

    /** A gateway shows a device, whichever has it. */
    private static void assertShown(GatewayProcess asked, String device, long epoch) throws Exception {
        Answer answer = asked.admin("GET", "/v1/devices/" + device);
        assertEquals(200, answer.status(), answer::toString);
        assertEquals(epoch, answer.json().get("epoch").asLong());
    }

    private static Answer push(GatewayProcess asked, String query, String body, String... headers) throws Exception {
        return asked.admin(
                "POST", "/v1/devices/d/messages?timeout=1m" + query, "text/plain", body.getBytes(UTF_8), headers);
    }

    /** The next message of a device, which acknowledges it. */
    private static WireFrame acknowledged(WireClient device) throws Exception {
        WireFrame data = device.next(WireFrame.DATA);
        byte[] ack = Arrays.copyOf(data.payload(), 9); // the id, and status 0
        ack[8] = 0;
        device.send(WireFrame.ACK, ack);
        return data;
    }

    /** The API of one gateway does to the device at the other what it does to its own. */
    private static void assertReached(GatewayProcess asked, GatewayProcess holder, WireClient device) throws Exception {
        assertEquals("sent", push(asked, "&id=1", "sent").json().get("outcome").asText());
        assertEquals("sent", device.next(WireFrame.DATA).text());
        FutureTask<Answer> received = Background.run(() -> push(asked, "&ack=received", "received"));
        assertEquals("received", device.next(WireFrame.DATA).text());
        WireFrame ping = device.next(WireFrame.PING);
        device.send(WireFrame.PONG, ping.payload());
        assertEquals("received", received.get().json().get("outcome").asText());
        for (int i = 0; i < 2; i++) { // the second is answered with what became of the first
            FutureTask<Answer> acknowledged =
                    Background.run(() -> push(asked, "&ack=device&id=3", "acknowledged", "Idempotency-Key", "k"));
            if (i == 0) {
                acknowledged(device);
            }
            assertEquals(
                    "acknowledged", acknowledged.get().json().get("outcome").asText());
        }
        Answer tooLarge = push(asked, "", "x".repeat(40_000));
        assertEquals(413, tooLarge.status());
        assertTrue(tooLarge.body().contains("max_payload of NATS is 30000"), tooLarge::toString);
        assertTrue(asked.ask("/v1/devices/d/why").get("open").asBoolean());
        assertEquals(0, asked.ask("/v1/devices/d/messages").get("messages").size());
        JsonNode first = asked.ask("/v1/devices?cluster=true");
        JsonNode second =
                asked.ask("/v1/devices?cluster=true&cursor=" + first.get("next").asText());
        assertEquals("a", first.get("node").asText());
        assertEquals("d", second.get("devices").get(0).get("device").asText());
        assertTrue(second.get("next").isNull());
        assertEquals(204, asked.status("DELETE", "/v1/devices/d"));
        device.nextClose(4007);
        assertEquals(0, asked.metrics().sum("heartwheel_cluster_calls_total", "outcome=\"lost\""));
        assertTrue(holder.log("by node/a from a").size() >= 4, holder.log());
    }

    @Test
    void device_thatConnectsToTheOtherGateway_isTakenOverAndBothAgree() throws Exception {
        try (NatsServer server = NatsServer.start(directory, "max_payload: 30000");
                GatewayProcess a = connected("a", server);
                GatewayProcess b = connected("b", server)) {
            assertEquals(404, a.status("GET", "/v1/devices/d"), "offline");
            try (WireClient first = WireClient.connect(a.tcp());
                    WireClient second = WireClient.connect(b.tcp())) {
                long epoch = first.sayHello("d").epoch();
                assertShown(b, "d", epoch);
                long later = second.sayHello("d").epoch();
                assertTrue(later > epoch, "epochs grow");
                first.expectClose(4409); // the device is not told where its successor is, the event is
                second.roundTrip(1);
                assertShown(a, "d", later);
                assertShown(b, "d", later);
                Await.until("the event of a", () -> a.events().stream()
                        .anyMatch(event -> event.path("event").asText().equals("taken-over")
                                && event.path("successor_node").asText().equals("b")
                                && event.path("instance").asText().equals("a")));
                awaitNodes(a);
                assertReached(a, b, second);
            }
            Await.until("the row is free", () -> a.admin("GET", "/v1/devices/d")
                    .json()
                    .get("code")
                    .asText()
                    .equals("offline"));
            a.terminate();
            b.terminate();
        }
    }

    /** Kept at one gateway, which dies before its device comes to the other one. */
    @Test
    void messages_keptAtOneGateway_followTheirDeviceToTheOther() throws Exception {
        try (NatsServer server = NatsServer.start(directory);
                GatewayProcess b = node("b", server, "messages.directory", directory.resolve("kept-b"))
                        .start()) {
            GatewaySetup keeps = node("a", server, "messages.directory", directory.resolve("kept-a"));
            try (GatewayProcess a = keeps.start()) {
                awaitNats(a, true);
                awaitNats(b, true);
                for (int id = 1; id <= 40; id++) {
                    assertEquals(
                            202,
                            push(a, "&store=1&ack=device&id=" + id, "m" + id).status());
                }
                try (WireClient device = WireClient.connect(b.tcp())) {
                    device.sayHello("d");
                    assertNext(device, 1, 20);
                    Await.until("all are at b", () -> a.metrics().sum("heartwheel_push_stored") == 0);
                }
                Await.until("the row is free", () -> a.status("GET", "/v1/devices/d") == 404);
                assertEquals(20, a.ask("/v1/devices/d/messages").get("messages").size());
                assertEquals(202, push(a, "&store=1&ack=device&id=41", "m41").status());
                assertEquals(21, b.ask("/v1/devices/d/messages").get("messages").size());
                a.signal("KILL");
                a.awaitExit();
            }
            try (WireClient device = WireClient.connect(b.tcp())) {
                device.sayHello("d");
                assertNext(device, 21, 40);
                try (GatewayProcess a = keeps.start()) {
                    awaitNats(a, true);
                    assertNext(device, 41, 41);
                    device.roundTrip(1);
                    Await.until(
                            "none is left",
                            () -> a.metrics().sum("heartwheel_push_stored") == 0
                                    && b.metrics().sum("heartwheel_push_stored") == 0);
                }
            }
            assertEquals(41, b.metrics().sum("heartwheel_push_results_total", "outcome=\"acknowledged\""));
        }
    }

    private static void assertNext(WireClient device, int first, int last) throws Exception {
        for (int id = first; id <= last; id++) {
            assertEquals("m" + id, acknowledged(device).text());
        }
    }

    /** What one says of itself is heard within a second. */
    private static void awaitNodes(GatewayProcess asked) throws Exception {
        asked.awaitWithin(Await.LONG, "all nodes", () -> {
            List<String> names = new ArrayList<>();
            for (JsonNode node : asked.ask("/v1/nodes").get("nodes")) {
                names.add(node.get("node").asText() + node.get("devices").asText() + node.get("self"));
            }
            return names.equals(List.of("a0true", "b1false"));
        });
    }

    private static void awaitTwo(GatewayProcess asked) throws Exception {
        Await.until(
                "it knows the other", () -> asked.ask("/v1/nodes").get("nodes").size() == 2);
    }

    private static long told(GatewayProcess by, String event, String field, String value, String reason)
            throws Exception {
        return by.events().stream()
                .filter(each -> each.path("event").asText().equals(event)
                        && each.path(field).asText().equals(value)
                        && each.path("reason").asText().equals(reason))
                .count();
    }

    private static void awaitTold(GatewayProcess by, String event, String field, String value, String reason)
            throws Exception {
        by.awaitWithin(
                Duration.ofSeconds(60),
                event + " " + value + " " + reason,
                () -> told(by, event, field, value, reason) > 0);
    }

    /** One stands still for 20 s and more, and goes on; then the other one is killed. */
    @Test
    void gateway_thatStandsStillOrDies_isToldOnceAndSoAreItsDevices() throws Exception {
        try (NatsServer server = NatsServer.start(directory);
                GatewayProcess a = connected("a", server);
                GatewayProcess b = connected("b", server)) {
            try (WireClient stays = WireClient.connect(b.tcp());
                    WireClient moves = WireClient.connect(b.tcp());
                    WireClient moved = WireClient.connect(a.tcp())) {
                long epoch = stays.sayHello("stays").epoch();
                moves.sayHello("moves");
                awaitTwo(a);
                b.signal("STOP");
                assertEquals(503, a.status("GET", "/v1/devices/stays"), "unknown, not offline");
                moved.sayHello("moves");
                awaitTold(a, "node-down", "node", "b", "");
                awaitTold(a, "disconnected", "device", "stays", "node_lost");
                b.signal("CONT");
                moves.expectClose(4409);
                stays.roundTrip(1);
                b.awaitWithin(Await.LONG, "connected again", () -> told(b, "connected", "device", "stays", "") == 2);
                assertTrue(b.events().stream()
                        .filter(each -> each.path("device").asText().equals("stays"))
                        .reduce((first, second) -> second)
                        .map(each -> each.get("epoch").asLong() > epoch)
                        .orElseThrow());
                Await.until("b is sure", () -> b.status("GET", "/v1/devices/stays") == 200);
                assertEquals(200, a.status("GET", "/v1/devices/stays"));
                assertEquals(200, b.status("GET", "/v1/devices/moves"));
                assertEquals(0, told(a, "disconnected", "device", "moves", "node_lost"));

                try (WireClient lost = WireClient.connect(a.tcp());
                        WireClient back = WireClient.connect(b.tcp())) {
                    lost.sayHello("lost");
                    a.signal("KILL");
                    a.awaitExit();
                    back.sayHello("moves");
                    awaitTold(b, "node-down", "node", "a", "");
                    awaitTold(b, "disconnected", "device", "lost", "node_lost");
                    b.awaitLog("ids that node a held are given back");
                    assertEquals(0, told(b, "disconnected", "device", "moves", "node_lost"), "it came back");
                    assertEquals(404, b.status("GET", "/v1/devices/lost"), "offline");
                    back.roundTrip(2);
                    stays.roundTrip(3);
                }
                assertEquals(1, told(a, "node-down", "node", "b", ""));
                assertEquals(1, told(b, "node-down", "node", "a", ""));
            }
        }
    }

    @Test
    void nats_killed_connectionsStayAndTheSweepRepairsAfterItsReturn() throws Exception {
        try (NatsServer server = NatsServer.start(directory);
                GatewayProcess a = connected("a", server, "handshake.timeout", "4s");
                GatewayProcess b = connected("b", server, "handshake.timeout", "4s")) {
            try (WireClient stays = WireClient.connect(a.tcp());
                    WireClient comes = WireClient.connect(b.tcp());
                    WireClient rival = WireClient.connect(b.tcp())) {
                stays.sayHello("stays");
                WireClient before = WireClient.connect(a.tcp());
                before.sayHello("rival");
                server.kill();
                awaitNats(a, false);
                awaitNats(b, false);
                stays.roundTrip(1);
                assertEquals(200, a.status("GET", "/v1/devices/stays"));
                assertEquals(503, b.status("GET", "/v1/devices/stays"), "unknown, not offline");
                assertEquals(200, a.status("GET", "/readyz"));
                comes.sayHello("comes");
                rival.sayHello("rival");
                before.roundTrip(2);
                server.start();
                awaitNats(a, true);
                awaitNats(b, true);
                before.expectClose(4409);
                before.close();
                stays.roundTrip(3);
                rival.roundTrip(4);
                Await.until("a knows of it", () -> a.status("GET", "/v1/devices/comes") == 200);
                assertEquals(1, a.log("NATS is not to be had").size(), a.log());
                assertEquals(1, a.log("NATS is back after").size(), a.log());
            }
        }
    }

    @Test
    void nats_awayWithRefuse_newDevicesAreToldToComeBack() throws Exception {
        try (NatsServer server = NatsServer.start(directory);
                GatewayProcess a = connected("a", server, "handshake.timeout", "2s", "cluster.on-outage", "refuse")) {
            server.kill();
            awaitNats(a, false);
            try (WireClient stranger = WireClient.connect(a.tcp())) {
                stranger.send(WireFrame.hello("stranger"));
                stranger.expectClose(4206);
            }
        }
    }

    private static void assertNext(String text, long id, WireClient device) throws Exception {
        WireFrame data = device.next(WireFrame.DATA);
        assertEquals(text, data.text());
        assertEquals(id, ByteBuffer.wrap(data.payload()).getLong());
    }

    private static Answer job(GatewayProcess asked, String path, String text, int missing) throws Exception {
        Answer begun = asked.admin("POST", path, "text/plain", text.getBytes(UTF_8));
        assertEquals(202, begun.status(), begun::toString);
        assertEquals(missing, begun.json().get("missing").size(), begun::toString);
        return begun;
    }

    private static void put(GatewayProcess asked, String key, String schedule) throws Exception {
        Answer put = asked.admin("PUT", "/v1/schedules/" + key, "application/json", schedule.getBytes(UTF_8));
        assertEquals(201, put.status(), put::toString);
        assertEquals("a", put.json().get("node").asText(), "until the hash's gateway has taken it");
    }

    private static long runs(GatewayProcess gateway) throws Exception {
        return Math.round(gateway.metrics().sum("heartwheel_schedules"));
    }

    @Test
    void message_toAGroupOrAllOrByASchedule_reachesDevicesOfBoth() throws Exception {
        try (NatsServer server = NatsServer.start(directory);
                GatewayProcess a = connected("a", server);
                GatewayProcess b = connected("b", server)) {
            try (WireClient here = WireClient.connect(a.tcp());
                    WireClient there = WireClient.connect(b.tcp())) {
                here.sayHello("here");
                there.sayHello("there");
                awaitTwo(a);
                awaitTwo(b);
                for (String device : List.of("here", "there", "away")) {
                    assertEquals(200, a.status("PUT", "/v1/groups/g/devices/" + device));
                }
                assertEquals(3, b.ask("/v1/groups/g/devices").get("devices").size());
                assertEquals(204, b.status("DELETE", "/v1/groups/g/devices/here"));

                JsonNode group = job(a, "/v1/groups/g/messages", "group", 0).json();
                assertNext("group", group.get("message_id").asLong(), there);
                String path = "/v1/jobs/" + group.get("id").asText();
                Await.until("done", () -> a.ask(path).get("state").asText().equals("done"));
                assertEquals(1, a.ask(path).get("outcomes").get("sent").asInt());
                assertEquals(1, a.ask(path).get("outcomes").get("offline").asInt());
                assertEquals(
                        "a", b.ask("/v1/jobs").get("jobs").get(0).get("from").asText());

                JsonNode all = job(b, "/v1/messages", "all", 0).json();
                assertNext("all", all.get("message_id").asLong(), here);
                assertNext("all", all.get("message_id").asLong(), there);

                put(a, "s", "{\"to\":{\"device\":\"there\"},\"after\":\"0s\",\"text\":\"schedule\"}");
                assertEquals("schedule", there.next(WireFrame.DATA).text());

                // of these keys the hash gives some to b
                for (int i = 0; i < 8; i++) {
                    put(a, "k" + i, "{\"to\":{\"device\":\"here\"},\"after\":\"30s\",\"text\":\"k" + i + "\"}");
                }
                a.awaitWithin(Await.LONG, "b has its share", () -> runs(b) > 0 && runs(a) + runs(b) == 8);
                b.signal("KILL");
                b.awaitExit();
                Answer left = job(a, "/v1/messages", "left", 1);
                assertEquals("b", left.json().get("missing").get(0).get("node").asText());
                assertEquals("left", here.next(WireFrame.DATA).text());
                Await.until(
                        "none is left",
                        () -> a.ask("/v1/schedules").get("schedules").isEmpty());
                Set<String> ran = new TreeSet<>();
                for (int i = 0; i < 8; i++) {
                    ran.add(here.next(WireFrame.DATA).text());
                }
                assertEquals(8, ran.size(), ran::toString);
                here.roundTrip(9);
            }
        }
    }

    @Test
    void nats_absentAtTheStart_isNoReasonNotToStart() throws Exception {
        try (NatsServer server = NatsServer.start(directory)) {
            server.kill();
            try (GatewayProcess a = node("a", server, "handshake.timeout", "1s").start();
                    WireClient device = WireClient.connect(a.tcp())) {
                device.sayHello("d");
                server.start();
                awaitNats(a, true);
                device.roundTrip(1);
            }
        }
    }

    @Test
    void nats_thatWantsAnNKey_letsInWhoHasIt() throws Exception {
        String publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
        Path seed = Files.writeString(
                directory.resolve("seed"), "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n");
        try (NatsServer server =
                        NatsServer.start(directory, "authorization { users = [ { nkey: " + publicKey + " } ] }");
                GatewayProcess a =
                        node("a", server, "cluster.nats.credentials-file", seed).start();
                GatewayProcess stranger = node("stranger", server).start()) {
            awaitNats(a, true);
            stranger.awaitLog("NATS is not to be had");
            assertEquals(0, stranger.metrics().sum("heartwheel_cluster_reachable"));
        }
    }
}
