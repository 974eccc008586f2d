package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Messages that a real gateway has kept for devices that are away, and schedules, after its process was killed among them. */
@Execution(ExecutionMode.CONCURRENT)
class MessagesKillIT {
    @TempDir
    private Path scratch;

    private GatewayProcess start() throws Exception {
        return GatewayProcess.with("messages.directory", scratch.resolve("messages"), "messages.per-device", 65_536)
                .set("messages.idempotency.max-bytes", "64MiB", "admin.max-connections", 64)
                .start();
    }

    /** Asks until the gateway is killed; the last one may be there or not. */
    private abstract static class Caller {
        final String device;

        Caller(String device) {
            this.device = device;
        }

        abstract void ask(GatewayProcess gateway) throws IOException;

        FutureTask<Void> untilKilled(GatewayProcess gateway) {
            return Background.run(() -> {
                try {
                    while (true) {
                        ask(gateway);
                    }
                } catch (IOException killed) {
                    // as it is meant
                }
            });
        }
    }

    /** What one device is sent, one after the other, and the ids of what was accepted. */
    private static final class Sender extends Caller {
        private final List<Long> accepted = Collections.synchronizedList(new ArrayList<>());

        Sender(String device) {
            super(device);
        }

        @Override
        void ask(GatewayProcess gateway) throws IOException {
            accepted.add(push(gateway, accepted.size()));
        }

        private long push(GatewayProcess gateway, int number) throws IOException {
            GatewayProcess.Answer answer = gateway.admin(
                    "POST",
                    "/v1/devices/" + device + "/messages?store=1&ack=device",
                    "text/plain",
                    ("message " + number).getBytes(StandardCharsets.UTF_8),
                    "Idempotency-Key",
                    device + "/" + number);
            assertEquals(202, answer.status(), answer::toString);
            return answer.json().path("id").asLong();
        }

        /** All again, and at last the one that had no answer. */
        private void repeat(GatewayProcess gateway) throws IOException {
            for (int i = 0; i < accepted.size(); i++) {
                String which = "id of a repeat, " + i + " of " + accepted.size();
                assertEquals(accepted.get(i), push(gateway, i), which);
            }
            ask(gateway);
        }

        /** Half of them over a connection that ends before the last ACK: what is not acknowledged comes again over the next. */
        private void receive(GatewayProcess gateway) throws IOException {
            int next = 0;
            try (WireClient client = WireClient.hello(gateway.tcp(), device)) {
                while (next < accepted.size() / 2) {
                    acknowledge(client, take(client, accepted.get(next)));
                    next++;
                }
                take(client, accepted.get(next));
            }
            try (WireClient client = WireClient.hello(gateway.tcp(), device)) {
                // the ACKs of before may have come too late
                long first = client.next(WireFrame.DATA).id();
                int from = accepted.indexOf(first);
                assertTrue(from >= 0 && from <= next, first + " is missing something");
                acknowledge(client, first);
                for (long id : accepted.subList(from + 1, accepted.size())) {
                    acknowledge(client, take(client, id));
                }
                client.roundTrip(1);
            }
        }

        private static long take(WireClient client, long id) throws IOException {
            WireFrame data = client.next(WireFrame.DATA);
            assertEquals(id, data.id(), () -> "in order: " + data);
            return id;
        }
    }

    /** Schedules of one device, every other one for soon, and the keys of those that were accepted. */
    private static final class Planner extends Caller {
        private final int soonMillis;
        private final List<String> accepted = Collections.synchronizedList(new ArrayList<>());

        Planner(String device, int soonMillis) {
            super(device);
            this.soonMillis = soonMillis;
        }

        @Override
        void ask(GatewayProcess gateway) throws IOException {
            int number = accepted.size();
            boolean soon = number % 2 == 0;
            String key = (soon ? "soon-" : "far-") + device + "-" + number;
            plan(gateway, key, device, "\"after\":\"" + (soon ? number * 7 % soonMillis + "ms\"" : "2d\""));
            accepted.add(key);
        }

