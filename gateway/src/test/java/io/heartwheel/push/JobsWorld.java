package io.heartwheel.push;

import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.FakeSession;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;

/** Jobs over a {@link PushWorld}, without a thread: the test says when they come to their next task. */
final class JobsWorld {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    final PushWorld world;
    final GroupMembers members;
    final Jobs jobs;

    JobsWorld(PushWorld world, int mostMembers) {
        this.world = world;
        members = new GroupMembers(world.gateway.registry, null, mostMembers);
        jobs = new Jobs(
                members,
                world.gateway.registry,
                world.pushes,
                world.gateway.timers,
                tasks::add,
                world.gateway::now,
                () -> 0,
                JobSettings.DEFAULTS);
    }

    /** A device on this loop. */
    FakeSession connect(int loop, String id) {
        FakeSession session = world.loops.get(loop).accept("heartwheel");
        world.on(session, () -> session.hello(id, ""));
        return session;
    }

    /** The next task; whether there was one. */
    boolean step() {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Tasks of jobs, at most so many; whether all are done. */
    boolean run(int most) {
        for (int i = 0; i < most; i++) {
            if (!step()) {
                return true;
            }
        }
        return false;
    }

    /** Every loop and the jobs come to an end. */
    void settle() {
        do {
            world.settle();
            run(1_000);
            world.settle();
        } while (!tasks.isEmpty());
    }

    /** Time passes; loop 1 stands still, and does nothing of what it has to do. */
    void passWithoutLoop1(Duration time, Runnable each) {
        for (long millis = 0; millis <= time.toMillis(); millis += 20) {
            world.gateway.pass(Duration.ofMillis(20));
            while (step()) {
                while (world.loops.get(0).step()) {
                    // until it has nothing to do
                }
            }
            each.run();
        }
    }
}
