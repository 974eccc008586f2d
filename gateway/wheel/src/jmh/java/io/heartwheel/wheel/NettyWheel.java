package io.heartwheel.wheel;

import io.heartwheel.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Netty's {@code HashedWheelTimer}, 10 ms, on real time: its worker runs beside what is measured, as in every use. Its documentation advises more buckets
 * than 512 for many timeouts: {@link #buckets}, 8,192 for a million. Or, with {@code
 * dropIn}, our {@link WheelTimer} in its place, used in the very same way.
 *
 * <p>One task serves all, so that an expiry touches no connection; with {@code own} the connection is the task.
 *
 * <p>Lazy, in the simulated second only: its expiries cannot be brought about by virtual time. So each tick arms as many timeouts as a tick of that
 * second would find expired too early, with no delay, and the second ends when the worker has met them all: the same number of armings, transfers
 * and expiries, though of timeouts that are still warm in the cache.
 */
final class NettyWheel extends Contender {

    /** A connection that is its own task. */
    private static final class Own extends Connection implements TimerTask {
        @Override
        public void run(Timeout timeout) {
            fired++;
        }
    }

    private static final TimerTask TASK = timeout -> fired++;
    private static final int TICKS_OF_TIMEOUT = (int) (TIMEOUT / TICK);

    private final boolean lazy;
    private final boolean own;
    private final boolean dropIn;
    private Timer timer;
    private Timeout[] timeouts = {};
    private Connection[] connections = {};
    private Own[] owns = {};
    private long expected;
    private int rest;

    NettyWheel(boolean lazy, boolean own, boolean dropIn) {
        this.lazy = lazy;
        this.own = own;
        this.dropIn = dropIn;
        timer = newTimer();
    }

    private Timer newTimer() {
        return dropIn
                ? new WheelTimer(threads(), 10, TimeUnit.MILLISECONDS, buckets(timeouts.length))
                : new HashedWheelTimer(threads(), 10, TimeUnit.MILLISECONDS, buckets(timeouts.length));
    }

    @Override
    void prepare(int pending) {
        timeouts = new Timeout[pending];
        if (lazy) {
            connections = Connection.make(pending);
        }
        if (own) {
            owns = Connection.shuffled(new Own[pending], Own::new);
        }
    }

    @Override
    void open(boolean live) {
        timer.stop();
        timer = newTimer();
        expected = fired;
    }

    @Override
    void arm(int i, long delayNanos) {
        timeouts[i] = timer.newTimeout(own ? owns[i] : TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void rearm(int i, long delayNanos) {
        timeouts[i].cancel();
        timeouts[i] = timer.newTimeout(TASK, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    void extra(long delayNanos) {
        timer.newTimeout(TASK, delayNanos, TimeUnit.NANOSECONDS).cancel();
    }

    @Override
    void activity(int i, long nowNanos) {
        if (lazy) {
            connections[i].activity(nowNanos);
        } else {
            rearm(i, TIMEOUT);
        }
    }

    /** At most 100,000 are transferred in a tick. */
    @Override
    void settle() {
        sleepMillis(300 + timeouts.length / 10_000 * 2);
    }

    /** Some 20,000 ticks: ten timers of a millisecond each for two seconds. */
    @Override
    void compileTick() {
        List<HashedWheelTimer> timers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            HashedWheelTimer fast = new HashedWheelTimer(threads(), 1, TimeUnit.MILLISECONDS, 512);
            for (int k = 0; k < 5_000; k++) {
                fast.newTimeout(TASK, 60 + k % 60, TimeUnit.SECONDS);
            }
            timers.add(fast);
        }
        sleepMillis(2_000);
        timers.forEach(HashedWheelTimer::stop);
    }

    @Override
    void tickOfSecond(long nowNanos) {
        if (lazy) {
            rest += timeouts.length;
            for (; rest >= TICKS_OF_TIMEOUT; rest -= TICKS_OF_TIMEOUT) {
                timer.newTimeout(TASK, 0, TimeUnit.NANOSECONDS);
                expected++;
            }
        }
    }

    @Override
    void endOfSecond() {
        while (lazy && fired < expected) {
            sleepMillis(1);
        }
    }

    @Override
    public void close() {
        timer.stop();
    }
}
