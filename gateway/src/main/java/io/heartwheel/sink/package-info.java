/**
 * Event sinks: where events leave the gateway.
 *
 * <p>Floor 4, over {@code event} and {@code session}; imports none of its neighbours. A slow sink costs its own queue, never an event loop.
 *
 * <pre>
 *   event --&gt; [ bounded queue ] --&gt; console or file, one JSON line an event
 *                  |
 *                  +-- full: dropped and counted
 * </pre>
 */
@NullMarked
package io.heartwheel.sink;

import org.jspecify.annotations.NullMarked;
