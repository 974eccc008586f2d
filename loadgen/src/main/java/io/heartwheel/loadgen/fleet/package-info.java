/**
 * The engine: devices on event loops, what they see, and the verdict on it.
 *
 * <p>Over {@code scenario}. {@link Worker} is the port to whoever conducts several of these at once.
 *
 * <pre>
 *   conductor --begin, look, act, finish--&gt; Player
 *                                             |
 *                               Fleet: LoopDriver, LoopDriver ... --&gt; Ledger, Evidence --&gt; Findings --&gt; Outcome
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.fleet;

import org.jspecify.annotations.NullMarked;
