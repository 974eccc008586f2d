package io.heartwheel.push.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.group.JobProgress.State;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Pace, slices and limits of jobs, on one loop without threads. */
class JobTest {
    private final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final GroupMembers members = new GroupMembers(gateway.registry, null, 10);
    private final Jobs jobs = new Jobs(
            members,
            gateway.registry,
            gateway.pushes,
            gateway.timers,
            tasks::add,
            gateway::now,
            () -> 0,
            new JobSettings(2, Duration.ofMinutes(1), 10));
    private final List<FakeSession> devices = new ArrayList<>();

    private void connect(int count) {
        for (int i = 0; i < count; i++) {
            devices.add(new FakeSession(gateway.sessionContext).accept(i).hello("dev-" + i, ""));
        }
    }

    private JobProgress start(Push.Ack ack, int rate) {
        return jobs.start(new Broadcast(7, null, true, new byte[] {'x'}, ack, 5_000_000_000L, false, rate));
    }

    private JobProgress progress(JobProgress job) {
        return jobs.find(job.id()).orElseThrow();
    }

    private void settle() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
            gateway.runTasks();
        }
    }

    private void pass(int millis) {
        for (int i = 0; i < millis / 20; i++) {
            gateway.pass(Duration.ofMillis(20));
            settle();
        }
    }

    @Test
    void rate_timePasses_isKept() {
        connect(100);
        JobProgress job = start(Push.Ack.SENT, 50);
        settle();
        assertEquals(0, progress(job).handed());
        pass(1_000);
        assertEquals(50, progress(job).handed(), 2);
        pass(1_200);
        assertEquals(State.DONE, progress(job).state());
        assertEquals(Map.of(Outcome.SENT, 100), progress(job).outcomes());
        assertEquals(0, gateway.timers.pending());
    }

    @Test
    void rate_processStoodStill_isNotMadeUpFor() {
        connect(100);
        JobProgress job = start(Push.Ack.SENT, 50);
        settle();
        gateway.stall(Duration.ofSeconds(10));
        pass(20);
        assertEquals(5, progress(job).handed(), 1, "a tenth of a second's");
    }

    @Test
    void slice_longerThanAMillisecond_letsTheLoopGoOn() {
        connect(10);
        devices.forEach(device -> device.onData = data -> gateway.stall(Duration.ofNanos(400_000)));
        JobProgress job = start(Push.Ack.SENT, 0);
        tasks.remove().run();
        List<Integer> handed = new ArrayList<>();
        while (progress(job).handed() < 10) {
            gateway.runTasks();
            handed.add(progress(job).handed());
            tasks.remove().run();
        }
        assertEquals(List.of(3, 6, 9, 10), handed);
    }

    @Test
    void jobs_moreThanMayBe_areRefusedUntilOneIsOver() {
        connect(1);
        JobProgress first = start(Push.Ack.DEVICE, 0);
        start(Push.Ack.DEVICE, 0);
        assertThrows(RejectedExecutionException.class, () -> start(Push.Ack.DEVICE, 0));
        jobs.cancel(first.id());
        settle();
        assertEquals(State.CANCELLED, progress(first).state());
        JobProgress third = start(Push.Ack.SENT, 0);
        assertTrue(jobs.find(first.id()).isEmpty(), "the oldest that is over makes room");
        settle();
        gateway.pass(Duration.ofSeconds(59));
        assertTrue(jobs.find(third.id()).isPresent());
        gateway.pass(Duration.ofSeconds(2));
        assertTrue(jobs.find(third.id()).isEmpty());
    }

    @Test
    void cancel_messagesWait_areTakenBackAndLateAcksCountNothing() {
        connect(600);
        JobProgress job = start(Push.Ack.DEVICE, 0);
        settle();
        assertEquals(600, progress(job).unanswered());
        jobs.cancel(job.id());
        settle();
        assertEquals(State.CANCELLED, progress(job).state());
        devices.forEach(device -> device.ack(7, true));
        gateway.runTasks();
        assertEquals(Map.of(Outcome.CANCELLED, 600), progress(job).outcomes());
        assertEquals(100, progress(job).notReached().size());
        assertEquals(0, gateway.pushes.waiting());
        assertEquals(0, gateway.timers.pending());
    }

    @Test
    void job_fault_ofOnePushIsCountedAndLeavesTheOthers() {
        connect(4);
        devices.get(3).onData = data -> {
            throw new LinkageError("a fault");
        };
        devices.get(1).onData = data -> {
            throw new IllegalStateException("a fault");
        };
        JobProgress job = start(Push.Ack.SENT, 0);
        settle();
        assertEquals(State.DONE, progress(job).state());
        assertEquals(Map.of(Outcome.SENT, 2, Outcome.UNKNOWN, 2), progress(job).outcomes());
    }
}
