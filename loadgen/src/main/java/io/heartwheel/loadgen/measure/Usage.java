package io.heartwheel.loadgen.measure;

/**
 * Resources that a process has used since it started. Any figure the platform does not tell is 0.
 *
 * @param atNanos when this was read, by the reader's monotonic clock
 * @param cpuNanos CPU time of all threads
 * @param collectorNanos time spent collecting garbage, to the millisecond
 */
public record Usage(long atNanos, long cpuNanos, long collectorNanos) {

    /** Of a process that did nothing. */
    public static final Usage NOTHING = new Usage(0, 0, 0);
}