        private Stream<String> accepted(String prefix) {
            return accepted.stream().filter(key -> key.startsWith(prefix));
        }
    }

    /** Its text is its key. */
    private static void plan(GatewayProcess gateway, String key, String device, String times) throws IOException {
        String body = "{\"to\":{\"device\":\"" + device + "\"}," + times + ",\"missed\":\"all\",\"text\":\"" + key
                + "\",\"ack\":\"device\",\"timeout\":\"1h\",\"store\":true}";
        GatewayProcess.Answer answer =
                gateway.admin("PUT", "/v1/schedules/" + key, "application/json", body.getBytes(StandardCharsets.UTF_8));
        assertEquals(201, answer.status(), answer::toString);
    }

    private static Set<String> schedules(GatewayProcess gateway, String prefix) throws IOException {
        Set<String> keys = new HashSet<>();
        String cursor = "";
        while (cursor != null) {
            JsonNode page = gateway.ask("/v1/schedules?limit=1000&prefix=" + prefix + cursor);
            page.path("schedules").forEach(each -> keys.add(each.path("key").asText()));
            cursor = page.path("next").isNull()
                    ? null
                    : "&cursor=" + page.path("next").asText();
        }
        return keys;
    }

    /** Device that acknowledges all it gets, over one connection after the other. */
    private static final class Receiver {
        private final String device;
        /** Ids by text. */
        private final Map<String, Set<Long>> ids = new ConcurrentHashMap<>();

        private final AtomicInteger repeats = new AtomicInteger();

        Receiver(String device) {
            this.device = device;
        }

        WireClient connect(GatewayProcess gateway) throws IOException {
            WireClient client = WireClient.hello(gateway.tcp(), device);
            Background.run(() -> listen(client));
            return client;
        }

        private void listen(WireClient client) {
            try {
                while (true) {
                    WireFrame data = client.next(WireFrame.DATA);
                    boolean isNew = ids.computeIfAbsent(data.text(), key -> ConcurrentHashMap.newKeySet())
                            .add(data.id());
                    repeats.addAndGet(isNew ? 0 : 1);
                    acknowledge(client, data.id());
                }
            } catch (IOException ended) {
                // or it is the end of the test
            }
        }
    }

    private static void acknowledge(WireClient client, long id) throws IOException {
        client.send(WireFrame.ACK, ByteBuffer.allocate(9).putLong(id).array());
    }

    private static boolean isDone(GatewayProcess gateway, String prefix) throws IOException {
        return schedules(gateway, prefix).isEmpty() && gateway.metrics().sum("heartwheel_push_stored") == 0;
    }

    // ------------------------------------------------------------------ one kill, many messages

    @Test
    void kill_amongMessagesAndSchedules_honoursWhatWasAcceptedInOrder() throws Exception {
        killAmong(8, 400, 100);
    }

    @Test
    @Tag("hazard")
    void kill_amongTwentyThousandAndTenThousandSchedules_honoursWhatWasAcceptedInOrder() throws Exception {
        killAmong(20, 20_000, 10_000);
    }

