package io.heartwheel.transport;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Guard that decides whether there is memory for newcomers, from memory readings alone.
 *
 * <pre>
 *   share  1.0 |              JVM in trouble
 *              |
 *   refuse-above ....... short: newcomers are told OVERLOADED, /readyz says so
 *              |         ^    |     in between nothing changes, so that it does not flutter
 *   admit-below .........|....v  taken again
 *              |
 *          0.0 |
 * </pre>
 *
 * <p>Newcomers may fill a small heap between two readings, so each {@value #NEWCOMERS_A_CHECK} of them what connections have taken since the last one
 * is added to it.
 *
 * <p>While it refuses newcomers little is allocated, so there may be no collection for a long time, and without one nobody knows that memory has come
 * free. So a collection is asked for when there was none for {@value #COLLECT_AFTER_MILLIS} ms, as long as the heap is what is short. It stands all threads
 * still as every full collection does; {@code -XX:+ExplicitGCInvokesConcurrent} makes G1 do it beside the program.
 *
 * <p>Who is connected stays connected. Any thread; it has none of its own: {@link #look()} is to be called once a second, by one.
 */
public final class MemoryGuard {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryGuard.class);

    private static final int NEWCOMERS_A_CHECK = 16;
    private static final long COLLECT_AFTER_MILLIS = 10_000;

    private final AtomicInteger newcomers = new AtomicInteger();

    private volatile MemorySettings settings;
    private volatile LongSupplier held = () -> 0;
    private volatile @Nullable MemoryProbe probe;
    /** What connections held at the latest reading, bytes. Under the lock. */
    private long heldThen;

    private volatile MemoryReading latest = MemoryReading.NOTHING;
    private volatile boolean isShort;
    private volatile long shortages;

    /** Starts with memory to spare. */
    public MemoryGuard(MemorySettings settings) {
        this.settings = settings;
    }

    /** Decides by these from the next reading on. Any thread. */
    public void reconfigure(MemorySettings fresh) {
        settings = fresh;
    }

    /** What it decides by. Any thread. */
    public MemorySettings settings() {
        return settings;
    }

    /**
     * Follows the memory of this process from now on.
     *
     * @param heldBytes what connections hold by the gateway's own account; asked by any thread
     */
    public void follow(LongSupplier heldBytes) {
        held = heldBytes;
        probe = new MemoryProbe(heldBytes);
    }

    /** Memory that buffers may have outside of the heap, or that the heap may have, whichever is less, bytes. */
    public static long smallestLimitBytes() {
        return Math.min(Runtime.getRuntime().maxMemory(), MemoryProbe.directLimitBytes());
    }

    /** Takes a reading; may ask for a collection. A tenth of a millisecond without one; reads files of the kernel, so not an event loop. */
    public void look() {
        MemoryProbe now = probe;
        try {
            if (now != null) {
                decide(now);
            }
        } catch (OutOfMemoryError none) {
            // not even for the reading: it has refused since before, and the next look may find more
        }
    }

    private void decide(MemoryProbe by) {
        MemoryReading reading = by.read();
        if (look(reading) && reading.heap().share() >= settings.admitBelow()) {
            long upMillis = ManagementFactory.getRuntimeMXBean().getUptime();
            if (upMillis - by.collectedMillis() >= COLLECT_AFTER_MILLIS) {
                System.gc();
            }
        }
    }

    /**
     * Takes a reading and decides.
     *
     * @return whether memory is short now
     */
    synchronized boolean look(MemoryReading reading) {
        latest = reading;
        heldThen = held.getAsLong();
        double worst = reading.worstShare();
        if (!isShort && settings.enabled() && worst >= settings.refuseAbove()) {
            begin(reading);
        } else if (isShort && worst < settings.admitBelow()) {
            isShort = false;
            LOG.warn("memory is no longer short: {}; new connections are taken again", told(reading));
        }
        return isShort;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void begin(MemoryReading reading) {
        isShort = true;
        shortages = shortages + 1;
        LOG.warn(
                "memory is short: {}; new connections are refused until it is below {} %",
                told(reading), percent(settings.admitBelow()));
    }

    private static String told(MemoryReading reading) {
        return String.format(Locale.ROOT, "%s %d %% full", reading.worstName(), percent(reading.worstShare()));
    }

    private static long percent(double share) {
        return Math.round(share * 100);
    }

    /** Whether the next newcomer is refused, who counts as come. */
    boolean refusesNext() {
        if (!isShort && newcomers.incrementAndGet() % NEWCOMERS_A_CHECK == 0) {
            lookAtGrowth();
        }
        return isShort;
    }

    /** Under the lock, so that two loops at once do not add the same growth twice. */
    private synchronized void lookAtGrowth() {
        look(latest.grown(Math.max(0, held.getAsLong() - heldThen)));
    }

    /** Whether newcomers are refused now. One volatile read. */
    public boolean isShort() {
        return isShort;
    }

    /** Times it has become short since start. */
    public long shortages() {
        return shortages;
    }

    /** What was seen last. */
    public MemoryReading latest() {
        return latest;
    }
}
