/**
 * Listeners and pipelines: which I/O engine, TLS or not, who is admitted, and when to push back.
 *
 * <p>Floor 3, over {@code protocol}; no sight of its neighbour {@code backend}.
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
