package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.TestDatabase.Fate;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleTarget;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Messages to many that are kept on the disk, and jobs with much in memory. */
class StoredJobsTest {
    private static final long ID = Long.MIN_VALUE | 4711;

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private PushWorld world;
    private JobsWorld its;
    private GroupMembers members;
    private Jobs jobs;

    StoredJobsTest() {
        start(1_000_000_000_000_000L);
    }

    private void start(long nowMicros) {
        world = new PushWorld(2, database, nowMicros);
        its = new JobsWorld(world, 5_000);
        members = its.members;
        jobs = its.jobs;
    }

    /** kill -9, and a start. */
    private void restart() {
        database.kill();
        start(world.nowMicros());
    }

    private void away(int count) {
        for (int i = 0; i < count; i++) {
            members.add("g", "away-" + i);
        }
    }

    private FakeSession connect(String id) {
        return its.connect(0, id);
    }

    private List<FakeSession> connectMembers(int count) {
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add("g", "dev-" + i);
            devices.add(connect("dev-" + i));
        }
        return devices;
    }

    /** What they have, and what comes. */
    private static void acknowledgeAll(List<FakeSession> devices) {
        for (FakeSession device : devices) {
            device.onData = data -> device.onLoop(() -> device.ack(data.messageId(), true));
            device.data.forEach(data -> device.onLoop(() -> device.ack(data.messageId(), true)));
        }
    }

    private JobProgress start(Push.Ack ack, byte[] payload, boolean store) {
        return jobs.start(
                new Broadcast(ID, "g", true, payload, ack, Duration.ofHours(1).toNanos(), store, 0));
    }

    private JobProgress stored(Push.Ack ack) {
        return start(ack, PushWorld.text("m"), true);
    }

    private JobProgress settled(JobProgress job) {
        its.settle();
        return jobs.find(job.id()).orElseThrow();
    }

    private void steps(int count, int commits) {
        for (int i = 0; i < count; i++) {
            its.step();
            database.step(commits);
        }
    }

    private long rows() {
        return database.ask("SELECT count(*) FROM message");
    }

    // ------------------------------------------------------------------ kept

    @Test
    void store_membersAreAway_isOnTheDiskForEachAlsoAfterARestart() {
        away(1_500);
        JobProgress job = settled(stored(Push.Ack.DEVICE));
        assertEquals(State.DONE, job.state());
        assertEquals(Map.of(Outcome.QUEUED, 1_500), job.outcomes());
        assertEquals(1_500, rows());
        restart();
        assertTrue(jobs.list(null, 9).isEmpty());
        FakeSession device = connect("away-7");
        assertEquals(List.of(ID), PushWorld.ids(device));
        world.on(device, () -> device.ack(ID, true));
        assertEquals(1_499, rows());
    }

    @Test
    void store_diskIsFull_isToldForEachAndNothingIsLeft() {
        away(300);
        database.fate = () -> Fate.FAILED;
        JobProgress begun = stored(Push.Ack.DEVICE);
        JobProgress job = settled(begun);
        assertEquals(State.DONE, job.state());
        assertEquals(Map.of(Outcome.NOT_STORED, 300), job.outcomes());
        database.fate = () -> Fate.COMMITTED;
        world.pass(Duration.ofSeconds(2));
        world.assertNothingLeft();
    }

    @Test
    void store_sameMessageAfterACrash_countsAsKeptAndIsThereOnce() {
        away(3);
        settled(stored(Push.Ack.DEVICE));
        restart();
        away(4);
        JobProgress job = settled(stored(Push.Ack.DEVICE));
        assertEquals(Map.of(Outcome.QUEUED, 4), job.outcomes());
        assertEquals(List.of(), job.notReached());
        assertEquals(4, rows());
    }

    @Test
    void schedule_diskIsFull_isTriedAgainAndNotLost() {
        ScheduleTarget target =
                ScheduleTarget.of(world.pushes::send, (many, id, payload) -> new CompletableFuture<>(), () -> false);
        database.fate = () -> Fate.FAILED;
        CompletableFuture<RunResult> run = deliver(target, ScheduleSpec.Repeat.ONCE);
        assertInstanceOf(
                RejectedExecutionException.class,
                assertThrows(CompletionException.class, run::join).getCause());
        database.fate = () -> Fate.COMMITTED;
        assertEquals(RunResult.QUEUED, deliver(target, ScheduleSpec.Repeat.ONCE).join());
        assertEquals(List.of(ID), PushWorld.ids(connect("away")));
    }

    @Test
    void schedule_deviceHasAsMuchAsMayBe_isTriedAgainIfItHasNoOtherTime() {
        for (long id = 1; id <= PushSettings.DEFAULTS.perDevice(); id++) {
            world.push(new Push("away", id, true, new byte[0], Push.Ack.SENT, false, 3_600_000_000_000L, true));
        }
        ScheduleTarget target =
                ScheduleTarget.of(world.pushes::send, (many, id, payload) -> new CompletableFuture<>(), () -> false);
        CompletableFuture<RunResult> single = deliver(target, ScheduleSpec.Repeat.ONCE);
        assertInstanceOf(
                RejectedExecutionException.class,
                assertThrows(CompletionException.class, single::join).getCause());
        assertEquals(
                RunResult.REFUSED, deliver(target, ScheduleSpec.Repeat.RATE).join());
        connect("away");
        world.settle();
        assertEquals(RunResult.QUEUED, deliver(target, ScheduleSpec.Repeat.ONCE).join());
    }

    private CompletableFuture<RunResult> deliver(ScheduleTarget target, ScheduleSpec.Repeat repeat) {
        ScheduleSpec spec = new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.DEVICE, "away"),
                ScheduleSpec.Start.AFTER,
                0,
                repeat,
                repeat == ScheduleSpec.Repeat.ONCE ? 0 : 60_000,
                1,
                ScheduleSpec.Missed.ONCE,
                Push.Ack.DEVICE,
                3_600_000,
                true,
                true);
        CompletableFuture<RunResult> run =
                target.deliver(spec, ID, PushWorld.text("m")).toCompletableFuture();
        world.settle();
        return run;
    }

    // ------------------------------------------------------------------ taken back

    @Test
    void cancel_over_takesBackWhatIsStillStored() {
        away(1_000);
        JobProgress job = settled(stored(Push.Ack.DEVICE));
        FakeSession device = connect("away-7");
        world.on(device, () -> device.ack(ID, true));
        FakeSession silent = connect("away-8");
        assertEquals(List.of(ID), PushWorld.ids(silent));
        jobs.cancel(job.id());
        JobProgress over = settled(job);
        assertEquals(State.CANCELLED, over.state());
        assertEquals(Map.of(Outcome.QUEUED, 1, Outcome.CANCELLED, 999), over.outcomes());
        world.assertNothingLeft();
        restart();
        assertEquals(List.of(), PushWorld.ids(connect("away-9")));
    }

    @Test
    void cancel_underWay_takesBackWhatWasStored() {
        away(4_000);
        JobProgress begun = stored(Push.Ack.DEVICE);
        steps(3, 100);
        jobs.cancel(begun.id());
        JobProgress over = settled(begun);
        assertEquals(State.CANCELLED, over.state());
        assertTrue(over.handed() < 4_000, over::toString);
        assertEquals(Map.of(Outcome.CANCELLED, over.handed()), over.outcomes());
        world.assertNothingLeft();
    }

    @Test
    void cancel_killedBetween_whatWasTakenBackStaysSo() {
        away(600);
        JobProgress job = settled(stored(Push.Ack.DEVICE));
        jobs.cancel(job.id());
        steps(20, 50);
        int takenBack = jobs.find(job.id()).orElseThrow().outcomes().getOrDefault(Outcome.CANCELLED, 0);
        restart();
        assertTrue(takenBack > 0);
        assertTrue(rows() <= 600 - takenBack, () -> rows() + " rows, taken back " + takenBack);
    }

    // ------------------------------------------------------------------ memory

    @Test
    void store_moreThanMemoryAtOnce_isKeptForEach() {
        away(1_000);
        JobProgress job = settled(start(Push.Ack.DEVICE, new byte[200_000], true));
        assertEquals(Map.of(Outcome.QUEUED, 1_000), job.outcomes());
    }

    @Test
    void store_manyJobsAtOnce_shareTheQueueOfTheDisk() {
        away(2_000);
        List<JobProgress> begun = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            begun.add(jobs.start(new Broadcast(
                    i,
                    "g",
                    true,
                    PushWorld.text("m"),
                    Push.Ack.DEVICE,
                    Duration.ofHours(1).toNanos(),
                    true,
                    0)));
        }
        its.run(Integer.MAX_VALUE);
        assertTrue(database.waiting() <= 1_000, () -> database.waiting() + " works wait");
        assertTrue(database.waiting() >= 500);
        for (JobProgress job : begun) {
            assertEquals(Map.of(Outcome.QUEUED, 2_000), settled(job).outcomes());
        }
    }

    @Test
    void acknowledged_moreThanMemoryAtOnce_waitsForOthersAndReachesEach() {
        List<FakeSession> devices = connectMembers(1_000);
        JobProgress begun = start(Push.Ack.DEVICE, new byte[200_000], false);
        assertTrue(settled(begun).handed() < 1_000, "some wait");
        assertTrue(world.pushes.waitingBytes() <= world.pushes.limitBytes() / 2);
        acknowledgeAll(devices);
        JobProgress job = settled(begun);
        assertEquals(State.DONE, job.state());
        assertEquals(Map.of(Outcome.ACKNOWLEDGED, 1_000), job.outcomes());
        world.assertNothingLeft();
    }

    @Test
    void acknowledged_manyJobsOneAfterAnother_takeHalfOfMemoryTogether() {
        List<FakeSession> devices = connectMembers(200);
        long half = world.pushes.limitBytes() / 2;
        long takes = PushSettings.MESSAGE_BYTES + 200_000;
        List<JobProgress> begun = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            begun.add(settled(jobs.start(new Broadcast(
                    ID + i, "g", true, new byte[200_000], Push.Ack.DEVICE, 3_600_000_000_000L, false, 0))));
            assertTrue(world.pushes.waitingBytes() <= half + i * takes, "a device of each later job");
        }
        acknowledgeAll(devices);
        for (JobProgress job : begun) {
            assertEquals(Map.of(Outcome.ACKNOWLEDGED, 200), settled(job).outcomes());
        }
        world.assertNothingLeft();
    }

    @Test
    void acknowledged_fewAreMute_doNotHoldUpOthers() {
        List<FakeSession> devices = connectMembers(400);
        JobProgress begun = start(Push.Ack.DEVICE, new byte[200_000], false);
        int atOnce = settled(begun).handed();
        assertTrue(atOnce < 250, "what fits");
        devices.stream()
                .filter(device -> !device.data.isEmpty())
                .skip(10)
                .forEach(device -> device.onLoop(() -> device.ack(ID, true)));
        JobProgress job = settled(begun);
        assertTrue(job.handed() > atOnce + atOnce / 2, job::toString);
    }

    @Test
    void loop_standsStill_othersDoNotWaitForIt() {
        List<FakeSession> others = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            int loop = i < 4_500 ? 1 : 0;
            String id = "dev-" + (i + 10_000);
            members.add("g", id);
            FakeSession session = its.connect(loop, id);
            if (loop == 0) {
                others.add(session);
            }
        }
        JobProgress begun = start(Push.Ack.SENT, PushWorld.text("m"), false);
        its.passWithoutLoop1(Duration.ofSeconds(11), () -> {});
        JobProgress job = jobs.find(begun.id()).orElseThrow();
        assertEquals(State.WAITING, job.state());
        assertEquals(5_000, job.handed());
        assertEquals(500, others.stream().mapToInt(each -> each.data.size()).sum());
        assertEquals(State.DONE, settled(begun).state(), "it goes on, and each has its result");
        world.assertNothingLeft();
    }

    @Test
    void payload_ofTwoJobs_isNotTheSameArray() {
        members.add("g", "dev");
        FakeSession device = connect("dev");
        byte[] payload = PushWorld.text("m");
        settled(start(Push.Ack.SENT, payload, false));
        settled(start(Push.Ack.SENT, payload, false));
        assertNotSame(
                device.data.get(0).payload(),
                device.data.get(1).payload(),
                "else one goes out in the form of the other");
    }
}
