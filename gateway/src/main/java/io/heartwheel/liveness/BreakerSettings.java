package io.heartwheel.liveness;

import static io.heartwheel.liveness.LivenessSettings.inRange;

import java.time.Duration;

/**
 * Settings of the breaker: when a mass expiry is taken for a fault between the peers and us rather than for the death of them all, and what happens then.
 *
 * @param enabled whether the breaker watches
 * @param window expiries of the last so long are counted, 1s..10m
 * @param share of all connections whose expiry within a window trips it, 0.01..1
 * @param groupShare the same for the connections of one listener, loop or subnet, 0.01..1
 * @param least expiries in a window below which nothing trips, 1..1000000
 * @param patience how long a suspect has to answer, 100ms..1h
 * @param closeRate suspects closed a second at most, over the whole process, 1..1000000, or {@link #BY_FLEET}
 */
public record BreakerSettings(
        boolean enabled,
        Duration window,
        double share,
        double groupShare,
        int least,
        Duration patience,
        int closeRate) {
    /** A rate that follows the fleet: all of it within {@value #FLEET_SECONDS} s, and {@value #LEAST_RATE} a second at least. */
    public static final int BY_FLEET = 0;

    private static final int FLEET_SECONDS = 15;
    private static final int LEAST_RATE = 1_000;

    /** The settings of the reference configuration. */
    public static final BreakerSettings DEFAULTS =
            new BreakerSettings(true, Duration.ofSeconds(30), 0.2, 0.5, 100, Duration.ofSeconds(10), BY_FLEET);

    /** Never trips. */
    public static final BreakerSettings OFF =
            new BreakerSettings(false, Duration.ofSeconds(30), 0.2, 0.5, 100, Duration.ofSeconds(10), BY_FLEET);

    /** @throws IllegalArgumentException naming what is out of range */
    public BreakerSettings {
        inRange("window", window, Duration.ofSeconds(1), Duration.ofMinutes(10));
        inRange("patience", patience, Duration.ofMillis(100), Duration.ofHours(1));
        inRange("share", share, 0.01, 1.0);
        inRange("group-share", groupShare, 0.01, 1.0);
        inRange("least", least, 1, 1_000_000);
        if (closeRate != BY_FLEET) {
            inRange("close-rate", closeRate, 1, 1_000_000);
        }
    }

    /**
     * Suspects closed a second at most.
     *
     * @param fleet connections established
     */
    int closesASecond(int fleet) {
        return closeRate == BY_FLEET ? Math.max(LEAST_RATE, (fleet + FLEET_SECONDS - 1) / FLEET_SECONDS) : closeRate;
    }

    /**
     * These with all of the other's that can change while a breaker watches. Whether it does, and how long a window is, stays: counts begun would be lost.
     */
    public BreakerSettings renewedBy(BreakerSettings fresh) {
        return new BreakerSettings(
                enabled, window, fresh.share, fresh.groupShare, fresh.least, fresh.patience, fresh.closeRate);
    }
}
