/**
 * HTTP servers that a run starts for the gateway under test. Floor 1.
 *
 * <pre>
 *   gateway --request--&gt; DisturbedServer --&gt; service: takes events, tells keys, decides about devices
 *                             ^
 *                        Disturbance: 500, late, never, down
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.server;

import org.jspecify.annotations.NullMarked;
