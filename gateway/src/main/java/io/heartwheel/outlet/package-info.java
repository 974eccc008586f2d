/**
 * Outlets: ways out of the journal to whoever wants the events, each at its own pace.
 *
 * <p>Floor 4, over {@code store} and {@code event}; imports none of its neighbours. An outlet that is slow or fails costs room in the journal and
 * nothing else.
 *
 * <pre>
 *   journal --next(cursor)--&gt; runner, one thread an outlet --deliver--&gt; console | file | webhook | kafka | nats
 *                                |                            |
 *                                +-- cursor moves on &lt;--------+-- fails: waits, then the same events again
 * </pre>
 */
@NullMarked
package io.heartwheel.outlet;

import org.jspecify.annotations.NullMarked;
