package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.TestDatabase.Fate;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Random messages, kept and direct, to a device that comes, goes, is taken over, does not read, acknowledges or refuses, on three loops and a disk whose tasks run in
 * any order; the disk fails, with and without having written; the process is killed, and another goes on with what was committed, or with a damaged page less. There may be
 * memory for two or three. The model knows only what was told and what the device has seen.
 */
class StoredPushesModelTest {
    private static final int WORLDS = 300;
    private static final int STEPS = 300;
    private static final long SEED = Long.getLong("test.seed", System.nanoTime());

    @Test
    void stored_anyOrderOfEventsAndKills_isDeliveredExpiredOrCancelledAsPromised() throws Exception {
        Map<Outcome, Long> ends = new EnumMap<>(Outcome.class);
        int kills = 0;
        for (int world = 0; world < WORLDS; world++) {
            long seed = SEED + world;
            try (TestDatabase database = new TestDatabase()) {
                Model model = new Model(seed, database);
                model.run();
                kills += model.kills;
                model.counted.forEach((outcome, count) -> ends.merge(outcome, count, Long::sum));
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("test.seed = " + seed, failed);
            }
        }
        System.out.println("test.seed = " + SEED + ": " + ends + ", kills " + kills);
        for (Outcome outcome : List.of(
                Outcome.QUEUED,
                Outcome.ACKNOWLEDGED,
                Outcome.RECEIVED,
                Outcome.SENT,
                Outcome.EXPIRED,
                Outcome.CANCELLED,
                Outcome.NOT_STORED)) {
            assertTrue(ends.getOrDefault(outcome, 0L) > WORLDS / 2, () -> outcome + ": " + ends);
        }
    }

    /** What is known of one message. */
    private static final class Known {
        private final Push push;
        private final long expiresMicros;
        private PushResult result;
        private boolean seen;
        private boolean fulfilled;
        private boolean cancelled;
        /** Connections that there had been by then. */
        private int cancelledAt = Integer.MAX_VALUE;
        /** Killed before its result was told. */
        private boolean lost;

        private Known(Push push, long expiresMicros) {
            this.push = push;
            this.expiresMicros = expiresMicros;
        }
    }

    /** When a connection said HELLO. */
    private record Birth(int number, long atMicros) {}

    private static final class Model {
        private final Random random;
        private final TestDatabase database;
        private final boolean diskFails;
        private final boolean kill;
        /** Whether each message is accepted before the next, so that the order is known. */
        private final boolean inOrder;
        /** Whether there is memory for few. */
        private final boolean tight;

        private final boolean damage;
        private int damages;
        private int lost;

        private PushWorld world;
        private final List<FakeSession> sessions = new ArrayList<>();
        private final Map<FakeSession, PushWorld.Loop> loopOf = new HashMap<>();
        private final Map<FakeSession, Birth> births = new HashMap<>();
        private final Map<Long, Known> messages = new HashMap<>();
        private final Set<Long> refused = new HashSet<>();
        private final Map<Outcome, Long> counted = new EnumMap<>(Outcome.class);
        private final List<AssertionError> contradictions = new ArrayList<>();
        private long lastId;
        private int kills;

        Model(long seed, TestDatabase database) {
            random = new Random(seed * 0x9E3779B97F4A7C15L); // else neighbours begin alike
            this.database = database;
            diskFails = random.nextBoolean();
            kill = random.nextBoolean();
            inOrder = random.nextBoolean();
            tight = random.nextInt(3) == 0;
            damage = random.nextInt(3) == 0;
            world = begin(1_000_000_000_000_000L);
        }

