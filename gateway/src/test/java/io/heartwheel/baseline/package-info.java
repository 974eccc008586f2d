/**
 * What the gateway is measured against, and the measuring.
 *
 * <pre>
 *   Compare --&gt; TlsTrial --&gt; Stage, once for each provider
 *   Compare --&gt; MassTrial --&gt; Child (a server) &lt;--sockets-- Child (MassCrowdMain)
 *   Compare --&gt; HeapTrial, CpuTrial --&gt; Stage --&gt; Child (BaselineMain or the gateway)  &lt;--sockets--  Child (CrowdMain)
 *      |                                             |
 *      +--&gt; Report: table, result.json               +--&gt; class histogram, resident memory, processor time
 * </pre>
 */
@NullMarked
package io.heartwheel.baseline;

import org.jspecify.annotations.NullMarked;
