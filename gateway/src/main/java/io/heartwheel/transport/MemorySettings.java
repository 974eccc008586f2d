package io.heartwheel.transport;

/**
 * Thresholds of short memory, and what follows. Shares are of the greatest heap, of the greatest direct memory and of the process's limit (a control
 * group's), each for itself. Immutable; any thread.
 *
 * @param enabled whether new connections are refused for want of memory
 * @param refuseAbove at this share or over nobody new is taken
 * @param admitBelow under it, in all three, they are taken again, less than {@code refuseAbove}
 * @param unfinished share of the heap or of direct memory, whichever may be smaller, that unfinished frames may hold together;
 *     counts whether enabled or not
 */
public record MemorySettings(boolean enabled, double refuseAbove, double admitBelow, double unfinished) {
    /** The settings of the reference configuration. */
    public static final MemorySettings DEFAULTS = new MemorySettings(true, 0.85, 0.75, 0.25);

    /**
     * What the unfinished frames of one event loop may hold, bytes: its part of the whole, but room for three messages of the greatest size, or for one in JSON,
     * at least.
     *
     * @param memoryBytes the heap or the direct memory there may be, whichever is less
     * @param loops event loops, 1 or more
     * @param largestMessageBytes the greatest payload anybody may send
     */
    public long unfinishedBytesOfALoop(long memoryBytes, int loops, int largestMessageBytes) {
        return Math.max((long) (memoryBytes * unfinished) / loops, 3L * largestMessageBytes);
    }
}
