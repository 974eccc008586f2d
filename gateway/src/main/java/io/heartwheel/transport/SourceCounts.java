package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.SourceLimiter;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts of connections by source. Memory is taken once and never grows: a table of {@value #WAYS}-fold associative sets, 20 bytes a
 * place, two places for each source that is to be tracked.
 *
 * <pre>
 *   address --prefix, seeded hash--&gt; set:  | source | connections | earliest time of the next accept, were all evenly spaced |   x 16
 * </pre>
 *
 * A place is free when nothing of its source is connected; of free places that whose rate has rested longest is taken. A source that finds no
 * place because all of its set are connected is let in uncounted: the limits of the whole process still hold, and nobody is turned away for what
 * others do. The rate is the generic cell rate algorithm (ITU-T I.371): one time for each source instead of a bucket.
 *
 * <p>Any thread: a set is read and written under one of {@value #LOCKS} locks, for the look at its places.
 */
public final class SourceCounts implements SourceLimiter {
    private static final int WAYS = 16;
    private static final int LOCKS = 64;
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final long startNanos;
    private final long seed = ThreadLocalRandom.current().nextLong();
    private final int v6PrefixBits;
    private final int setMask;
    private volatile @Nullable SourceSettings settings;

    // ---- under the lock of the set
    private final long[] keys;
    private final int[] connections;
    /** Nanoseconds since start; 0 in a place never used. */
    private final long[] nextNanos;

    private final Object[] locks = new Object[LOCKS];
    private final AtomicInteger connected = new AtomicInteger();
    private final LongAdder tooMany = new LongAdder();
    private final LongAdder tooFast = new LongAdder();
    private final LongAdder uncounted = new LongAdder();

    /**
     * Nobody is in yet.
     *
     * @param settings null: everybody is let in, and nobody is counted
     * @param nanoClock monotonic nanoseconds
     */
    SourceCounts(@Nullable SourceSettings settings, LongSupplier nanoClock) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        startNanos = nanoClock.getAsLong();
        v6PrefixBits = settings == null ? Long.SIZE : settings.v6PrefixBits();
        int tracked = settings == null ? 1 : settings.tracked();
        int sets = Integer.highestOneBit(Math.max(1, (2 * tracked - 1) / WAYS)) << 1;
        setMask = sets - 1;
        keys = new long[sets * WAYS];
        connections = new int[sets * WAYS];
        nextNanos = new long[sets * WAYS];
        Arrays.setAll(locks, index -> new Object());
    }

    /** Goes by other limits from now on, if there were any; how sources are told apart, and how many, stays. Any thread. */
    void reconfigure(@Nullable SourceSettings fresh) {
        if (settings != null && fresh != null) {
            settings = fresh;
        }
    }

    @Override
    public void enter(Channel channel, byte[] address) throws ProtocolViolation {
        SourceSettings now = settings;
        if (now == null || address.length == 0 || now.exempt().contains(address)) {
            return;
        }
        long key = IpAddress.source(address, v6PrefixBits);
        int set = set(key);
        synchronized (lock(set)) {
            long sinceStartNanos = nanoClock.getAsLong() - startNanos;
            int place = place(set, key);
            if (place < 0) {
                uncounted.increment();
                return;
            }
            CloseReason refusal = refusal(place, now, sinceStartNanos);
            if (refusal != null) {
                String text = refusal == CloseReason.OVERLOADED
                        ? "connections from there come too fast"
                        : "as many connections from there as there may be";
                throw new ProtocolViolation(refusal, text);
            }
            nextNanos[place] = Math.max(nextNanos[place], sinceStartNanos) + NANOS_PER_SECOND / now.acceptsPerSecond();
            if (connections[place]++ == 0) {
                connected.incrementAndGet();
            }
        }
        channel.closeFuture().addListener((ChannelFutureListener) closed -> leave(key));
    }

    /** Whether one more from there is refused now; then it was counted as that. One that is not is not counted, and takes no place. Any thread. */
    boolean refuses(byte[] address) {
        SourceSettings now = settings;
        if (now == null || address.length == 0 || now.exempt().contains(address)) {
            return false;
        }
        long key = IpAddress.source(address, v6PrefixBits);
        int set = set(key);
        synchronized (lock(set)) {
            for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
                if (nextNanos[at] != 0 && keys[at] == key) {
                    return refusal(at, now, nanoClock.getAsLong() - startNanos) != null;
                }
            }
        }
        return false;
    }

    /** Why this place gets no more, and counts it; null if it does. Under the lock of the set. */
    private @Nullable CloseReason refusal(int place, SourceSettings now, long sinceStartNanos) {
        if (connections[place] >= now.connections()) {
            tooMany.increment();
            return CloseReason.CONNECTION_LIMIT;
        }
        long intervalNanos = NANOS_PER_SECOND / now.acceptsPerSecond();
        // further ahead than a burst is only what was counted at a lower rate; a rate that was raised is in force at
        // once
        nextNanos[place] = Math.min(nextNanos[place], sinceStartNanos + now.burst() * intervalNanos);
        if (nextNanos[place] - sinceStartNanos > (now.burst() - 1) * intervalNanos) {
            tooFast.increment();
            return CloseReason.OVERLOADED;
        }
        return null;
    }

    private void leave(long key) {
        int set = set(key);
        synchronized (lock(set)) {
            int place = place(set, key);
            if (--connections[place] == 0) {
                connected.decrementAndGet();
            }
        }
    }

    /** The source's own place, else a free one that becomes its own; -1 if there is none. Under the lock of the set. */
    private int place(int set, long key) {
        int free = -1;
        for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
            boolean used = nextNanos[at] != 0;
            if (used && keys[at] == key) {
                return at;
            }
            if (connections[at] == 0 && (free < 0 || nextNanos[at] < nextNanos[free])) {
                free = at;
            }
        }
        if (free >= 0) {
            keys[free] = key;
            nextNanos[free] = 0;
        }
        return free;
    }

    private int set(long key) {
        return IpAddress.hash(key, seed) & setMask;
    }

    private Object lock(int set) {
        return locks[set & (LOCKS - 1)];
    }

    /** Sources with a connection now; 0 without limits. */
    public int connected() {
        return connected.get();
    }

    /** Connections refused because their source has as many as it may. */
    public long tooMany() {
        return tooMany.sum();
    }

    /** Connections refused because their source makes them too fast. */
    public long tooFast() {
        return tooFast.sum();
    }

    /** Connections whose source could not be told apart from others any more, and which were let in. */
    public long uncounted() {
        return uncounted.sum();
    }
}
