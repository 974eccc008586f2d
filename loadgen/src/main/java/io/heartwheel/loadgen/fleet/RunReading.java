package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.List;
import java.util.Objects;

/**
 * A snapshot of a run under way.
 *
 * @param elapsedNanos since the run began, by the worker's clock
 * @param ledger counts since the beginning, timings since the last snapshot
 * @param usage of the worker's process so far
 * @param lost workers that were given up, and why, in words; what they saw is not in here
 */
public record RunReading(long elapsedNanos, Ledger.Page ledger, Usage usage, List<String> lost) {

    /** Checks that it is whole: it may come from another process, which leaves out what it has nothing of. */
    public RunReading {
        Objects.requireNonNull(ledger, "ledger");
        Objects.requireNonNull(usage, "usage");
        lost = lost == null ? List.of() : List.copyOf(lost);
    }
}
