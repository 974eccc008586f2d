package io.heartwheel.presence;

import java.time.Duration;

/**
 * Settings of presence. Immutable; any thread.
 *
 * @param settle how long after a start devices of an earlier incarnation may take to come back before they count as lost, 0s..24h
 * @param rate events a second of a snapshot, and of lost devices, 1..1000000
 */
public record PresenceSettings(Duration settle, int rate) {
    /** What the reference configuration says. */
    public static final PresenceSettings DEFAULTS = new PresenceSettings(Duration.ofSeconds(60), 5_000);
}
