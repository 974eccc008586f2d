package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Random pushes to a device that comes, goes, is taken over, does not read, acknowledges late, twice, never or what it does not know, on three loops whose tasks
 * run in any order. The model knows only what the device has seen and said.
 */
class PushesModelTest {
    private static final int WORLDS = 400;
    private static final int STEPS = 400;
    private static final long SEED = Long.getLong("test.seed", System.nanoTime());

    @Test
    void pushes_anyOrderOfEvents_tellOnlyWhatTheDeviceHasSaid() {
        Map<Outcome, Integer> seen = new EnumMap<>(Outcome.class);
        long resends = 0;
        long stray = 0;
        for (int world = 0; world < WORLDS; world++) {
            long seed = SEED + world;
            try {
                Model model = new Model(seed);
                model.run();
                model.results.values().forEach(result -> seen.merge(result.outcome(), 1, Integer::sum));
                resends += model.world.pushes.resends();
                stray += model.world.pushes.strayAcks();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("test.seed = " + seed, failed);
            }
        }
        System.out.println("test.seed = " + SEED + ": " + seen + ", sent again " + resends + ", stray ACKs " + stray);
        assertEquals(
                EnumSet.of(
                        Outcome.SENT,
                        Outcome.RECEIVED,
                        Outcome.ACKNOWLEDGED,
                        Outcome.REPLIED,
                        Outcome.OFFLINE,
                        Outcome.EXPIRED,
                        Outcome.CANNOT_ACKNOWLEDGE,
                        Outcome.BUSY),
                seen.keySet(),
                "each kind of end is met");
        assertTrue(resends > WORLDS && stray > WORLDS);
    }

    private static final class Model {
        private final Random random;
        private final PushWorld world = new PushWorld(3);
        /** Whether each push is accepted before the next is made, so that the order is known. */
        private final boolean inOrder;
        /** Whether the device sometimes says not now; what it says so of loses its place. */
        private final boolean refuses;

        private final List<FakeSession> sessions = new ArrayList<>();
        private final Map<Long, Integer> loopOf = new HashMap<>();
        private final Set<Long> acknowledged = new HashSet<>();
        private final Set<Long> refused = new HashSet<>();
        private final Set<Long> read = new HashSet<>();
        private final Set<Long> answered = new HashSet<>();
        private final Map<Long, PushResult> results = new HashMap<>();
        /** What a result contradicted; who completes a future does not hear of it. */
        private final List<AssertionError> contradictions = new ArrayList<>();

        private long lastId;

        Model(long seed) {
            random = new Random(seed);
            inOrder = random.nextBoolean();
            refuses = random.nextInt(3) == 0;
        }

        void run() {
            connect();
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            world.pass(Duration.ofSeconds(12));
            for (AssertionError contradiction : contradictions) {
                throw contradiction;
            }
            assertEquals(lastId, results.size(), "each message has a result");
            world.assertNothingLeft();
            sessions.forEach(session -> world.on(session, session::hangUp));
            world.settle();
            assertEquals(0, world.gateway.armed(), "entries of the wheel");
            for (FakeSession session : sessions) {
                assertOrder(session);
            }
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0 -> connect();
                case 1 -> device(FakeSession::hangUp);
                case 2, 3, 4 -> push();
                case 5, 6 -> device(this::ack);
                case 7 -> device(this::pong);
                case 8 -> device(this::answer);
                case 9 -> device(session -> session.drains(random.nextInt(3) > 0));
                case 10 -> {
                    long nanos = random.nextInt(3) * VirtualGateway.TICK_NANOS * (1 + random.nextInt(20));
                    world.gateway.moveTo(world.gateway.now() + nanos);
                }
                default -> world.settle();
            }
            for (int tasks = random.nextInt(4); tasks > 0; tasks--) {
                world.loops.get(random.nextInt(3)).step();
            }
        }