    private void killAmong(int devices, int messages, int schedules) throws Exception {
        List<Sender> senders = new ArrayList<>();
        List<Planner> planners = new ArrayList<>();
        for (int i = 0; i < devices; i++) {
            senders.add(new Sender("device-" + i));
        }
        for (int i = 0; i < devices / 4; i++) {
            planners.add(new Planner("later-" + i, 2 * schedules));
        }
        try (GatewayProcess gateway = start()) {
            List<FutureTask<Void>> asking = Stream.concat(senders.stream(), planners.stream())
                    .map(caller -> caller.untilKilled(gateway))
                    .toList();
            gateway.awaitWithin(
                    Await.LONG.multipliedBy(3),
                    "messages and schedules under way",
                    () -> count(senders, planners, messages, schedules));
            gateway.signal("KILL");
            assertEquals(128 + 9, gateway.awaitExit());
            for (FutureTask<Void> each : asking) {
                each.get();
            }
        }
        long began = System.nanoTime();
        try (GatewayProcess gateway = start()) {
            List<Receiver> receivers = new ArrayList<>();
            for (Planner planner : planners) {
                receivers.add(new Receiver(planner.device));
                receivers.get(receivers.size() - 1).connect(gateway);
            }
            List<FutureTask<Void>> work = new ArrayList<>();
            for (Sender sender : senders) {
                work.add(Background.run(() -> {
                    sender.repeat(gateway);
                    sender.receive(gateway);
                }));
            }
            for (FutureTask<Void> each : work) {
                each.get();
            }
            gateway.awaitWithin(Await.LONG, "nothing kept, nothing due", () -> isDone(gateway, "soon-"));
            Set<String> far = schedules(gateway, "far-");
            for (int i = 0; i < planners.size(); i++) {
                Planner planner = planners.get(i);
                Map<String, Set<Long>> got = receivers.get(i).ids;
                planner.accepted("soon-")
                        .forEach(key ->
                                assertEquals(1, got.getOrDefault(key, Set.of()).size(), key));
                planner.accepted("far-").forEach(key -> assertTrue(far.contains(key), key));
            }
            System.out.printf(
                    "%d messages and %d schedules accepted before the kill; %d came twice; all over %d ms after the exec%n",
                    senders.stream().mapToInt(each -> each.accepted.size() - 1).sum(),
                    planners.stream().mapToInt(each -> each.accepted.size()).sum(),
                    receivers.stream().mapToInt(each -> each.repeats.get()).sum(),
                    (System.nanoTime() - began) / 1_000_000);
        }
    }

    private static boolean count(List<Sender> senders, List<Planner> planners, int messages, int schedules) {
        return senders.stream().mapToInt(each -> each.accepted.size()).sum() >= messages
                && planners.stream().mapToInt(each -> each.accepted.size()).sum() >= schedules;
    }

    // ------------------------------------------------------------------ many kills among runs

    /** A run each 10 ms: of a schedule for a device that is there, and of one for a device that is not, in turn. */
    @Test
    @Tag("hazard")
    void kill_againAndAgainWhileSchedulesRun_losesNoRunAndRepeatsUnderTheSameId() throws Exception {
        int schedules = 10;
        int times = 400;
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        Receiver here = new Receiver("here");
        Receiver away = new Receiver("away");
        for (int kills = 0; kills < 20; kills++) {
            try (GatewayProcess gateway = start()) {
                here.connect(gateway);
                for (int i = 0; kills == 0 && i < schedules; i++) {
                    plan(
                            gateway,
                            "tick-" + i,
                            i % 2 == 0 ? here.device : away.device,
                            "\"after\":\"" + (1_000 + 10 * i) + "ms\",\"every\":\"100ms\",\"times\":" + times);
                }
                int runs = 1 + random.nextInt(100);
                gateway.awaitWithin(
                        Await.LONG,
                        runs + " runs",
                        () -> gateway.metrics().sum("heartwheel_schedule_runs_total") >= runs);
                gateway.signal("KILL");
                assertEquals(128 + 9, gateway.awaitExit());
            }
        }
        try (GatewayProcess gateway = start()) {
            here.connect(gateway);
            away.connect(gateway);
            gateway.awaitWithin(Await.LONG.multipliedBy(3), "all have run", () -> isDone(gateway, "tick-"));
        }
        System.out.printf("seed %d: %d and %d messages came twice%n", seed, here.repeats.get(), away.repeats.get());
        for (int i = 0; i < schedules; i++) {
            String key = "tick-" + i;
            int runs = Stream.of(here, away)
                    .mapToInt(each -> each.ids.getOrDefault(key, Set.of()).size())
                    .sum();
            assertEquals(times, runs, () -> "runs of " + key + ", seed " + seed);
        }
    }
}
