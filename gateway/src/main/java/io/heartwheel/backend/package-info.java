/**
 * Where facts go: event sinks, the log of closes, and the memory of those who ask why.
 *
 * <p>Floor 3, over {@code event} and {@code session}; no sight of its neighbour {@code transport}. A slow sink costs its
 * own queue, never an event loop.
 *
 * <pre>
 *   event --&gt; [ bounded queue ] --&gt; log
 *                  |          \--&gt; webhook
 *                  +-- full: dropped and counted
 * </pre>
 */
@NullMarked
package io.heartwheel.backend;

import org.jspecify.annotations.NullMarked;
