/**
 * Presence that consumers can rely on: what makes up for events that a crash or a full sink has taken.
 *
 * <p>Floor 3, over {@code session}, {@code event} and {@code store}.
 *
 * <pre>
 *   a gap, the operator ----&gt; Snapshots --walks the registry, on each device's own loop--&gt; snapshot begun, present ..., snapshot ended
 *   rows of older
 *   incarnations in the store -&gt; LostDevices --not here after a while--&gt; disconnected, reason gateway_lost
 *
 *   PresenceThread gives both their time; it sleeps while neither has anything to do.
 * </pre>
 */
@NullMarked
package io.heartwheel.presence;

import org.jspecify.annotations.NullMarked;
