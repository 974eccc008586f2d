package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grant;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Jobs among devices that come, go, are taken over by another loop, do not read, and acknowledge late or never; tasks of the loops and of the jobs' thread run in
 * any order, and some jobs are cancelled at any moment. The model knows whom a job is for, and what the devices have seen.
 */
class JobsModelTest {
    private static final int WORLDS = 600;
    private static final int STEPS = 300;
    private static final String GROUP = "even";

    @Test
    void job_anyOrderOfEvents_countsEachDeviceOnce() {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        Map<JobProgress.State, Integer> states = new EnumMap<>(JobProgress.State.class);
        RandomWorlds.run(WORLDS, (seed, database) -> {
            JobProgress over = new Model(seed, database).run();
            over.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Integer::sum));
            states.merge(over.state(), 1, Integer::sum);
        });
        System.out.println("test.seed = " + RandomWorlds.SEED + ": " + states + ", " + outcomes);
        assertTrue(
                outcomes.keySet()
                        .containsAll(EnumSet.of(
                                Outcome.SENT,
                                Outcome.ACKNOWLEDGED,
                                Outcome.OFFLINE,
                                Outcome.EXPIRED,
                                Outcome.CANCELLED,
                                Outcome.CANNOT_ACKNOWLEDGE,
                                Outcome.BUSY)),
                "each kind of end is met");
        assertEquals(EnumSet.of(JobProgress.State.DONE, JobProgress.State.CANCELLED), states.keySet());
    }

    private static final class Model {
        private static final long MESSAGE = 4711;

        private final Random random;
        private final boolean store;
        private final TestDatabase database;
        private final PushWorld world;
        private final List<SessionContext> contexts = new ArrayList<>();
        private final JobsWorld its;
        private final Jobs jobs;

        private final List<String> ids = new ArrayList<>();
        /** The latest connection of each device. */
        private final Map<String, FakeSession> latest = new HashMap<>();

        private final Map<FakeSession, Integer> loopOf = new HashMap<>();
        /** Devices that stayed and read all the while. */
        private final Set<String> steady = new HashSet<>();

        private final Set<String> acknowledged = new HashSet<>();
        private final List<JobProgress> told = new ArrayList<>();
        private long lastSession;

        Model(long seed, TestDatabase database) {
            random = new Random(seed);
            this.database = database;
            store = random.nextInt(3) == 0;
            world = store ? new PushWorld(3, database, 1_000_000_000_000_000L) : new PushWorld(3);
            its = new JobsWorld(world, 1_000);
            jobs = its.jobs;
        }

        JobProgress run() {
            populate();
            steady.addAll(ids);
            Push.Ack ack = random.nextBoolean() ? Push.Ack.SENT : Push.Ack.DEVICE;
            String group = random.nextBoolean() ? GROUP : null;
            Set<String> targets = targets(group);
            int rate = random.nextInt(3) == 0 ? 100 + random.nextInt(2_000) : 0;
            JobProgress begun = jobs.start(
                    new Broadcast(
                            MESSAGE,
                            group,
                            true,
                            PushWorld.text("m"),
                            ack,
                            Duration.ofSeconds(5).toNanos(),
                            store,
                            rate),
                    told::add);
            boolean isCounted = random.nextInt(10) > 0;
            if (isCounted) {
                assertTrue(its.step());
                assertEquals(targets.size(), progress(begun).devices());
            }
            int cancelAt = random.nextInt(3) == 0 ? random.nextInt(STEPS) : STEPS;
            for (int step = 0; step < STEPS; step++) {
                if (step == cancelAt) {
                    jobs.cancel(begun.id());
                }
                step();
                assertAddsUp(progress(begun));
            }
            pass(Duration.ofSeconds(20));
            JobProgress over = progress(begun);
            assertTrue(over.state().isOver(), "over");
            assertAddsUp(over);
            assertEquals(0, over.unanswered());
            assertEquals(1, told.size(), "its end is told once");
            assertTrue(store || told.contains(over));
            if (over.state() == JobProgress.State.DONE) {
                assertEquals(over.devices(), over.handed());
                steady.retainAll(targets);
                steady.forEach(id ->
                        assertEquals(ack == Push.Ack.SENT || latest.get(id).canAcknowledge() ? 1 : 0, seen(id), id));
            }
            int everSeen = ids.stream().mapToInt(this::seen).sum();
            if (store) {
                assertKept(over);
            } else if (ack == Push.Ack.SENT) {
                assertEquals(over.outcomes().getOrDefault(Outcome.SENT, 0), everSeen, "each SENT was written once");
            } else {
                assertTrue(over.outcomes().getOrDefault(Outcome.ACKNOWLEDGED, 0) <= acknowledged.size());
            }
            if (isCounted) {
                ids.stream().filter(id -> !targets.contains(id)).forEach(id -> assertEquals(0, seen(id), id));
            }
            world.assertNothingLeft();
            return over;
        }

        /** Each is on the disk or was taken back, and what is taken back at last is gone. */
        private void assertKept(JobProgress over) {
            assertTrue(
                    EnumSet.of(Outcome.QUEUED, Outcome.CANCELLED)
                            .containsAll(over.outcomes().keySet()),
                    over::toString);
            jobs.cancel(over.id());
            pass(Duration.ofSeconds(2));
            assertAddsUp(progress(over));
            assertEquals(over.handed(), progress(over).handed());
            world.pushes.sweep(); // what was for devices that are not known any more
            its.settle();
        }

        private void populate() {
            int devices = 1 + random.nextInt(random.nextBoolean() ? 6 : 700);
            for (int i = 0; i < 3; i++) {
                SessionContext plain = world.loops.get(i).accept("heartwheel").sessionContext();
                contexts.add(plain.through(1, "g", plain.policy(), new AuthPolicy(new Grants(), cause -> false, 0)));
            }
            for (int i = 0; i < devices; i++) {
                ids.add("dev-" + i);
                connect("dev-" + i);
            }
            its.settle();
        }

        private JobProgress progress(JobProgress begun) {
            return jobs.find(begun.id()).orElseThrow();
        }

        private static void assertAddsUp(JobProgress job) {
            int results =
                    job.outcomes().values().stream().mapToInt(each -> each).sum();
            assertEquals(job.handed(), results + job.unanswered());
            assertTrue(job.devices() < 0 ? job.handed() == 0 : job.handed() <= job.devices());
        }

        private Set<String> targets(String group) {
            Set<String> targets = new HashSet<>(ids);
            if (group != null) {
                targets.removeIf(id -> !isGranted(id));
                for (int i = random.nextInt(20); i > 0; i--) {
                    String id = random.nextBoolean() ? "away-" + i : ids.get(random.nextInt(ids.size()));
                    its.members.add(group, id);
                    targets.add(id);
                }
            }
            return targets;
        }

        private static boolean isGranted(String id) {
            return (id.charAt(id.length() - 1) & 1) == 0;
        }

        private void step() {
            String id = ids.get(random.nextInt(ids.size()));
            switch (random.nextInt(14)) {
                case 0 -> {
                    steady.remove(id);
                    connect(id);
                }
                case 1 -> {
                    steady.remove(id);
                    on(id, FakeSession::hangUp);
                }
                case 2 -> {
                    steady.remove(id);
                    on(id, session -> session.drains(random.nextInt(3) > 0));
                }
                case 3 -> {
                    ids.add("late-" + ids.size());
                    connect(ids.get(ids.size() - 1));
                }
                case 4 -> acknowledge(id);
                case 5 -> database.step(1 + random.nextInt(20));
                case 6 -> world.gateway.pass(Duration.ofMillis(20L * random.nextInt(8)));
                case 7, 8, 9 -> its.step();
                default -> world.loops.get(random.nextInt(3)).step();
            }
        }

        private void connect(String id) {
            int loop = random.nextInt(3);
            lastSession++;
            FakeSession session = new FakeSession(
                            contexts.get(loop),
                            random.nextInt(8) == 0 ? "plain" : "heartwheel",
                            "192.0.2.1:" + lastSession,
                            world.loops.get(loop)::onLoop)
                    .accept(lastSession);
            loopOf.put(session, loop);
            sessions(id).add(session);
            world.loops.get(loop).tasks.add(() -> {
                if (latest.get(id) == session) {
                    session.hello(id, "");
                }
            });
            latest.put(id, session);
        }

        private final Map<String, List<FakeSession>> sessionsOf = new HashMap<>();

        private List<FakeSession> sessions(String id) {
            return sessionsOf.computeIfAbsent(id, none -> new ArrayList<>());
        }

        private int seen(String id) {
            return sessions(id).stream()
                    .mapToInt(session -> session.data.size())
                    .sum();
        }

        private void on(String id, Consumer<FakeSession> what) {
            FakeSession session = latest.get(id);
            world.loops.get(loopOf.get(session)).tasks.add(() -> what.accept(session));
        }

        private void acknowledge(String id) {
            on(id, session -> {
                if (!session.data.isEmpty() && session.canAcknowledge()) {
                    acknowledged.add(id);
                    session.ack(MESSAGE, true);
                }
            });
        }

        private void pass(Duration time) {
            long until = world.gateway.now() + time.toNanos();
            its.settle();
            while (until - world.gateway.now() > 0) {
                world.gateway.pass(Duration.ofMillis(20));
                its.settle();
            }
        }

        private static final class Grants implements Authenticator {
            @Override
            public String name() {
                return "grants";
            }

            @Override
            public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
                List<String> groups =
                        isGranted(new String(request.deviceId(), StandardCharsets.UTF_8)) ? List.of(GROUP) : List.of();
                answer.accept(
                        new AuthResult.Admitted(new Grant(0, 0, "", groups, Map.of()), AuthResult.Admitted.NEVER));
            }
        }
    }
}
