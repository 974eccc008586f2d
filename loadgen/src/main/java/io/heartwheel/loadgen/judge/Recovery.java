package io.heartwheel.loadgen.judge;

import java.util.List;
import java.util.Map;

/**
 * Recovery of the fleet after a step of the timeline that cost it connections.
 *
 * @param step what was done, in words
 * @param atSeconds when, since the run began
 * @param connectedBefore connections open just before
 * @param connectedLeast fewest open at any snapshot after
 * @param secondsTo seconds from the step until this percentage of those lost was connected again, for each of
 *     {@link #PERCENTAGES}; an absent one was never reached
 * @param peakOpensPerSecond most connections welcomed in a second
 * @param failedAttempts attempts to come back that failed
 */
public record Recovery(
        String step,
        double atSeconds,
        long connectedBefore,
        long connectedLeast,
        Map<Integer, Double> secondsTo,
        double peakOpensPerSecond,
        long failedAttempts) {

    /** The milestones that are reported, percent of the connections lost. */
    public static final List<Integer> PERCENTAGES = List.of(50, 95, 99, 100);
}