        private PushWorld begin(long nowMicros) {
            PushWorld begun = new PushWorld(3, database, nowMicros);
            if (tight) {
                begun.pushes.reconfigure(new PushSettings(
                        256, 1 << 20, 3_000, Duration.ofHours(24), 16 << 20, PushSettings.DEFAULTS.stored()));
            }
            return begun;
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                database.fate = this::fate;
                step();
            }
            database.fate = () -> Fate.COMMITTED;
            deliverTheRest();
            for (AssertionError contradiction : contradictions) {
                throw contradiction;
            }
            if (damages == 0) {
                world.assertNothingLeft();
            } else {
                assertEquals(0, world.pushes.waiting(), "messages");
                assertEquals(0, world.pushes.waitingBytes(), "bytes");
                assertEquals(0, world.pushes.queues(), "queues");
                assertEquals(0, world.gateway.timers.pending(), "timers");
                assertEquals(0, world.pushes.rows().room.count(), "messages on the disk");
                assertTrue(world.pushes.rows().claimed() <= damages, "claims");
                assertTrue(database.ask("SELECT count(*) FROM message") <= damages, "rows");
            }
            messages.forEach(this::judge);
            sessions.forEach(this::judge);
            assertTrue(lost <= damages, () -> lost + " lost, " + damages + " damaged");
            count();
            if (kills == 0) {
                assertEquals(
                        messages.size() + counted.getOrDefault(Outcome.QUEUED, 0L),
                        counted.values().stream().mapToLong(each -> each).sum(),
                        () -> "each has a result, and one that is kept an end: " + counted);
            }
        }

        private Fate fate() {
            return !diskFails || random.nextInt(4) > 0
                    ? Fate.COMMITTED
                    : random.nextBoolean() ? Fate.FAILED : Fate.COMMITTED_UNKNOWN;
        }

        /** A device that acknowledges all, over several connections: a peer of another kind may be there. */
        private void deliverTheRest() {
            world.pass(Duration.ofSeconds(2));
            FakeSession last = connect("heartwheel");
            last.onData = data -> {
                saw(last, data);
                if (data.ackWanted()) {
                    last.onLoop(() -> ack(last, data.messageId(), true));
                }
            };
            world.settle();
            for (int round = 0; round < 40; round++) {
                world.pass(Duration.ofMillis(500));
                world.on(last, () -> {
                    if (!last.pings.isEmpty()) {
                        pong(last, last.pings.get(last.pings.size() - 1));
                    }
                });
            }
        }

        private void step() {
            switch (random.nextInt(14)) {
                case 0 -> connect(random.nextInt(5) == 0 ? "plain" : "heartwheel");
                case 1 -> device(FakeSession::hangUp);
                case 2, 3, 4 -> push(true);
                case 5 -> push(false);
                case 6, 7 -> device(session -> anyOf(session, id -> ack(session, id, random.nextInt(8) > 0)));
                case 8 ->
                    device(session -> {
                        if (!session.pings.isEmpty()) {
                            pong(session, session.pings.get(random.nextInt(session.pings.size())));
                        }
                    });
                case 9 -> device(session -> session.drains(random.nextInt(3) > 0));
                case 10 -> world.pass(Duration.ofMillis(random.nextInt(1_500)));
                case 11 -> cancel();
                case 12 -> {
                    if (kill && random.nextInt(5) == 0) {
                        kill();
                    }
                }
                default -> world.settle();
            }
            for (int tasks = random.nextInt(5); tasks > 0; tasks--) {
                if (random.nextInt(3) == 0) {
                    database.step(1 + random.nextInt(4));
                } else {
                    world.loops.get(random.nextInt(3)).step();
                }
            }
        }

        private FakeSession connect(String protocol) {
            PushWorld.Loop loop = world.loops.get(random.nextInt(3));
            FakeSession session = loop.accept(protocol);
            sessions.add(session);
            loopOf.put(session, loop);
            PushWorld its = world;
            session.onData = data -> saw(session, data);
            loop.tasks.add(() -> {
                births.put(session, new Birth(births.size() + 1, its.nowMicros()));
                session.hello(PushWorld.DEVICE, "");
            });
            return session;
        }

        private void saw(FakeSession session, FakeSession.Data data) {
            Known known = messages.get(data.messageId());
            known.seen = true;
            Birth born = births.get(session);
            try {
                // what was on its way to the loop of an older connection may still be written
                assertTrue(
                        !known.push.store() || known.expiresMicros > born.atMicros,
                        () -> "sent after its time: " + data.messageId());
                assertTrue(born.number <= known.cancelledAt, () -> "sent though taken back: " + data.messageId());
            } catch (AssertionError contradiction) {
                contradictions.add(contradiction);
            }
            known.fulfilled |= known.push.ack() == Push.Ack.SENT;
        }

