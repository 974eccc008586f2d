/**
 * The operator's HTTP: metrics, health, connections, why one was closed, push, drain.
 *
 * <p>Floor 6, over {@code metrics}. It listens on an address of its own, away from the devices, and on another for monitors.
 *
 * <pre>
 *   operator --&gt; who? --&gt; route --+-- /metrics      --&gt; metrics
 *                                 +-- /healthz ...  --&gt; what must turn
 *                                 +-- /v1/devices   --&gt; session registry, the device's own loop
 *                                 +-- /v1/closed .. --&gt; what is remembered of closes, mass expiries, the shadow policy
 * </pre>
 */
@NullMarked
package io.heartwheel.admin;

import org.jspecify.annotations.NullMarked;
