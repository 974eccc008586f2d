package io.heartwheel.loadgen.fleet;

import java.util.List;

/**
 * Outcomes of pushes since the last report.
 *
 * @param downlink which of the scenario's
 * @param clockName of the machine that pushes; where it is the worker's own, both read the same clock
 * @param atNanos when the report was written, by that clock
 */
public record PushReport(int downlink, String clockName, long atNanos, List<PushOutcome> outcomes) {

    /** Keeps its own copy. */
    public PushReport {
        outcomes = List.copyOf(outcomes);
    }
}
