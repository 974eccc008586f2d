package io.heartwheel.liveness;

import java.time.Duration;

/**
 * Settings of the credit that peers get for the gateway's own stalls.
 *
 * @param credit whether they are
 * @param threshold shorter ones do not count, 10ms..10s
 * @param maxCredit the most that one deadline is moved, 0s..1h
 */
public record StallSettings(boolean credit, Duration threshold, Duration maxCredit) {
    /** The settings of the reference configuration. */
    public static final StallSettings DEFAULTS =
            new StallSettings(true, Duration.ofMillis(100), Duration.ofSeconds(60));

    /** @throws IllegalArgumentException naming what is out of range */
    public StallSettings {
        LivenessSettings.inRange("threshold", threshold, Duration.ofMillis(10), Duration.ofSeconds(10));
        LivenessSettings.inRange("max-credit", maxCredit, Duration.ZERO, Duration.ofHours(1));
    }
}
