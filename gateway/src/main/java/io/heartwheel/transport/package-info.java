/**
 * Listeners and pipelines: I/O engines, TLS, admission and backpressure.
 *
 * <p>Floor 4, over {@code protocol}; no sight of its neighbours {@code sink} and {@code history}.
 *
 * <pre>
 *   listen --&gt; admission --&gt; [ TLS ] --&gt; sniff --&gt; protocol --&gt; session
 *                |                                     |
 *                +-- refused: counted, closed          +-- watermark: stop reading
 * </pre>
 */
@NullMarked
package io.heartwheel.transport;

import org.jspecify.annotations.NullMarked;