        private void device(Consumer<FakeSession> does) {
            if (sessions.isEmpty()) {
                return;
            }
            FakeSession session = sessions.get(sessions.size() - 1 - random.nextInt(Math.min(2, sessions.size())));
            loopOf.get(session).tasks.add(() -> {
                if (session.isEstablished()) {
                    does.accept(session);
                }
            });
        }

        private void anyOf(FakeSession session, Consumer<Long> does) {
            if (!session.data.isEmpty()) {
                does.accept(
                        session.data.get(random.nextInt(session.data.size())).messageId());
            }
        }

        private void ack(FakeSession session, long id, boolean accepted) {
            if (accepted) {
                messages.get(id).fulfilled = true;
            } else {
                refused.add(id);
            }
            session.ack(id, accepted);
        }

        private void pong(FakeSession session, FakeSession.Ping ping) {
            session.data.stream()
                    .limit(ping.behind())
                    .map(data -> messages.get(data.messageId()))
                    .filter(known -> known.push.ack() == Push.Ack.RECEIVED)
                    .forEach(known -> known.fulfilled = true);
            session.pong(ping.number());
        }

        private void push(boolean store) {
            long id = ++lastId;
            Duration timeout = Duration.ofMillis(random.nextInt(4) == 0 ? 1 + random.nextInt(3_000) : 15_000);
            Push push = new Push(
                    PushWorld.DEVICE,
                    id,
                    true,
                    payload(),
                    Push.Ack.values()[random.nextInt(3)],
                    false,
                    timeout.toNanos(),
                    store);
            if (inOrder) {
                world.settle();
            }
            Known known = new Known(push, world.nowMicros() + timeout.toNanos() / 1_000);
            messages.put(id, known);
            PushWorld its = world;
            its.pushes.send(push).whenComplete((result, fault) -> {
                if (its == world) {
                    known.result = result;
                }
            });
            if (inOrder) {
                world.settle();
            }
        }

        /** Some have whole pages of their own, which can be damaged. */
        private byte[] payload() {
            byte[] payload = new byte[damage && random.nextInt(3) == 0 ? 9_000 : random.nextInt(100)];
            Arrays.fill(payload, (byte) 'x');
            return payload;
        }

        private void cancel() {
            long id = 1L + random.nextInt((int) lastId + 1);
            PushWorld its = world;
            its.pushes.cancel(PushWorld.DEVICE, id, true).whenComplete((any, fault) -> {
                if (fault == null && any && its == world) {
                    messages.get(id).cancelled = true;
                    messages.get(id).cancelledAt = births.size();
                }
            });
        }

        /** What is not committed is lost, and nobody hears of what was under way. */
        private void kill() {
            kills++;
            count();
            sessions.forEach(this::judge);
            database.kill();
            database.fate = () -> Fate.COMMITTED;
            messages.values().forEach(known -> known.lost |= known.result == null);
            sessions.clear();
            if (damage) {
                damages++;
                database.damage(TestDatabase.payloadOf('x'));
            }
            world = begin(world.nowMicros());
        }

        private void count() {
            world.pushes.outcomes((outcome, count) -> counted.merge(outcome, count, Long::sum));
        }

        // ---- what became of it

        private void judge(long id, Known known) {
            if (known.result == null) {
                assertTrue(known.lost, () -> "no result: " + id);
            } else if (known.result.outcome() == Outcome.QUEUED) {
                boolean over = known.fulfilled || known.cancelled || known.expiresMicros - world.nowMicros() <= 0;
                lost += over ? 0 : 1;
                assertTrue(
                        over || damages > 0,
                        () -> "neither delivered nor taken back, and its time is not over: " + id + " " + known.push);
            } else if (known.push.store() && kills == 0) {
                assertTrue(!known.seen, () -> "sent nevertheless: " + id + " " + known.result);
            }
        }

        /** Each message once a connection, in the order of acceptance, but for what the device did not want. */
        private void judge(FakeSession session) {
            List<Long> seen = PushWorld.ids(session).stream()
                    .filter(id -> !refused.contains(id))
                    .toList();
            assertEquals(seen.size(), new HashSet<>(seen).size(), () -> "twice over one connection: " + seen);
            if (inOrder) {
                boolean plain = session.protocolName().equals("plain");
                assertEquals(seen.stream().sorted().toList(), seen, () -> plain ? "plain" : "frames");
            }
        }
    }
}
