package io.heartwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Our wheel: 10 ms, 512 buckets. Handles and objects stand in different orders, as after an hour of coming and going.
 *
 * <p>{@code taken}: after every 1,024 pairs of disarming and arming the marks are taken, with time standing, so that the figure holds both the
 * owner's part and the turning thread's.
 *
 * <p>{@code shared}: one {@link Timed} stands for all connections, so that an expiry touches none of them, but the object of 32 bytes that the wheel
 * makes for each handle: beside timers whose task serves all.
 */
final class Heartwheel extends Contender {

    private static final int PAIRS = 1_024;

    /** As a session: the deadline is derived from the time of the last activity. */
    private static final class Entry extends WheelEntry {
        private static final VarHandle LAST_ACTIVITY;

        static {
            try {
                LAST_ACTIVITY = MethodHandles.lookup().findVarHandle(Entry.class, "lastActivityNanos", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        @SuppressWarnings("UnusedVariable") // by the handle above
        private long lastActivityNanos;

        void activity(long nowNanos) {
            LAST_ACTIVITY.setOpaque(this, nowNanos);
        }

        @Override
        public long deadlineNanos() {
            return (long) LAST_ACTIVITY.getOpaque(this) + TIMEOUT;
        }

        @Override
        public void expire(long nowNanos) {
            fired++;
        }
    }

    /** Stand-in for all connections when an expiry is to touch none. */
    private final class Anybody implements Timed {
        @Override
        public long deadlineNanos() {
            return now;
        }

        @Override
        public void expire(long nowNanos) {
            fired++;
        }
    }

    private final boolean taken;
    private final boolean shared;
    private boolean live;
    /** What the connections would be without the wheel, so that what an entry adds to them counts as the wheel's. */
    @SuppressWarnings("UnusedVariable") // keeps them on the heap
    private Connection[] connections = {};

    private Entry[] entries = {};
    private Entry extra = new Entry();
    private int[] handles = {};
    private int[] order = {};
    private int pairs;
    private TimingWheel wheel = new TimingWheel(TICK, 512, 1, 0);
    private WheelThread thread = new WheelThread(wheel, System::nanoTime, 1_024);

    Heartwheel(boolean taken, boolean shared) {
        this.taken = taken;
        this.shared = shared;
    }

    @Override
    void prepare(int pending) {
        connections = Connection.make(pending);
        entries = new Entry[pending];
        handles = new int[pending];
        order = Touch.shuffled(pending);
    }

    @Override
    void open(boolean live) {
        this.live = live;
        now = live ? System.nanoTime() : 0;
        connections = new Connection[0];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new Entry();
        }
        wheel = new TimingWheel(TICK, 512, entries.length + 1, now);
        Anybody anybody = new Anybody();
        for (int i : order) {
            handles[i] = wheel.register(shared ? anybody : entries[i]);
        }
        wheel.register(extra);
        extra.activity(now);
        if (live) {
            thread = new WheelThread(wheel, System::nanoTime, WheelSettings.DEFAULT_SLICE);
            thread.start();
        }
    }

    @Override
    void arm(int i, long delayNanos) {
        long deadline = (live ? System.nanoTime() : now) + delayNanos;
        entries[i].activity(deadline - TIMEOUT);
        if (shared) {
            wheel.arm(handles[i], deadline);
        } else {
            wheel.arm(entries[i], deadline);
        }
    }

    @Override
    void rearm(int i, long delayNanos) {
        Entry entry = entries[i];
        wheel.disarm(entry);
        wheel.arm(entry, now + delayNanos);
        if (taken) {
            countPair();
        }
    }

    @Override
    void extra(long delayNanos) {
        wheel.arm(extra, now + delayNanos);
        wheel.disarm(extra);
        if (taken) {
            countPair();
        }
    }

    private void countPair() {
        if ((++pairs & PAIRS - 1) == 0) {
            turn(now);
        }
    }

    @Override
    void activity(int i, long nowNanos) {
        entries[i].activity(nowNanos);
    }

    @Override
    void armAgain(int i, long delayNanos) {
        wheel.arm(entries[i], now + delayNanos);
    }

    @Override
    void settle() {
        if (live) {
            sleepMillis(200 + entries.length / 2_000);
        } else {
            turn(now);
        }
    }

    @Override
    void turn(long nowNanos) {
        now = nowNanos;
        do {
            wheel.advance(nowNanos, Integer.MAX_VALUE);
        } while (wheel.turner().isBehind());
    }

    @Override
    void tickOfSecond(long nowNanos) {
        turn(nowNanos);
    }

    @Override
    public void close() {
        thread.close();
    }
}
