/**
 * Output for people: the view while a run is under way, and the table, JSON, HTML page and comparison of its result.
 *
 * <p>Over {@code judge}, whose plain values it turns into text; beside {@code workers}, which it does not see. Time comes in
 * with the values: nothing here reads a clock.
 *
 * <pre>
 *   Snapshot (some a second) -&gt; LiveView        terminal
 *                         +-&gt; MetricsServer   GET /metrics
 *
 *   Result (at the end) ----&gt; VerdictTable    terminal
 *                         +-&gt; ResultJson      file, and back --&gt; Comparison of two
 *                         +-&gt; HtmlReport      file, plots inside
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.report;

import org.jspecify.annotations.NullMarked;
