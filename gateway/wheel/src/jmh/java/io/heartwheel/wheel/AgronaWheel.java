package io.heartwheel.wheel;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2LongHashMap;

/**
 * Agrona's {@code DeadlineTimerWheel}, spokes of 2^23 ns (8.4 ms: it must be a power of two). It tells ids and nothing else: so those
 * variants that must find the connection of an id, lazy and {@code own}, have a map beside it; the plain one has none and could not tell who expired.
 *
 * <p>Arming looks for a free slot of its spoke one by one, so it wants many spokes for many timers: {@link #buckets}, 8,192 for a million.
 */
final class AgronaWheel extends Contender {

    private static final long RESOLUTION = 1 << 23;

    private final boolean lazy;
    private final boolean own;
    private final DeadlineTimerWheel.TimerHandler handler = this::expired;
    private DeadlineTimerWheel wheel = new DeadlineTimerWheel(TimeUnit.NANOSECONDS, 0, RESOLUTION, buckets(0));
    private Long2LongHashMap connectionOf = new Long2LongHashMap(-1);
    private boolean live;
    private long[] ids = {};
    private Connection[] connections = {};
    private int[] met = {};
    private int metCount;
    private volatile boolean closed;

    AgronaWheel(boolean lazy, boolean own) {
        this.lazy = lazy;
        this.own = own;
    }

    @Override
    void prepare(int pending) {
        ids = new long[pending];
        if (lazy || own) {
            connections = Connection.make(pending);
            met = new int[pending];
        }
    }

    @Override
    void open(boolean live) {
        this.live = live;
        now = live ? System.nanoTime() : 0;
        wheel = new DeadlineTimerWheel(TimeUnit.NANOSECONDS, now, RESOLUTION, buckets(ids.length));
        connectionOf = new Long2LongHashMap(-1);
    }

    @Override
    void arm(int i, long delayNanos) {
        long deadline = (live ? System.nanoTime() : now) + delayNanos;
        ids[i] = wheel.scheduleTimer(deadline);
        if (lazy || own) {
            connections[i].activity(deadline - TIMEOUT);
            connectionOf.put(ids[i], i);
        }
    }

    @Override
    void rearm(int i, long delayNanos) {
        wheel.cancelTimer(ids[i]);
        ids[i] = wheel.scheduleTimer(now + delayNanos);
    }

    @Override
    void extra(long delayNanos) {
        wheel.cancelTimer(wheel.scheduleTimer(now + delayNanos));
    }

    @Override
    void activity(int i, long nowNanos) {
        if (lazy) {
            connections[i].activity(nowNanos);
        } else {
            rearm(i, TIMEOUT);
        }
    }

    private boolean expired(TimeUnit unit, long nowNanos, long id) {
        if (lazy) {
            met[metCount++] = (int) connectionOf.remove(id);
        } else if (!own || connections[(int) connectionOf.remove(id)].lastActivityNanos() - nowNanos < 0) {
            fired++;
        }
        return true;
    }

    @Override
    long tickNanos() {
        return RESOLUTION;
    }

    /** A poll works off a tick at most. */
    @Override
    void turn(long nowNanos) {
        now = nowNanos;
        do {
            wheel.poll(nowNanos, handler, Integer.MAX_VALUE);
        } while (wheel.currentTickTime() <= nowNanos);
    }

    @Override
    void tickOfSecond(long nowNanos) {
        turn(nowNanos);
        for (int k = 0; k < metCount; k++) {
            int i = met[k];
            long deadline = connections[i].lastActivityNanos() + TIMEOUT;
            if (deadline - nowNanos <= 0) {
                throw new AssertionError("all live");
            }
            ids[i] = wheel.scheduleTimer(deadline);
            connectionOf.put(ids[i], i);
        }
        metCount = 0;
    }

    @Override
    void start() {
        threads().newThread(this::poll).start();
    }

    private void poll() {
        while (!closed) {
            turn(System.nanoTime());
            LockSupport.parkNanos(wheel.currentTickTime() - System.nanoTime());
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
