package io.heartwheel.wheel;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A timer under measurement, with so many connections each of which has one timeout in it. Every benchmark of the comparison drives all of them
 * through this one class; a fork loads a single subclass, so that the calls are direct ones there.
 *
 * <p>What stands for the field of a connection that remembers its timeout (a reference, an id, a handle) is one array for each contender, made in
 * {@link #prepare}: reading it is the same cache miss for all.
 *
 * <p>Two kinds of time. Virtual: {@link #now} is what the benchmark says, and {@link #turn} works it off; only some contenders can. Live: real time,
 * on a thread of the contender's own, whose CPU time {@link Workers} reads.
 */
abstract class Contender implements AutoCloseable {

    /** The tick of Heartwheel and of Netty's wheel. */
    static final long TICK = 10_000_000;

    /** What a connection may be silent for. */
    static final long TIMEOUT = 30_000_000_000L;

    /** Expired since the start; written by the thread that expires. */
    static long fired;

    /** Virtual time in nanoseconds. */
    long now;

    /**
     * The contender of that name. {@code -lazy} at its end: activity stores a time, and an expiry that comes too early arms what remains. {@code
     * -own}: an expiry finds the connection, as it must in use, where the plain contender only counts.
     */
    static Contender of(String peer) {
        boolean lazy = peer.endsWith("-lazy");
        boolean own = peer.endsWith("-own");
        String family = lazy || own ? peer.substring(0, peer.lastIndexOf('-')) : peer;
        // Suppliers, so that no class but the chosen one is loaded.
        Supplier<Contender> maker =
                switch (family) {
                    case "floor-slot" -> () -> new Floor(false);
                    case "floor-object" -> () -> new Floor(true);
                    case "heartwheel", "heartwheel-live" -> () -> new Heartwheel(false, false);
                    case "heartwheel-taken" -> () -> new Heartwheel(true, false);
                    case "heartwheel-shared" -> () -> new Heartwheel(false, true);
                    case "netty" -> () -> new NettyWheel(lazy, own, false);
                    case "dropin" -> () -> new NettyWheel(false, own, true);
                    case "loop" -> () -> new EventLoopHeap(lazy);
                    case "kafka" -> KafkaWheel::new;
                    case "agrona" -> () -> new AgronaWheel(lazy, own);
                    case "timer" -> JdkTimer::new;
                    case "pool" -> JdkPool::new;
                    case "delayqueue" -> JdkDelayQueue::new;
                    default -> throw new IllegalArgumentException("peer = " + peer);
                };
        return maker.get();
    }

    /** Makes what the connections bring with them: their objects, and the array that remembers their timeouts. */
    abstract void prepare(int pending);

    /**
     * Makes the timer, empty.
     *
     * @param live whether it is to run on real time
     */
    abstract void open(boolean live);

    /** Arms the timeout of a connection for the first time. */
    abstract void arm(int i, long delayNanos);

    /** Takes the timeout of a connection back and arms it anew. */
    abstract void rearm(int i, long delayNanos);

    /** Arms a timeout beside those of the connections and takes it back. */
    abstract void extra(long delayNanos);

    /** A heartbeat of a connection. */
    void activity(int i, long nowNanos) {
        rearm(i, TIMEOUT);
    }

    /** Moves a timeout without taking it back, for who can. */
    void armAgain(int i, long delayNanos) {
        throw new UnsupportedOperationException();
    }

    /** Lets work that was put off at arming be done: transfers, marks. */
    void settle() {}

    /** Starts the expiring on real time, for those that are armed and expired by the same thread. */
    void start() {}

    /** Runs so many ticks on real time that the compiler is done with them, where they come by even if nothing is due. */
    void compileTick() {}

    /** Nanoseconds a virtual tick. */
    long tickNanos() {
        return TICK;
    }

    /** Virtual time is now this. */
    void turn(long nowNanos) {
        throw new UnsupportedOperationException("no virtual time");
    }

    /** A tick of the simulated second has passed: works it off, or what stands for it; nothing for those with a thread that does. */
    void tickOfSecond(long nowNanos) {}

    /** The simulated second is over: waits for what was left to another thread. */
    void endOfSecond() {}

    @Override
    public abstract void close();

    /** Prepares, opens and arms: so many connections, the delays spread over {@code leastNanos} and so much more. */
    static Contender filled(String peer, int pending, boolean live, long leastNanos, long spreadNanos) {
        Contender contender = of(peer);
        contender.prepare(pending);
        contender.open(live || peer.endsWith("-live"));
        contender.armAll(pending, leastNanos, spreadNanos);
        contender.settle();
        return contender;
    }

    final void armAll(int pending, long leastNanos, long spreadNanos) {
        Touch touch = new Touch(pending);
        for (int i = 0; i < pending; i++) {
            arm(i, leastNanos + touch.below(spreadNanos));
        }
    }

    /** Threads whose CPU time {@link Workers} counts. */
    static ThreadFactory threads() {
        return task -> {
            Thread thread = new Thread(task, Workers.PREFIX + "timer");
            thread.setDaemon(true);
            return thread;
        };
    }

    /** How many buckets those get that want more of them for more timers: a power of two that leaves each about 128, 512 at least. */
    static int buckets(int pending) {
        return Math.max(512, Integer.highestOneBit(Math.max(1, pending / 128 - 1)) << 1);
    }

    /** Full collections, until what is young has grown old. */
    static void collect() {
        System.gc();
        System.gc();
    }

    /** Sleeps, whatever interrupts. */
    static void sleepMillis(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
