/**
 * A story for many devices: phases, mixtures of behaviours, and what must hold at the end.
 *
 * <p>Over {@code client}.
 *
 * <pre>
 *   ramp up ---- steady ---- fault ---- recovery ---- verdict
 *      n devices, mixed         what was promised, what was seen
 * </pre>
 */
@NullMarked
package io.heartwheel.loadgen.scenario;

import org.jspecify.annotations.NullMarked;
