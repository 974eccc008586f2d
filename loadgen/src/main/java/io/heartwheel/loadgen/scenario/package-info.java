/**
 * A run of many devices as data: who does what, what happens when, and what must hold at the end.
 *
 * <p>Over {@code client}. Read from a file (HOCON), checked whole before anything is started.
 *
 * <pre>
 *   ramp up ---- steady ---- fault ---- recovery ---- verdict
 *      n devices, mixed         what was promised, what was seen
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.scenario;

import org.jspecify.annotations.NullMarked;
