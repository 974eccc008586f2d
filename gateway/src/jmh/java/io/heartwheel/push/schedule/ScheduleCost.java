package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelThread;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Cost of schedules: what one that is kept on a disk and lies days ahead takes of the heap, and the CPU time of the same work here, on a {@link
 * ScheduledThreadPoolExecutor} and on a {@link HashedWheelTimer}, on the real clock: {@value #MANY} days ahead and nothing else, {@value #BUSY} that repeat
 * every second, and both. All threads of each are counted; nothing is written to a disk, as the others have none. The sides take turns, {@value #ROUNDS}
 * times; the first time code is cold.
 *
 * <pre>java -Xmx1g -XX:+UseParallelGC -cp gateway/target/benchmarks.jar io.heartwheel.push.schedule.ScheduleCost [seconds]</pre>
 *
 * <p>Ends with 1 when a schedule takes more than {@value #MOST_BYTES} bytes, its key included.
 */
public final class ScheduleCost {
    private static final long MOST_BYTES = 250;
    private static final int BUSY = 1_000;
    private static final int MANY = 100_000;
    private static final int TICK_MILLIS = 10;
    private static final int ROUNDS = 3;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder runs = new LongAdder();

    /** What does the work. */
    private interface Peer {
        void later(int number, long delayMillis);

        void everySecond(int number, long firstMillis);

        void end();
    }

    private ScheduleCost() {}

    /** Runs every measurement, for so many seconds each. */
    public static void main(String[] args) throws InterruptedException {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        held(1_000);
        long bytes = held(MANY);
        System.out.printf("%,d schedules days ahead: %d bytes each with their keys%n", MANY, bytes);
        for (int round = 0; round < ROUNDS; round++) {
            for (String peer : List.of("heartwheel", "pool", "netty")) {
                new ScheduleCost().measure(peer, MANY, 0, seconds);
                new ScheduleCost().measure(peer, 0, BUSY, seconds);
                new ScheduleCost().measure(peer, MANY, BUSY, seconds);
            }
        }
        System.exit(bytes <= MOST_BYTES ? 0 : 1);
    }

    // ------------------------------------------------------------------ heap

    private static long held(int count) {
        long before = live();
        TimingWheel wheel = new TimingWheel(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), 512, MANY + 1_024, 0);
        long[] nowNanos = new long[1];
        Schedules schedules = schedules(wheel, nowNanos, new NoRows(), Runnable::run, new LongAdder());
        for (int i = 0; i < count; i++) {
            schedules
                    .put("schedule-" + i, spec(TimeUnit.DAYS.toMillis(1) + i * 5_000L, 0), new byte[64])
                    .join();
        }
        for (int i = 0; i < 100; i++) {
            nowNanos[0] += TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
            wheel.advance(nowNanos[0], 1_024);
        }
        long bytes = (live() - before) / count;
        if (schedules.size() != count) {
            throw new IllegalStateException("schedules = " + schedules.size());
        }
        return bytes;
    }

    private static long live() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** A disk that takes everything and is not asked again. */
    private static final class NoRows implements ScheduleRows {
        @Override
        public boolean isDurable() {
            return true;
        }

        @Override
        public CompletableFuture<Kept> load() {
            return CompletableFuture.completedFuture(new Kept(0, List.of()));
        }

        @Override
        public CompletableFuture<?> put(ScheduleRow row) {
            return CompletableFuture.completedFuture(1);
        }

        @Override
        public CompletableFuture<List<Move>> move(List<Move> moves) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Boolean> delete(String key) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<List<ScheduleRow>> read(List<String> keys) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<?> putSteps(long millis) {
            return CompletableFuture.completedFuture(1);
        }
    }

    // ------------------------------------------------------------------ CPU time

    private void measure(String name, int ahead, int busy, int seconds) throws InterruptedException {
        ThreadFactory factory = run -> {
            Thread thread = new Thread(run, name);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        };
        Peer peer =
                switch (name) {
                    case "heartwheel" -> heartwheel(factory);
                    case "pool" -> pool(factory);
                    default -> netty(factory);
                };
        for (int i = 0; i < ahead; i++) {
            peer.later(i, TimeUnit.DAYS.toMillis(1) + i * 5_000L);
        }
        for (int i = 0; i < busy; i++) {
            peer.everySecond(i, i);
        }
        TimeUnit.SECONDS.sleep(2);
        long ranBefore = runs.sum();
        long cpuBefore = cpu();
        TimeUnit.SECONDS.sleep(seconds);
        System.out.printf(
                "%-10s %,8d days ahead: %,8.0f us of CPU a second, %,d runs a second%n",
                name, ahead, (cpu() - cpuBefore) / 1e3 / seconds, (runs.sum() - ranBefore) / seconds);
        peer.end();
    }

    private long cpu() {
        return threads.stream()
                .mapToLong(thread -> Math.max(0, THREADS.getThreadCpuTime(thread.getId())))
                .sum();
    }

    private static Schedules schedules(
            TimingWheel wheel, long @Nullable [] nowNanos, ScheduleRows rows, Executor thread, LongAdder runs) {
        Schedules schedules = new Schedules(
                wheel,
                nowNanos == null ? System::nanoTime : () -> nowNanos[0],
                System::currentTimeMillis,
                rows,
                (spec, id, payload) -> {
                    runs.increment();
                    return CompletableFuture.completedFuture(RunResult.SENT);
                },
                thread,
                new AtomicLong(),
                new ScheduleLimits(2 * MANY, 1 << 30, null));
        schedules.start().join();
        return schedules;
    }

    private Peer heartwheel(ThreadFactory factory) {
        TimingWheel wheel =
                new TimingWheel(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), 512, MANY * 2, System.nanoTime());
        WheelThread turning = new WheelThread(wheel, System::nanoTime, 1_024, factory);
        turning.start();
        var thread = Executors.newSingleThreadExecutor(factory);
        Schedules schedules = schedules(wheel, null, new MemoryRows(), thread, runs);
        return new Peer() {
            @Override
            public void later(int number, long delayMillis) {
                schedules
                        .put("later-" + number, spec(delayMillis, 0), new byte[0])
                        .join();
            }

            @Override
            public void everySecond(int number, long firstMillis) {
                schedules
                        .put("busy-" + number, spec(firstMillis, 1_000), new byte[0])
                        .join();
            }

            @Override
            public void end() {
                turning.close();
                thread.shutdownNow();
            }
        };
    }

    private static ScheduleSpec spec(long afterMillis, long everyMillis) {
        boolean repeats = everyMillis > 0;
        return new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.DEVICE, "d"),
                ScheduleSpec.Start.AFTER,
                afterMillis,
                repeats ? ScheduleSpec.Repeat.RATE : ScheduleSpec.Repeat.ONCE,
                everyMillis,
                repeats ? ScheduleSpec.FOR_EVER : 1,
                ScheduleSpec.Missed.SKIP,
                Push.Ack.SENT,
                10_000,
                false,
                true);
    }

    private Peer pool(ThreadFactory factory) {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1, factory);
        return new Peer() {
            @Override
            public void later(int number, long delayMillis) {
                pool.schedule(runs::increment, delayMillis, TimeUnit.MILLISECONDS);
            }

            @Override
            public void everySecond(int number, long firstMillis) {
                pool.scheduleAtFixedRate(runs::increment, firstMillis, 1_000, TimeUnit.MILLISECONDS);
            }

            @Override
            public void end() {
                pool.shutdownNow();
            }
        };
    }

    private Peer netty(ThreadFactory factory) {
        HashedWheelTimer timer = new HashedWheelTimer(factory, TICK_MILLIS, TimeUnit.MILLISECONDS, 512, false);
        return new Peer() {
            @Override
            public void later(int number, long delayMillis) {
                timer.newTimeout(timeout -> runs.increment(), delayMillis, TimeUnit.MILLISECONDS);
            }

            @Override
            public void everySecond(int number, long firstMillis) {
                timer.newTimeout(
                        new TimerTask() {
                            @Override
                            public void run(Timeout timeout) {
                                runs.increment();
                                timer.newTimeout(this, 1_000, TimeUnit.MILLISECONDS);
                            }
                        },
                        firstMillis,
                        TimeUnit.MILLISECONDS);
            }

            @Override
            public void end() {
                timer.stop();
            }
        };
    }
}
