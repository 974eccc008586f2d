package io.heartwheel.admin;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.push.schedule.KeptSchedule;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.push.schedule.ScheduleSpec.Repeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Gateways that die, end in order, stand still and come back, an engine that is away now and then, and schedules whose every time has to be run ({@link
 * Missed#ALL}), in virtual time. What must be true:
 *
 * <pre>
 *   a run is begun by one gateway; by another only if the one before was killed, ended or stood still since
 *   no run is begun that is over, and progress never goes back
 *   a message comes twice only so too
 *   in the end each time of each schedule was run
 * </pre>
 *
 * <p>One thread.
 */
final class ScheduleTrial {
    private static final int GATEWAYS = 4;
    private static final int SCHEDULES = 16;
    private static final int SECONDS = 240;

    /** A run, as it was begun. */
    private record Begun(NodeId by, long atNanos) {}

    private final Random random;
    private final ScheduleFleet fleet;
    private final Map<String, Begun> begun = new HashMap<>();
    private final Map<String, Long> over = new HashMap<>();
    /** When a gateway was last in trouble. */
    private final Map<String, Long> troubleNanos = new HashMap<>();

    private final Map<ScheduleFleet.Node, Integer> stillUntil = new HashMap<>();
    private final Map<String, Integer> startAt = new HashMap<>();
    private final Map<String, Long> timesOf = new HashMap<>();
    private int puts;
    final List<String> violations = new ArrayList<>();

    ScheduleTrial(long seed, BiFunction<NodeId, RowStore, RowStore> fault) {
        random = new Random(seed);
        fleet = new ScheduleFleet(seed);
        fleet.fault = fault;
        fleet.memory.scheduleWritten = this::written;
        for (int i = 0; i < GATEWAYS; i++) {
            start("n" + i);
        }
    }

    private void start(String name) {
        fleet.start(name, random.nextInt(400), new MemoryRows());
    }

    /** Whether nothing was wrong. */
    boolean run() {
        fleet.pass(Duration.ofSeconds(2));
        for (int second = 0; second < SECONDS; second++) {
            if (second % (SECONDS / 2 / SCHEDULES) == 0 && timesOf.size() < SCHEDULES) {
                put(timesOf.size());
            }
            happen(second);
            fleet.resultSteps = random.nextInt(random.nextInt(4) == 0 ? 200 : 10);
            fleet.pass(Duration.ofSeconds(1));
        }
        fleet.memory.down = false;
        fleet.memory.dropped = 0;
        List.copyOf(stillUntil.keySet()).forEach(this::goOn);
        List.copyOf(startAt.keySet()).forEach(this::start);
        fleet.resultSteps = 0;
        fleet.pass(Duration.ofMinutes(2));
        judge();
        return violations.isEmpty();
    }

    private ScheduleFleet.Node anyone() {
        List<ScheduleFleet.Node> running =
                fleet.nodes.stream().filter(node -> !node.still).toList();
        return running.isEmpty() ? null : running.get(random.nextInt(running.size()));
    }

    private void put(int number) {
        String key = "s" + number + "." + ++puts; // after a failure nobody knows whether it is there
        boolean delay = number % 4 == 3;
        long times = number % 4 == 0 ? 1 : 10 + random.nextInt(20);
        Duration every = Duration.ofSeconds(1 + random.nextInt(4));
        ScheduleSpec spec = ScheduleFleet.spec(
                times == 1 ? Repeat.ONCE : delay ? Repeat.DELAY : Repeat.RATE,
                Duration.ofSeconds(random.nextInt(20)),
                times == 1 ? Duration.ZERO : every,
                times,
                Missed.ALL);
        ScheduleFleet.Node at = anyone();
        if (at != null && at.put(key, spec) instanceof PutResult.Stored) {
            timesOf.put(key, times);
        }
    }

    private void happen(int second) {
        List.copyOf(stillUntil.keySet()).forEach(node -> {
            if (stillUntil.get(node) <= second) {
                goOn(node);
            }
        });
        List.copyOf(startAt.keySet()).forEach(name -> {
            if (startAt.get(name) <= second) {
                startAt.remove(name);
                start(name);
            }
        });
        fleet.memory.down = fleet.memory.down ? random.nextInt(8) > 0 : random.nextInt(60) == 0;
        fleet.memory.mostDelayNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(3) == 0 ? 300 : 1);
        fleet.memory.dropped = random.nextInt(10) == 0 ? 0.05 : 0;
        ScheduleFleet.Node one = random.nextInt(7) == 0 ? anyone() : null;
        if (one == null || fleet.nodes.size() < 2) {
            return;
        }
        troubleNanos.put(one.name, fleet.memory.now());
        switch (random.nextInt(3)) {
            case 0 -> {
                one.kill();
                startAt.put(one.name, second + 1 + random.nextInt(40));
            }
            case 1 -> {
                one.end();
                startAt.put(one.name, second + 1 + random.nextInt(20));
            }
            default -> {
                one.still(true);
                stillUntil.put(one, second + 1 + random.nextInt(25));
            }
        }
        troubleNanos.put(one.name, fleet.memory.now());
    }

    private void goOn(ScheduleFleet.Node node) {
        stillUntil.remove(node);
        troubleNanos.put(node.name, fleet.memory.now());
        node.still(false);
    }

    // ------------------------------------------------------------------ what must be true

    private boolean hadTrouble(String name, long sinceNanos) {
        boolean still = stillUntil.keySet().stream().anyMatch(node -> node.name.equals(name));
        return still || troubleNanos.getOrDefault(name, -1L) >= sinceNanos - TimeUnit.SECONDS.toNanos(4);
    }

    private void judge() {
        Map<Long, ScheduleFleet.Delivered> first = new HashMap<>();
        for (ScheduleFleet.Delivered each : fleet.delivered) {
            ScheduleFleet.Delivered before = first.putIfAbsent(each.messageId(), each);
            if (before != null && !hadTrouble(before.by(), before.atNanos())) {
                violations.add(each + " again, was " + before);
            }
        }
        timesOf.forEach((key, times) -> {
            Set<Long> ids = new HashSet<>();
            fleet.delivered.stream().filter(each -> each.key().equals(key)).forEach(each -> ids.add(each.messageId()));
            if (ids.size() != times) {
                violations.add(key + " ran " + ids.size() + " of " + times + " times");
            }
        });
    }

    private void written(String key, Row row) {
        KeptSchedule kept = row.held() ? KeptSchedule.decode(key, row.more()) : null;
        NodeId by = row.node();
        if (kept == null || by == null) {
            return;
        }
        String schedule = key + " " + kept.row().generation();
        long run = kept.row().progress().run();
        long before = over.getOrDefault(schedule, 0L);
        if (run < before) {
            violations.add(schedule + ": " + run + " are over, were " + before + ", by " + by);
        }
        over.put(schedule, Math.max(run, before));
        if (row.sessionId() > 0) {
            Begun other = begun.put(schedule + " " + run, new Begun(by, fleet.memory.now()));
            if (other != null && !other.by.equals(by) && !hadTrouble(other.by.name(), other.atNanos)) {
                violations.add(schedule + ": run " + run + " begun by " + by + ", was by " + other);
            }
        }
    }
}
