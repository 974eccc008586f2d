package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.TestDatabase.Fate;
import io.heartwheel.session.FakeSession;
import io.heartwheel.wheel.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Many devices with rows on the disk and little memory, a disk that fails, and a wheel that is full now and then: whoever may go on does, and in the end nothing is left. */
class RowMemoryModelTest {
    private static final int WORLDS = Integer.getInteger("worlds", 300);
    private static final int STEPS = 250;

    @Test
    void rows_littleMemory_areDeliveredAsFarAsThereIsRoom() {
        RandomWorlds.run(WORLDS, (seed, database) -> new Model(seed, database).run());
    }

    private static final class Model {
        private final Random random;
        private final TestDatabase database;
        private final PushWorld world;
        private final int devices;
        private final FakeSession[] latest;
        private final int[] loopOf;
        private final boolean[] mute;
        private final boolean diskFails;
        private final boolean wheelFills;
        private final List<FakeSession> all = new ArrayList<>();
        private final List<Timer> filling = new ArrayList<>();
        private long lastId;
        private int works;

        Model(long seed, TestDatabase database) {
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            this.database = database;
            world = new PushWorld(3, database, 1_000_000_000_000_000L);
            devices = 2 + random.nextInt(14);
            latest = new FakeSession[devices];
            loopOf = new int[devices];
            mute = new boolean[devices];
            int kind = random.nextInt(4);
            diskFails = kind == 1;
            wheelFills = kind == 2;
            limit(600 + random.nextInt(random.nextBoolean() ? 3_000 : 20_000));
        }

        private void limit(long totalBytes) {
            world.pushes.reconfigure(new PushSettings(
                    100, 1 << 20, totalBytes, Duration.ofHours(1), 1 << 16, PushSettings.DEFAULTS.stored()));
        }

        private Fate fate() {
            works++;
            assertTrue(works < 20_000, "it spins");
            return !diskFails || random.nextInt(4) > 0
                    ? Fate.COMMITTED
                    : random.nextBoolean() ? Fate.FAILED : Fate.COMMITTED_UNKNOWN;
        }

        void run() {
            database.fate = this::fate;
            for (int step = 0; step < STEPS; step++) {
                step();
                works = 0;
            }
            empty();
            database.fate = () -> Fate.COMMITTED;
            for (int i = 0; i < devices; i++) {
                mute[i] = false;
                connect(i);
            }
            for (int i = 0; i < 200; i++) {
                world.pass(Duration.ofMillis(200));
                comeBack();
                all.forEach(Model::acknowledgeAll); // a new connection may have been refused in favour of one before
            }
            world.assertNothingLeft();
        }

        private void step() {
            int i = random.nextInt(devices);
            switch (random.nextInt(15)) {
                case 0 -> connect(i);
                case 1 -> {
                    if (latest[i] != null) {
                        world.loops.get(loopOf[i]).tasks.add(latest[i]::hangUp);
                        latest[i] = null;
                    }
                }
                case 2, 3, 4, 5 -> store(i);
                case 6 -> mute[i] = random.nextInt(3) == 0;
                case 7, 8 -> acknowledge(i, random.nextInt(6) > 0);
                case 9 -> world.pass(Duration.ofMillis(random.nextInt(1_200)));
                case 10 -> {
                    world.settle();
                    assertNobodyWaitsForNothing();
                }
                case 11 -> {
                    if (wheelFills && filling.isEmpty() && random.nextInt(3) == 0) {
                        fill();
                    } else {
                        empty();
                    }
                }
                case 12 -> world.pushes.cancel("d" + i, 1 + random.nextInt((int) lastId + 1), true);
                case 13 -> database.step(1 + random.nextInt(6));
                default -> world.loops.get(random.nextInt(3)).step();
            }
            database.step(random.nextInt(2));
            world.loops.get(random.nextInt(3)).step();
        }

        private void fill() {
            try {
                while (true) {
                    filling.add(world.gateway.timers.once(Duration.ofHours(9).toNanos(), () -> {}));
                }
            } catch (RejectedExecutionException full) {
                // as it should be
            }
        }

        private void empty() {
            filling.forEach(Timer::cancel);
            if (!filling.isEmpty()) {
                world.pass(Duration.ofMillis(100)); // cancelled ones leave the wheel when it turns
                filling.clear();
            }
        }

        private void store(int i) {
            lastId++;
            world.pushes.send(new Push(
                    "d" + i,
                    lastId,
                    true,
                    new byte[random.nextInt(random.nextInt(5) == 0 ? 3_000 : 200)],
                    random.nextInt(5) == 0 ? Push.Ack.SENT : Push.Ack.DEVICE,
                    false,
                    Duration.ofSeconds(random.nextInt(6) == 0 ? 1 : 600).toNanos(),
                    true));
        }

        private void connect(int i) {
            if (!filling.isEmpty()) {
                return; // it has no room for connections either
            }
            int loop = random.nextInt(3);
            FakeSession session = world.loops.get(loop).accept("heartwheel");
            session.onData = data -> {
                if (data.ackWanted() && !mute[i]) {
                    session.onLoop(() -> session.ack(data.messageId(), true));
                }
            };
            latest[i] = session;
            all.add(session);
            loopOf[i] = loop;
            world.loops.get(loop).tasks.add(() -> session.hello("d" + i, ""));
        }

        /** Whoever is not there connects again: an earlier connection, whose loop was late, has taken the id over and has hung up. */
        private void comeBack() {
            for (int i = 0; i < devices; i++) {
                if (world.gateway.registry.find("d" + i) == null) {
                    connect(i);
                }
            }
        }

        private void acknowledge(int i, boolean accepted) {
            FakeSession session = latest[i];
            if (session != null) {
                world.loops.get(loopOf[i]).tasks.add(() -> {
                    if (session.isEstablished()) {
                        List.copyOf(session.data).stream()
                                .filter(FakeSession.Data::ackWanted)
                                .forEach(data -> session.ack(data.messageId(), accepted));
                    }
                });
            }
        }

        private static void acknowledgeAll(FakeSession session) {
            session.onLoop(() -> {
                if (session.isEstablished()) {
                    List.copyOf(session.data).stream()
                            .filter(FakeSession.Data::ackWanted)
                            .forEach(data -> session.ack(data.messageId(), true));
                }
            });
        }

        /** With nothing in memory there is room: then no device that is there has anything left on the disk. */
        private void assertNobodyWaitsForNothing() {
            if (diskFails || !filling.isEmpty() || wheelFills || world.pushes.waiting() > 0) {
                return;
            }
            for (int i = 0; i < devices; i++) {
                if (latest[i] != null && latest[i].isEstablished()) {
                    int device = i;
                    assertEquals(
                            false, world.pushes.rows().room.has("d" + i), () -> "d" + device + " waits for nothing");
                }
            }
        }
    }
}
