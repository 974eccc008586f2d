package io.heartwheel.transport;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Periodic look at the memory, on which the guard decides. It has no thread: {@link #look} is to be called once a second.
 *
 * <p>While the guard refuses newcomers little is allocated, so there may be no collection for a long time, and without one nobody knows that
 * memory has come free. So a collection is asked for when there was none for {@value #COLLECT_AFTER_MILLIS} ms, as long as the heap is what is short. It
 * stands all threads still as every full collection does; {@code -XX:+ExplicitGCInvokesConcurrent} makes G1 do it beside the program.
 *
 * <p>One thread.
 */
public final class MemoryWatch {
    private static final long COLLECT_AFTER_MILLIS = 10_000;

    private final MemoryGuard guard;
    private final MemoryProbe probe;

    /**
     * Looks for the first time.
     *
     * @param heldBytes what connections hold by the gateway's own account; asked by any thread
     */
    public MemoryWatch(MemoryGuard guard, LongSupplier heldBytes) {
        this.guard = guard;
        guard.follow(heldBytes);
        probe = new MemoryProbe(heldBytes);
        look();
    }

    /** Takes a reading; may ask for a collection. A tenth of a millisecond without one; reads files of the kernel, so not an event loop. */
    public void look() {
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
}
