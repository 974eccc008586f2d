package io.heartwheel.liveness;

import java.time.Duration;

/**
 * Settings of the credit that peers get for the gateway's own stalls.
 *
 * @param credit whether they are
 * @param threshold shorter ones do not count
 * @param maxCredit the most that one deadline is moved
 */
public record StallSettings(boolean credit, Duration threshold, Duration maxCredit) {
    /** The settings of the reference configuration. */
    public static final StallSettings DEFAULTS =
            new StallSettings(true, Duration.ofMillis(100), Duration.ofSeconds(60));
}
