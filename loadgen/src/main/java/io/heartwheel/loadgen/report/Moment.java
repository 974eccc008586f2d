package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.fleet.Sample;
import io.heartwheel.loadgen.measure.Ledger;

/**
 * How a run stands, about once a second.
 *
 * @param phase what goes on, in a word or two: {@code ramp}, {@code hold}, {@code recovery}
 * @param share how much of the run, or of this phase, is over, 0..1
 * @param clients devices in all
 * @param sample the last second
 * @param total everything counted since the beginning; read before {@link LiveView#show} or {@link MetricsServer#publish}
 *     returns, so its owner may go on counting then
 * @param next what the timeline does next, in words; empty when nothing
 */
public record Moment(String phase, double share, long clients, Sample sample, Ledger total, String next) {}
