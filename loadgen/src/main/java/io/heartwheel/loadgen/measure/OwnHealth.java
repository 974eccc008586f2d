package io.heartwheel.loadgen.measure;

/**
 * How well the generator itself did. A verdict on somebody else's timing is worth nothing when the judge was late: then
 * the run is inconclusive.
 *
 * @param wallNanos length of the observed time
 * @param cpuNanos CPU the generator used in it
 * @param collectorNanos of it collecting garbage
 * @param pacing how much later than intended each heartbeat was sent
 */
public record OwnHealth(long wallNanos, long cpuNanos, long collectorNanos, Latencies.Summary pacing) {

    /** Collecting garbage for more than this share of the time makes any finding on timing worthless. */
    public static final double COLLECTOR_LIMIT = 0.10;

    /** Cores kept busy, 0..cores of the machine. */
    public double cores() {
        return wallNanos <= 0 ? 0 : (double) cpuNanos / wallNanos;
    }

    /** Share of the time spent collecting garbage, 0..1. */
    public double collectorShare() {
        return wallNanos <= 0 ? 0 : (double) collectorNanos / wallNanos;
    }

    /**
     * Whether the generator, not the gateway, may have been what was slow.
     *
     * @param pacingLimitNanos largest p99 of pacing lag that leaves findings on timing their worth
     */
    public boolean bottleneck(long pacingLimitNanos) {
        return pacing.p99Nanos() > pacingLimitNanos || collectorShare() > COLLECTOR_LIMIT;
    }
}
