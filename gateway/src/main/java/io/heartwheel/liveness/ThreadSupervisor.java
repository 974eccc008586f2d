package io.heartwheel.liveness;

import static java.util.Objects.requireNonNull;

import io.heartwheel.wheel.Timed;
import io.heartwheel.wheel.TimingWheel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Supervisor of the threads that carry a promise. One rule for all: a thread that has ended, or that has something to do and has done none of it for 30 s, is
 * unhealthy; 10 s later, in which health, metrics and log tell of it, the process has to end, so that it is started again. One that only reads files again is
 * told of and no more: with what was read before the process goes on.
 *
 * <pre>
 *   sink, outlets, presence, files --works(), rests()--&gt; {@link ThreadProgress} &lt;--look, once a second-- wheel thread --&gt; log, end
 * </pre>
 *
 * <p>A look counts the time since the one before, 2 s at most: while the whole process stood still (SIGSTOP, a suspended machine, a long collection) no thread
 * could do anything, so that time is nobody's. The wheel looks, which the watchdog and health watch in turn; takes one handle of it. Like {@link WheelPulse} it
 * looks when the wheel asks for its deadline and is then due later: an entry that is armed anew would wake an idle wheel a second time, a tick on.
 *
 * <p>Any thread adds and reads; the wheel's thread looks.
 */
public final class ThreadSupervisor implements Timed, AutoCloseable {
    /** Standing still for so long is unhealthy, nanoseconds. */
    public static final long STILL_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Standing still for so long ends the process, nanoseconds. */
    public static final long END_NANOS = TimeUnit.SECONDS.toNanos(40);

    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_NANOS = 2 * PERIOD_NANOS;

    private final List<ThreadProgress> all = new CopyOnWriteArrayList<>();
    private final BiConsumer<ThreadProgress, String> unhealthy;
    private final Runnable end;
    private volatile boolean closed;
    // whoever begins writes these before the wheel's thread reads them
    private @Nullable LongSupplier nanoClock;
    // the wheel's
    private long lookedNanos;
    private long deadlineNanos;

    /**
     * Watches nobody yet. What it calls is called on the wheel's thread: quick, throws nothing.
     *
     * @param unhealthy a thread has become so; in words, for an operator
     * @param end one has been so for 10 s: the process must end; again each second
     */
    public ThreadSupervisor(BiConsumer<ThreadProgress, String> unhealthy, Runnable end) {
        this.unhealthy = unhealthy;
        this.end = end;
    }

    /** From now on that thread, from its start to the end of this. */
    public ThreadProgress watch(String name) {
        return add(new ThreadProgress(name));
    }

    /** The same for one that can stand still: log and metrics tell of it, health does not, and the process goes on. */
    public ThreadProgress observe(String name) {
        return add(new ThreadProgress(name, false));
    }

    private ThreadProgress add(ThreadProgress progress) {
        all.add(progress);
        return progress;
    }

    /**
     * Begins to look, once a second. Once.
     *
     * @param nanoClock the wheel's clock
     * @throws io.heartwheel.wheel.WheelFullException if the wheel has no room
     */
    public void begin(TimingWheel wheel, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        long nowNanos = nanoClock.getAsLong();
        lookedNanos = nowNanos;
        deadlineNanos = next(nowNanos);
        wheel.arm(wheel.register(this), deadlineNanos);
    }

    /** Whole seconds, as {@link WheelPulse}: an idle process wakes once for both. */
    private static long next(long nowNanos) {
        return nowNanos + PERIOD_NANOS - Math.floorMod(nowNanos, PERIOD_NANOS);
    }

    /** Looks if it is due, and is due again a second later. Wheel's thread. */
    @Override
    public long deadlineNanos() {
        long nowNanos = requireNonNull(nanoClock).getAsLong();
        if (!closed && nowNanos - deadlineNanos >= 0) {
            deadlineNanos = next(nowNanos);
            look(nowNanos);
        }
        return deadlineNanos;
    }

    @Override
    public void expire(long nowNanos) {
        assert closed : "until it is closed it always is due later";
    }

    void look(long nowNanos) {
        long passedNanos = Math.min(nowNanos - lookedNanos, MOST_NANOS);
        lookedNanos = nowNanos;
        boolean over = false;
        for (ThreadProgress each : all) {
            if (each.look(passedNanos)) {
                unhealthy.accept(each, each.problem());
            }
            over |= each.isVital() && each.stillNanos() >= END_NANOS;
        }
        if (over) {
            end.run();
        }
    }

    /** Those that are watched. */
    public List<ThreadProgress> all() {
        return List.copyOf(all);
    }

    /** Those that make the process unhealthy, each in words for an operator; empty: all is well. */
    public List<String> problems() {
        return all.stream()
                .filter(progress -> progress.isVital() && progress.isUnhealthy())
                .map(ThreadProgress::problem)
                .toList();
    }

    /** Looks no more: the threads are about to be ended. */
    @Override
    public void close() {
        closed = true;
    }
}
