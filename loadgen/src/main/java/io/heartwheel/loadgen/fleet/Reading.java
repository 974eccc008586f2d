package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;

/**
 * A look at a run under way.
 *
 * @param elapsedNanos since the run began, by the player's clock
 * @param ledger counts since the beginning, timings since the last look
 * @param usage of the player's process so far
 */
public record Reading(long elapsedNanos, Ledger.Page ledger, Usage usage) {}
