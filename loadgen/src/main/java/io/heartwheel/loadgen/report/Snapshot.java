package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Ledger;

/**
 * State of a run, taken a few times a second.
 *
 * @param phase what goes on, in a word or two: {@code connecting}, {@code observing}
 * @param clients devices in all
 * @param sample what happened since the snapshot before
 * @param ledger counts since the beginning, timings since the snapshot before, as a worker tells them; not kept beyond the
 *     call it is handed to, so its owner may go on counting after that
 * @param next what the timeline does next, in words; empty when nothing
 */
public record Snapshot(String phase, long clients, Sample sample, Ledger ledger, String next) {}