        private void connect() {
            int loop = random.nextInt(3);
            FakeSession session = world.loops.get(loop).accept(random.nextInt(5) == 0 ? "plain" : "heartwheel");
            loopOf.put(session.sessionId(), loop);
            sessions.add(session);
            world.loops.get(loop).tasks.add(() -> session.hello(PushWorld.DEVICE, ""));
        }

        /** One of the latest connections, so that most are still there. */
        private void device(Consumer<FakeSession> does) {
            FakeSession session = sessions.get(sessions.size() - 1 - random.nextInt(Math.min(2, sessions.size())));
            world.loops
                    .get(Objects.requireNonNull(loopOf.get(session.sessionId())))
                    .tasks
                    .add(() -> {
                        if (session.isEstablished()) {
                            does.accept(session);
                        }
                    });
        }

        private void push() {
            long id = ++lastId;
            boolean reply = random.nextInt(6) == 0;
            Push.Ack ack = reply ? Push.Ack.DEVICE : Push.Ack.values()[random.nextInt(3)];
            long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(10_000));
            long nowNanos = world.gateway.now();
            if (inOrder) {
                world.settle();
            }
            world.pushes
                    .send(new Push(
                            PushWorld.DEVICE, id, true, new byte[random.nextInt(100)], ack, reply, timeoutNanos, false))
                    .whenComplete((result, fault) -> {
                        try {
                            assertNull(results.put(id, result), "a second result");
                            judge(id, result, world.gateway.now() - nowNanos - timeoutNanos);
                        } catch (AssertionError contradiction) {
                            contradictions.add(contradiction);
                        }
                    });
            if (inOrder) {
                world.settle();
            }
        }

        private void judge(long id, PushResult result, long lateNanos) {
            switch (result.outcome()) {
                case ACKNOWLEDGED -> assertTrue(acknowledged.contains(id), "not acknowledged: " + id);
                case RECEIVED -> assertTrue(read.contains(id), "not read: " + id);
                case REPLIED -> assertTrue(answered.contains(id), "not answered: " + id);
                case SENT ->
                    assertTrue(
                            sessions.stream()
                                    .anyMatch(session -> PushWorld.ids(session).contains(id)),
                            "not sent: " + id);
                case EXPIRED -> assertTrue(lateNanos >= 0, "expired early: " + id);
                case OFFLINE, BUSY, CANNOT_ACKNOWLEDGE ->
                    assertTrue(
                            sessions.stream()
                                    .noneMatch(session -> PushWorld.ids(session).contains(id)),
                            "sent nevertheless: " + id);
                default -> throw new AssertionError(result);
            }
        }

        // ---- what the device does, on its loop

        private long anyId(FakeSession session) {
            int size = session.data.size();
            return size == 0 || random.nextInt(10) == 0
                    ? 1 + random.nextInt((int) lastId + 1)
                    : session.data.get(random.nextInt(size)).messageId();
        }

        private void ack(FakeSession session) {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                long id = anyId(session);
                boolean accepted = !(refuses && random.nextBoolean());
                (accepted ? acknowledged : refused).add(id);
                session.ack(id, accepted);
            }
        }

        private void pong(FakeSession session) {
            if (session.pings.isEmpty() || random.nextInt(10) == 0) {
                session.pong(random.nextInt(3));
                return;
            }
            FakeSession.Ping ping = session.pings.get(random.nextInt(session.pings.size()));
            session.data.stream().limit(ping.behind()).forEach(data -> read.add(data.messageId()));
            session.pong(ping.number());
        }

        private void answer(FakeSession session) {
            long id = anyId(session);
            answered.add(id);
            session.reply(id, true, new byte[1]);
        }

        // ---- what it has seen

        /** Each message once a connection, in the order of acceptance. */
        private void assertOrder(FakeSession session) {
            List<Long> seen = PushWorld.ids(session).stream()
                    .filter(id -> !refused.contains(id))
                    .toList();
            assertEquals(seen.size(), new HashSet<>(seen).size(), () -> "twice over one connection: " + seen);
            if (inOrder) {
                assertEquals(seen.stream().sorted().toList(), seen);
            }
        }
    }
}
