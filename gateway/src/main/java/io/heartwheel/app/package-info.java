/**
 * The process: reads the command line and the configuration, wires the floors, starts them and drains them.
 *
 * <p>Floor 8, over everything.
 *
 * <pre>
 *   main --&gt; config --&gt; wire --&gt; start --&gt; run --&gt; SIGTERM --&gt; drain --&gt; stop
 *                 |
 *                 +-- --check: report and leave
 * </pre>
 */
@NullMarked
package io.heartwheel.app;

import org.jspecify.annotations.NullMarked;
