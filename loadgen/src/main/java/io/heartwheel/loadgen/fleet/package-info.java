/**
 * The engine: devices on event loops, and what they see.
 *
 * <p>Over {@code judge}, which it asks about each close. {@link Worker} is the port to whoever coordinates several of
 * these at once.
 *
 * <pre>
 *   coordinator --begin, snapshot, act, finish--&gt; Worker
 *                                                   |
 *                          Fleet: LoopDriver, LoopDriver ... --&gt; Ledger, GatewayFault --&gt; WorkerResult
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.fleet;

import org.jspecify.annotations.NullMarked;
