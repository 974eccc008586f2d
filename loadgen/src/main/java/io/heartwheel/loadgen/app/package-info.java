/**
 * The command line: picks a scenario, runs it, shows it, and leaves with its verdict. The only place that reads the
 * clock and writes to the terminal.
 *
 * <p>The top floor of the load generator.
 *
 * <pre>
 *   demo --&gt; GatewayPool (a real gateway, its own process)
 *     |          | ports
 *     v          v
 *   run ----&gt; LocalRun, Coordinator --&gt; Worker --snapshots--&gt; LiveView
 *                        |
 *                        +----Result-----&gt; VerdictTable, JSON --&gt; exit status
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.app;

import org.jspecify.annotations.NullMarked;
