/**
 * The command line: picks a scenario, runs it, prints the report and leaves with its verdict.
 *
 * <p>The top floor of the load generator.
 *
 * <pre>
 *   arguments --&gt; scenario --&gt; run --&gt; report --&gt; exit code
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.app;

import org.jspecify.annotations.NullMarked;
