package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Several jobs that share little memory, among devices of which some are mute: whenever all is at rest, each job has what it may have, and in the end all are over. */
class JobsShareModelTest {
    private static final int WORLDS = 100;
    private static final int STEPS = 250;

    @Test
    void jobs_littleMemory_eachGoesOnAsFarAsThereIsRoom() {
        RandomWorlds.run(WORLDS, (seed, database) -> new Model(seed, database).run());
    }

    private record Begun(long id, int bytes, boolean store, int rate) {}

    private static final class Model {
        private final Random random;
        private final TestDatabase database;
        private final PushWorld world;
        private final JobsWorld its;
        private final Jobs jobs;
        private final List<FakeSession> sessions = new ArrayList<>();
        private final Set<Integer> mute = new HashSet<>();
        private final List<Begun> begun = new ArrayList<>();
        private final long total;

        Model(long seed, TestDatabase database) {
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            this.database = database;
            world = new PushWorld(3, database, 1_000_000_000_000_000L);
            total = 512L * (2 + random.nextInt(random.nextBoolean() ? 40 : 400));
            world.pushes.reconfigure(new PushSettings(
                    256, 1 << 20, total, Duration.ofHours(1), 1 << 16, PushSettings.DEFAULTS.stored()));
            its = new JobsWorld(world, 5_000);
            jobs = its.jobs;
        }

        void run() {
            int devices = 5 + random.nextInt(150);
            for (int i = 0; i < devices; i++) {
                String id = "dev-" + i;
                its.members.add("g", id);
                if (random.nextInt(10) > 0) {
                    FakeSession session = its.connect(random.nextInt(3), id);
                    if (random.nextInt(8) == 0) {
                        mute.add(sessions.size());
                    }
                    sessions.add(session);
                }
            }
            int most = 2 + random.nextInt(4);
            for (int step = 0; step < STEPS; step++) {
                step(most);
            }
            for (int i = 0; i < 2_000 && isAnyUnderWay(); i++) {
                sessions.forEach(this::acknowledge);
                pass(40);
            }
            for (Begun job : begun) {
                JobProgress over = progress(job);
                assertTrue(over.state().isOver(), over::toString);
                assertEquals(0, over.unanswered());
                jobs.cancel(job.id);
            }
            settle();
            world.pushes.sweep();
            settle();
            world.assertNothingLeft();
        }

        private boolean isAnyUnderWay() {
            return begun.stream().anyMatch(job -> !progress(job).state().isOver());
        }

        private void step(int most) {
            switch (random.nextInt(12)) {
                case 0 -> begin(most);
                case 1, 2, 3 -> {
                    int which = random.nextInt(Math.max(1, sessions.size()));
                    if (which < sessions.size() && !mute.contains(which)) {
                        acknowledge(sessions.get(which));
                    }
                }
                case 4, 5 -> its.step();
                case 6 -> database.step(1 + random.nextInt(20));
                case 7 -> world.gateway.pass(Duration.ofMillis(20L * random.nextInt(4)));
                case 8 -> {
                    if (!begun.isEmpty() && random.nextInt(8) == 0) {
                        jobs.cancel(begun.get(random.nextInt(begun.size())).id);
                    }
                }
                case 9 -> {
                    settle();
                    assertEachHasItsPart(true);
                    assertEachHasItsPart(false);
                }
                default -> world.loops.get(random.nextInt(3)).step();
            }
        }

        private void begin(int most) {
            if (begun.size() < most) {
                boolean store = random.nextInt(4) == 0;
                int rate = random.nextInt(5) == 0 ? 50 + random.nextInt(500) : 0;
                int bytes = random.nextInt(3) == 0 ? random.nextInt(6_000) : random.nextInt(50);
                long id = 1_000L + begun.size();
                JobProgress job = jobs.start(new Broadcast(
                        id,
                        "g",
                        true,
                        new byte[bytes],
                        store || random.nextInt(4) > 0 ? Push.Ack.DEVICE : Push.Ack.RECEIVED,
                        Duration.ofSeconds(4).toNanos(),
                        store,
                        rate));
                begun.add(new Begun(job.id(), bytes, store, rate));
            }
        }

        private long most(Begun job) {
            long fit = Math.max(1, total / (job.store ? 4 : 2) / (PushSettings.MESSAGE_BYTES + job.bytes));
            return job.store ? Math.min(1_000, fit) : fit;
        }

        private void assertEachHasItsPart(boolean store) {
            List<Begun> sharers = begun.stream()
                    .filter(job -> job.store == store && !progress(job).state().isOver())
                    .toList();
            for (Begun job : sharers) {
                JobProgress now = progress(job);
                if (now.state() != State.RUNNING || job.rate > 0) {
                    continue;
                }
                double free = 1;
                for (Begun other : sharers) {
                    free -= other.equals(job) ? 0 : (progress(other).unanswered() + lag(other)) / (double) most(other);
                }
                long share = Math.max(1, most(job) / sharers.size());
                long may = Math.max(1, Math.min(share, (long) (most(job) * free)));
                long least = Math.max(1, may - lag(job));
                assertTrue(now.unanswered() >= least, () -> "need " + least + ": " + now + " of " + sharers);
                assertTrue(now.unanswered() <= most(job), now::toString);
            }
        }

        private long lag(Begun job) {
            return Math.max(1, Math.min(250, most(job) / 4));
        }

        private JobProgress progress(Begun job) {
            return jobs.find(job.id).orElseThrow();
        }

        private void acknowledge(FakeSession session) {
            session.onLoop(() -> {
                if (session.isEstablished()) {
                    session.data.stream()
                            .filter(FakeSession.Data::ackWanted)
                            .map(FakeSession.Data::messageId)
                            .distinct()
                            .forEach(id -> session.ack(id, true));
                    if (!session.pings.isEmpty()) {
                        session.pong(session.pings.get(session.pings.size() - 1).number());
                    }
                }
            });
        }

        private void settle() {
            jobs.sweep();
            its.settle();
        }

        private void pass(long millis) {
            settle();
            for (long i = 0; i < millis; i += 20) {
                world.gateway.pass(Duration.ofMillis(20));
                settle();
            }
            world.pushes.sweep();
            settle();
        }
    }
}
