/**
 * Devices and their behaviours: honest, silent, slow, half-open, malformed.
 *
 * <p>Over {@code pace} and {@code measure}; Netty from here upwards. The wire is read anew from the wire document; no
 * code is shared with the gateway.
 *
 * <pre>
 *   pace --&gt; [ device: connect, beat, answer, misbehave ] --&gt; wire
 *                        |
 *                        v
 *                     measure
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.client;

import org.jspecify.annotations.NullMarked;
