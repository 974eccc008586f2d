package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Limits of jobs: a part of the memory, and the wheel if there is room. */
class JobLimitsTest {
    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private final PushWorld world = new PushWorld(2, database, 1_000_000_000_000_000L);
    private final JobsWorld its = new JobsWorld(world, 5_000);
    private final GroupMembers members = its.members;
    private final Jobs jobs = its.jobs;

    private JobProgress start(String group, long id, Push.Ack ack, int bytes, boolean store) {
        return jobs.start(new Broadcast(id, group, true, new byte[bytes], ack, HOUR_NANOS, store, 0));
    }

    @Test
    void sent_devicesDoNotRead_takesNoMoreThanHalfOfTheMemory() {
        for (int i = 0; i < 500; i++) {
            String id = "dev-" + i;
            members.add("g", id);
            its.connect(0, id).drains(false);
            world.push(new Push(id, 1, true, new byte[0], Push.Ack.DEVICE, false, HOUR_NANOS, false));
        }
        start("g", 2, Push.Ack.SENT, 200_000, false);
        its.settle();
        long most = world.pushes.limitBytes() / 2 + 1_000_000;
        assertTrue(world.pushes.waitingBytes() <= most, () -> world.pushes.waitingBytes() + " of at most " + most);
    }

    @Test
    void storedAndAcknowledged_atOnce_leaveAQuarterOfTheMemory() {
        for (int i = 0; i < 500; i++) {
            members.add("g", "dev-" + i);
            its.connect(0, "dev-" + i);
            members.add("h", "away-" + i);
        }
        start("g", 1, Push.Ack.DEVICE, 200_000, false);
        its.settle();
        start("h", 2, Push.Ack.DEVICE, 200_000, true);
        its.run(1_000); // the disk takes its time
        long most = world.pushes.limitBytes() / 4 * 3;
        assertTrue(world.pushes.waitingBytes() <= most, () -> world.pushes.waitingBytes() + " of at most " + most);
    }

    @Test
    void cancel_loopStandsStillAndWheelIsFull_doesNotSpin() {
        members.add("g", "dev-1");
        its.connect(1, "dev-1");
        JobProgress job = start("g", 1, Push.Ack.DEVICE, 1, false);
        its.settle();
        assertEquals(1, jobs.find(job.id()).orElseThrow().unanswered());
        assertThrows(RejectedExecutionException.class, () -> {
            while (true) {
                world.gateway.timers.once(Duration.ofHours(9).toNanos(), () -> {});
            }
        });
        jobs.cancel(job.id());
        assertTrue(its.run(1_000), "1,000 steps, and still more, while no time has passed");
        its.settle();
        assertEquals(State.CANCELLED, jobs.find(job.id()).orElseThrow().state());
    }

    @Test
    void acknowledged_othersHaveResultsAndAreMuteElse_goesOnWithTheRoomThatIsThere() {
        List<FakeSession> first = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            members.add("g", "dev-" + i);
            members.add("h", "mute-" + i);
            first.add(its.connect(0, "dev-" + i));
            its.connect(1, "mute-" + i);
        }
        start("g", 1, Push.Ack.DEVICE, 200_000, false);
        its.settle();
        JobProgress second = start("h", 2, Push.Ack.DEVICE, 200_000, false);
        its.settle();
        assertEquals(1, jobs.find(second.id()).orElseThrow().handed(), "the first has taken all");
        first.stream()
                .filter(device -> !device.data.isEmpty())
                .limit(40)
                .forEach(device -> device.onLoop(() -> device.ack(1, true)));
        its.settle();
        jobs.sweep();
        its.settle();
        assertTrue(
                jobs.find(second.id()).orElseThrow().handed() > 30,
                () -> "40 places of some 160 are free: "
                        + jobs.find(second.id()).orElseThrow());
    }

    @Test
    void cancel_loopStandsStillAndDiskFails_asksTheDiskNoMoreThanOnceForEach() {
        for (int i = 0; i < 500; i++) {
            members.add("g", "dev-" + i);
            its.connect(i == 0 ? 1 : 0, "dev-" + i);
        }
        JobProgress job = start("g", 1, Push.Ack.DEVICE, 1, false);
        its.settle();
        database.fate = () -> TestDatabase.Fate.FAILED;
        jobs.cancel(job.id());
        its.passWithoutLoop1(Duration.ofSeconds(6), () -> database.step(1_000));
        assertEquals(1, jobs.find(job.id()).orElseThrow().unanswered());
        int[] commits = {0};
        database.fate = () -> {
            commits[0]++;
            return TestDatabase.Fate.COMMITTED;
        };
        world.pass(Duration.ofSeconds(2));
        assertTrue(commits[0] <= 5, () -> commits[0] + " works of 1,000 had to be done");
    }
}
