package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import io.heartwheel.push.schedule.ScheduleSpec.Missed;
import io.heartwheel.wheel.TimingWheel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Schedules without threads or clocks: time is handed in, and tasks run when the rig lets them. */
public final class ScheduleRig {
    static final long TICK_NANOS = 20_000_000;
    static final long WALL_MILLIS = 1_780_000_000_000L;

    /** A message that was handed to the target. */
    record Delivered(long messageId, long atNanos, long atWallMillis, String text) {}

    private final MemoryRows disk = new MemoryRows();
    /** What is taken of the limit of the disk, by others too. */
    final AtomicLong storedBytes = new AtomicLong();

    final boolean durable;
    final int max;
    long nowNanos;
    long wallNanos = WALL_MILLIS * 1_000_000;
    final List<Delivered> delivered = new ArrayList<>();
    /** What was delivered while {@link #holds}. */
    final List<CompletableFuture<RunResult>> held = new ArrayList<>();

    boolean holds;
    /** Whether nothing can be begun for now. */
    boolean refuses;

    RunResult result = RunResult.SENT;
    /** Takes what is due; else the rig does. */
    ScheduleTarget target = this::deliver;

    /** Most tasks that the schedules' thread had to run between two turns of the wheel. */
    int tasks;

    DiskRows rows = new DiskRows(disk);
    TimingWheel wheel;
    Queue<Runnable> thread = new ArrayDeque<>();
    Schedules schedules;

    ScheduleRig(long startNanos, boolean durable, int max) {
        nowNanos = startNanos;
        this.durable = durable;
        this.max = max;
        wheel = newWheel();
        schedules = newSchedules();
        startNow();
    }

    static ScheduleRig durable() {
        return new ScheduleRig(0, true, 1_000_000);
    }

    private TimingWheel newWheel() {
        return new TimingWheel(TICK_NANOS, 512, 1 << 18, nowNanos);
    }

    private Schedules newSchedules() {
        Queue<Runnable> tasksOfThis = new ArrayDeque<>();
        thread = tasksOfThis;
        return new Schedules(
                wheel,
                () -> nowNanos,
                () -> Math.floorDiv(wallNanos, 1_000_000),
                durable ? rows : disk,
                (spec, messageId, payload) -> target.deliver(spec, messageId, payload),
                tasksOfThis::add,
                storedBytes,
                new ScheduleLimits(max, 1 << 20, null));
    }

    private void startNow() {
        CompletableFuture<Integer> started = schedules.start();
        settle();
        started.join();
    }

    CompletionStage<RunResult> deliver(ScheduleSpec spec, long messageId, byte[] payload) {
        delivered.add(new Delivered(messageId, nowNanos, wallMillis(), new String(payload, StandardCharsets.UTF_8)));
        if (refuses) {
            return CompletableFuture.failedFuture(new RejectedExecutionException("messages.jobs.max = 1"));
        }
        if (holds) {
            CompletableFuture<RunResult> later = new CompletableFuture<>();
            held.add(later);
            return later;
        }
        return CompletableFuture.completedFuture(result);
    }

    // ------------------------------------------------------------------ time

    /** One task of the schedules' thread or the store; false if there is none. */
    boolean step() {
        Runnable task = thread.poll();
        if (task != null) {
            task.run();
            tasks++;
            return true;
        }
        return rows.step();
    }

    void settle() {
        while (step()) {
            // until nothing waits
        }
    }

    void pass(Duration time) {
        settle();
        long target = nowNanos + time.toNanos();
        while (target - nowNanos > 0) {
            long wake = wheel.nextWakeNanos(nowNanos) - nowNanos;
            go(Math.min(Math.max(wake, TICK_NANOS), target - nowNanos));
            turn();
        }
    }

    void turn() {
        while (wheel.advance(nowNanos, 1_024) == 1_024) {
            // until all that is due has expired
        }
        settle();
    }

