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

    /** A p99 of pacing lag above this, 20 ms, makes soft findings worthless: it is the allowance of the contract itself. */
    public static final long PACING_LIMIT_NANOS = 20_000_000L;

    /** Collecting garbage for more than this share of the time, 10 %, likewise. */
    public static final double COLLECTOR_LIMIT = 0.10;

    /** Cores kept busy, 0..cores of the machine. */
    public double cores() {
        return wallNanos <= 0 ? 0 : (double) cpuNanos / wallNanos;
    }

    /** Share of the time spent collecting garbage, 0..1. */
    public double collectorShare() {
        return wallNanos <= 0 ? 0 : (double) collectorNanos / wallNanos;
    }

    /** Whether the generator, not the gateway, may have been what was slow. */
    public boolean bottleneck() {
        return pacing.p99Nanos() > PACING_LIMIT_NANOS || collectorShare() > COLLECTOR_LIMIT;
    }
}
