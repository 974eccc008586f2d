/**
 * The operator's HTTP: metrics, health, connections, why one was closed, push, drain.
 *
 * <p>Floor 5, over {@code metrics}. It listens on an address of its own, away from the devices.
 *
 * <pre>
 *   operator --&gt; HTTP --&gt; route --+-- /metrics      --&gt; metrics
 *                                 +-- /health ...   --&gt; session registry
 *                                 +-- /connections  --&gt; session registry
 * </pre>
 */
@NullMarked
package io.heartwheel.admin;

import org.jspecify.annotations.NullMarked;
