package io.heartwheel.admin;

import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.directory.MemoryGateway;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRig;
import io.heartwheel.push.schedule.ScheduleRow;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.push.schedule.ScheduleRows;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleView;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.wheel.TimingWheel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/** Schedules of several gateways of a fleet in memory and virtual time. One thread. */
final class ScheduleFleet {
    static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int STEPS_A_TURN = 5;
    private static final int STEPS_A_SECOND = 50;
    static final long WALL_MILLIS = 1_780_000_000_000L;

    /** A message that was handed to the target. */
    record Delivered(String by, String key, long messageId, long atNanos) {}

    final MemoryFleet memory;
    final List<Node> nodes = new ArrayList<>();
    final List<Delivered> delivered = new ArrayList<>();
    ScheduleLimits limits = new ScheduleLimits(1_000, 1 << 20, null);
    /** Room in the wheel of each gateway that starts. */
    int wheelEntries = 1 << 16;
    /** How long a message takes until its result is there. */
    long resultSteps;

    private long steps;
    /** What each gateway has instead of its schedules' rows. */
    BiFunction<NodeId, RowStore, RowStore> fault = (node, rows) -> rows;

    ScheduleFleet(long seed, String... names) {
        memory = new MemoryFleet(seed);
        for (String name : names) {
            start(name);
        }
    }

    /** One gateway, from one start to its end. */
    final class Node {
        final String name;
        final MemoryGateway part;
        final FleetRows rows;
        final Schedules schedules;
        final FleetSchedules owned;
        private final TimingWheel wheel = new TimingWheel(STEP_NANOS, 512, wheelEntries, memory.now());
        private final Queue<Runnable> thread = new ArrayDeque<>();
        private final Queue<Held> held = new ArrayDeque<>();
        boolean still;
        /** Whether nothing can be begun for now. */
        boolean refuses;

        private record Held(long untilStep, CompletableFuture<RunResult> result) {}

        Node(String name, long aheadMillis, ScheduleRows alone) {
            this.name = name;
            VirtualGateway local = new VirtualGateway(0, LivenessSettings.defaults());
            part = new MemoryGateway(
                    memory, name, local.registry, OnOutage.LOCAL, local.sessionContext.sink(), this::withFault);
            rows = new FleetRows(part.fleet, thread::add, limits);
            schedules = new Schedules(
                    wheel,
                    memory::now,
                    () -> WALL_MILLIS + aheadMillis + TimeUnit.NANOSECONDS.toMillis(memory.now()),
                    rows,
                    this::deliver,
                    thread::add,
                    new AtomicLong(),
                    limits);
            schedules.start();
            settle();
            owned = new FleetSchedules(part.fleet, rows, schedules, thread::add, alone);
        }

        private Engine withFault(Engine there) {
            return new Engine(
                    there.rows(),
                    there.members(),
                    fault.apply(new NodeId(name, 1 + memory.now()), there.schedules()),
                    there.bus(),
                    there.membership(),
                    there.health(),
                    there::close);
        }

        private CompletionStage<RunResult> deliver(ScheduleSpec spec, long messageId, byte[] payload) {
            delivered.add(new Delivered(name, new String(payload, StandardCharsets.UTF_8), messageId, memory.now()));
            if (refuses) {
                return CompletableFuture.failedFuture(new RejectedExecutionException("the device was sent away"));
            }
            CompletableFuture<RunResult> result = new CompletableFuture<>();
            held.add(new Held(steps + resultSteps, result));
            return result;
        }

        private void step() {
            if (still) {
                return;
            }
            if (steps % STEPS_A_TURN == 0) {
                part.turn();
            }
            if (steps % STEPS_A_SECOND == 0) {
                owned.turn();
            }
            while (!held.isEmpty() && held.element().untilStep <= steps) {
                held.remove().result.complete(RunResult.SENT);
            }
            wheel.advance(memory.now(), 1_024);
            settle();
        }

        private void settle() {
            for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
                task.run();
            }
        }

        void kill() {
            memory.kill(part.id);
            nodes.remove(this);
        }

        void still(boolean now) {
            still = now;
            memory.stop(part.id, now);
        }

        /** The beginning of an orderly end: what waits is given back. */
        void giveBack() {
            schedules.close();
            owned.giveBack();
            settle();
        }

        /** As an orderly end: what waits is given back, then the row of the start says so. */
        void end() {
            giveBack();
            pass(Duration.ofMillis(100));
            part.leave();
            pass(Duration.ofMillis(20));
            part.engine.close();
            nodes.remove(this);
        }

        PutResult put(String key, ScheduleSpec spec) {
            return await(schedules.put(key, spec, key.getBytes(StandardCharsets.UTF_8)));
        }

        boolean delete(String key) {
            return await(schedules.delete(key));
        }

        Optional<ScheduleView> get(String key) {
            return await(schedules.get(key));
        }

        List<String> list() {
            return await(schedules.list("", "", 1_000)).stream()
                    .map(view -> view.row().key())
                    .toList();
        }
    }

    Node start(String name) {
        return start(name, 0, new MemoryRows());
    }

    /** @param alone what it kept before it belonged to the fleet */
    Node start(String name, long aheadMillis, ScheduleRows alone) {
        Node started = new Node(name, aheadMillis, alone);
        nodes.add(started);
        return started;
    }

    Node node(String name) {
        return nodes.stream().filter(node -> node.name.equals(name)).findFirst().orElseThrow();
    }

    /** The gateway that runs it. */
    String owner(String key) {
        return nodes.get(0).get(key).orElseThrow().node();
    }

    int inWheels() {
        return nodes.stream().mapToInt(node -> node.schedules.size()).sum();
    }

    void step() {
        steps++;
        memory.pass(STEP_NANOS);
        List.copyOf(nodes).forEach(Node::step);
    }

    void pass(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= STEP_NANOS) {
            step();
        }
    }

    <T> T await(CompletionStage<T> answer) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        for (int i = 0; i < 100 * STEPS_A_SECOND && !future.isDone(); i++) {
            step();
        }
        return future.join();
    }

    long deliveries(String key) {
        return delivered.stream().filter(each -> each.key.equals(key)).count();
    }

    /** What a gateway has kept before it belonged to the fleet, due 30 s after the beginning. */
    static ScheduleRow alone(String key) {
        long due = WALL_MILLIS + 30_000;
        byte[] payload = key.getBytes(StandardCharsets.UTF_8);
        ScheduleSpec spec = once(Duration.ofSeconds(30), ScheduleSpec.Missed.ONCE);
        return new ScheduleRow(key, 7, spec, payload, payload.length, new Progress(0, 1, false, due, 0, null));
    }

    static ScheduleSpec rate(Duration every, long times, ScheduleSpec.Missed missed) {
        return spec(ScheduleSpec.Repeat.RATE, every, every, times, missed);
    }

    static ScheduleSpec once(Duration after, ScheduleSpec.Missed missed) {
        return spec(ScheduleSpec.Repeat.ONCE, after, Duration.ZERO, 1, missed);
    }

    static ScheduleSpec spec(
            ScheduleSpec.Repeat repeat, Duration after, Duration every, long times, ScheduleSpec.Missed missed) {
        return ScheduleRig.spec(ScheduleSpec.Start.AFTER, after.toMillis(), repeat, every.toMillis(), times, missed);
    }
}