    /** Time passes, and nothing of the process runs. */
    void stall(Duration time) {
        go(time.toNanos());
    }

    private void go(long nanos) {
        nowNanos += nanos;
        wallNanos += nanos;
    }

    /** The wall clock is set. */
    void stepClock(Duration by) {
        wallNanos += by.toNanos();
    }

    /** kill -9, so long down, and a start. What was on its way is lost; what is on the disk is not. */
    void crash(Duration down) {
        rows = new DiskRows(disk);
        storedBytes.set(0);
        held.clear();
        go(down.toNanos());
        nowNanos += 12_345_678_901_234L; // another boot
        wheel = newWheel();
        schedules = newSchedules();
        startNow();
    }

    // ------------------------------------------------------------------ schedules

    PutResult put(String key, ScheduleSpec spec, String text) {
        CompletableFuture<PutResult> result = putSoon(key, spec, text);
        settle();
        return result.join();
    }

    CompletableFuture<PutResult> putSoon(String key, ScheduleSpec spec, String text) {
        return schedules.put(key, spec, text.getBytes(StandardCharsets.UTF_8));
    }

    boolean delete(String key) {
        CompletableFuture<Boolean> result = schedules.delete(key);
        settle();
        return result.join();
    }

    ScheduleView get(String key) {
        var result = schedules.get(key);
        settle();
        return result.join().orElseThrow();
    }

    List<String> list(String after, String prefix, int limit) {
        var result = schedules.list(after, prefix, limit);
        settle();
        return result.join().stream().map(view -> view.row().key()).toList();
    }

    long runs(RunResult wanted) {
        long[] found = new long[1];
        schedules.runs((result, count) -> found[0] += result == wanted ? count : 0);
        return found[0];
    }

    ScheduleRow.Progress progress(String key) {
        return get(key).row().progress();
    }

    /** The handles that are taken beside that of the look at the clock. */
    long handles() {
        wheel.advance(nowNanos, 1_024);
        long[] found = new long[1];
        wheel.forEach(entry -> found[0]++);
        return found[0] - 1;
    }

    List<String> texts() {
        return delivered.stream().map(Delivered::text).toList();
    }

    /** Times of deliveries since this one, milliseconds. */
    List<Long> millisSince(long nanos) {
        return delivered.stream()
                .map(each -> (each.atNanos() - nanos) / 1_000_000)
                .toList();
    }

    long wallMillis() {
        return Math.floorDiv(wallNanos, 1_000_000);
    }

    static ScheduleSpec once(Duration after) {
        return spec(ScheduleSpec.Start.AFTER, after.toMillis(), ScheduleSpec.Repeat.ONCE, 0, 1, Missed.ONCE);
    }

    static ScheduleSpec at(long wallMillis, Missed missed) {
        return spec(ScheduleSpec.Start.AT, wallMillis, ScheduleSpec.Repeat.ONCE, 0, 1, missed);
    }

    static ScheduleSpec rate(Duration every, long times, Missed missed) {
        return spec(
                ScheduleSpec.Start.AFTER, every.toMillis(), ScheduleSpec.Repeat.RATE, every.toMillis(), times, missed);
    }

    static ScheduleSpec delay(Duration every, long times) {
        return spec(
                ScheduleSpec.Start.AFTER,
                every.toMillis(),
                ScheduleSpec.Repeat.DELAY,
                every.toMillis(),
                times,
                Missed.ONCE);
    }

    /** To one device, acknowledged when it is sent. */
    public static ScheduleSpec spec(
            ScheduleSpec.Start start,
            long startMillis,
            ScheduleSpec.Repeat repeat,
            long everyMillis,
            long times,
            Missed missed) {
        return new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.DEVICE, "d"),
                start,
                startMillis,
                repeat,
                everyMillis,
                times,
                missed,
                Push.Ack.SENT,
                10_000,
                false,
                true);
    }
}
