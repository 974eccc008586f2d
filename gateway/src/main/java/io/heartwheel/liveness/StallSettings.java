package io.heartwheel.liveness;

import java.time.Duration;

/**
 * How the gateway's own stalls are credited to its peers.
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
        if (threshold.compareTo(Duration.ofMillis(10)) < 0 || threshold.compareTo(Duration.ofSeconds(10)) > 0) {
            throw new IllegalArgumentException("threshold = " + threshold + ": need 10ms..10s");
        }
        if (maxCredit.isNegative() || maxCredit.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("max-credit = " + maxCredit + ": need 0s..1h");
        }
    }
}
