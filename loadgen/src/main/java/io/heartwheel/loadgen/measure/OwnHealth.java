package io.heartwheel.loadgen.measure;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * Health of the generator itself. A verdict on the gateway's timing is worth nothing when the generator was late: then
 * the run is inconclusive.
 *
 * @param wallNanos length of the observed time
 * @param cpuNanos CPU the generator used in it
 * @param collectorNanos of it collecting garbage
 * @param machineBusyNanos time the machine's processors were busy in it, with whatever; 0 when not known
 * @param machineStolenNanos of it taken by the hypervisor for other machines; 0 when not known
 * @param processors of the machine
 * @param pacing how much later than intended each heartbeat was sent
 */
public record OwnHealth(
        long wallNanos,
        long cpuNanos,
        long collectorNanos,
        long machineBusyNanos,
        long machineStolenNanos,
        int processors,
        Latencies.Summary pacing) {

    /** A machine busier than this share of its processors cannot run anything on time. */
    public static final double SATURATED = 0.85;

    /** Collecting garbage for more than this share of the time makes any finding on timing worthless. */
    public static final double COLLECTOR_LIMIT = 0.10;

    /** A machine that another one takes this share of its processors from keeps nobody's time. */
    public static final double STOLEN_LIMIT = 0.10;

    /** Cores kept busy, 0..cores of the machine. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double cores() {
        return wallNanos <= 0 ? 0 : (double) cpuNanos / wallNanos;
    }

    /** Processors of the machine kept busy, by everything on it. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double machineCores() {
        return wallNanos <= 0 ? 0 : (double) machineBusyNanos / wallNanos;
    }

    /** Whether the machine had hardly a processor to give: lateness then may be nobody's. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public boolean saturated() {
        return machineCores() > SATURATED * processors;
    }

    /** Share of the processors' time that the hypervisor gave to other machines, 0..1. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
    public double stolenShare() {
        return wallNanos <= 0 || processors <= 0 ? 0 : (double) machineStolenNanos / wallNanos / processors;
    }

    /** Whether so much was stolen that lateness may be nobody's here: uncertain like {@link #saturated}. */
    public boolean robbed() {
        return stolenShare() > STOLEN_LIMIT;
    }

    /** What {@link #robbed} means, in words for a finding. */
    public String stolenText() {
        return String.format(
                Locale.ROOT,
                "the hypervisor took %.0f %% of the processors' time for other machines (limit %.0f %%):"
                        + " lateness seen here may be neither the gateway's nor the generator's",
                100 * stolenShare(),
                100 * STOLEN_LIMIT);
    }

    /** Share of the time spent collecting garbage, 0..1. */
    @JsonProperty(access = JsonProperty.Access.READ_ONLY)
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
