package io.heartwheel.liveness;

import java.time.Duration;

/**
 * Settings of the breaker: when a mass expiry is taken for a fault between the peers and us rather than for the death of them all, and what happens then.
 *
 * @param enabled whether the breaker watches
 * @param window expiries of the last so long are counted
 * @param share of all connections whose expiry within a window trips it, more than 0, at most 1
 * @param groupShare the same for the connections of one listener, loop or subnet
 * @param least expiries in a window below which nothing trips, 1 or more
 * @param patience how long a suspect has to answer
 * @param closeRate suspects closed a second at most, over the whole process, 1 or more, or {@link #BY_FLEET}
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
