/**
 * {@code heartwheel-gateway doctor}: looks a machine over for what stands in the way of a gateway as configured, and says what to change and how.
 *
 * <p>Floor 8, a part of app.
 *
 * <pre>
 *   configuration --+                +--&gt; Finding: ok, warn or fail; what, why, the command
 *   Machine (files) +--&gt; checks -----+                    |
 *   Probes (trials) +                                     +--&gt; Report: text or JSON
 * </pre>
 *
 * The checks are pure functions of what the configuration wants and what {@link io.heartwheel.app.doctor.Machine} and
 * {@link io.heartwheel.app.doctor.Probes} tell; tests hand in a directory that looks like {@code /proc}.
 */
@NullMarked
package io.heartwheel.app.doctor;

import org.jspecify.annotations.NullMarked;
