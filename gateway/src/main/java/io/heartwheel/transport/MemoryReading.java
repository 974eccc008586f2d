package io.heartwheel.transport;

/**
 * Memory in use at one moment that no collection would free. Immutable; any thread.
 *
 * @param heap what the last collection left and connections have taken since, or what is in use now if that is less
 * @param direct memory outside of the heap that buffers hold
 * @param process what the process can't give back, against the limit of its control group
 */
public record MemoryReading(Area heap, Area direct, Area process) {

    /**
     * One kind of memory.
     *
     * @param usedBytes 0 or more
     * @param limitBytes 0: none is known, and then it is never short
     */
    public record Area(long usedBytes, long limitBytes) {
        /** Where nothing can be read. */
        public static final Area UNKNOWN = new Area(0, 0);

        private Area grown(long bytes) {
            return limitBytes > 0 ? new Area(usedBytes + bytes, limitBytes) : this;
        }

        /** How full it is: 0 empty, 1 full; 0 where there is no limit. */
        public double share() {
            return limitBytes > 0 ? (double) usedBytes / limitBytes : 0;
        }
    }

    /** Nothing is known yet. */
    public static final MemoryReading NOTHING = new MemoryReading(Area.UNKNOWN, Area.UNKNOWN, Area.UNKNOWN);

    /** The same with so many more bytes in use, in whichever area they are. */
    MemoryReading grown(long bytes) {
        return bytes == 0 ? this : new MemoryReading(heap.grown(bytes), direct.grown(bytes), process.grown(bytes));
    }

    /** How full the fullest is. */
    public double worstShare() {
        return Math.max(heap.share(), Math.max(direct.share(), process.share()));
    }

    /** Which is the fullest, in an operator's words. */
    String worstName() {
        double worst = worstShare();
        if (heap.share() == worst) {
            return "heap";
        }
        return direct.share() == worst ? "direct memory" : "memory of the process";
    }
}
