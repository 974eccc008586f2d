package io.heartwheel.transport;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks at the memory once a second, on a thread of its own, and lets the guard decide.
 *
 * <p>While the guard refuses newcomers little is allocated, so there may be no collection for a long time, and without one nobody knows that
 * memory has come free. So a collection is asked for when there was none for {@value #COLLECT_AFTER_MILLIS} ms, as long as the heap is what is short. It
 * stands all threads still as every full collection does; {@code -XX:+ExplicitGCInvokesConcurrent} makes G1 do it beside the program.
 */
public final class MemoryWatch implements AutoCloseable {
    private static final long PERIOD_MILLIS = 1_000;
    private static final long COLLECT_AFTER_MILLIS = 10_000;

    private final MemoryGuard guard;
    private final MemoryProbe probe;
    private final ScheduledExecutorService thread =
            new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("memory-watch", true));

    /**
     * Looks once, and from then on every second.
     *
     * @param heldBytes what connections hold by the gateway's own account; asked by any thread
     */
    public MemoryWatch(MemoryGuard guard, LongSupplier heldBytes) {
        this.guard = guard;
        guard.follow(heldBytes);
        probe = new MemoryProbe(heldBytes);
        look();
        thread.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            decide();
        } catch (OutOfMemoryError none) {
            // not even for the reading: the guard has refused since before, and the next look may find more
        }
    }

    private void decide() {
        MemoryReading reading = probe.read();
        if (guard.look(reading) && reading.heap().share() >= guard.settings().admitBelow()) {
            long upMillis = ManagementFactory.getRuntimeMXBean().getUptime();
            if (upMillis - probe.collectedMillis() >= COLLECT_AFTER_MILLIS) {
                System.gc();
            }
        }
    }

    /** Memory that buffers may have outside of the heap, or that the heap may have, whichever is less, bytes. */
    public static long smallestLimitBytes() {
        return Math.min(Runtime.getRuntime().maxMemory(), MemoryProbe.directLimitBytes());
    }

    /** Ends the thread. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
