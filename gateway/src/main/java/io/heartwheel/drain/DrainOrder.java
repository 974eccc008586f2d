package io.heartwheel.drain;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One drain as it is asked for. Immutable; any thread.
 *
 * @param goawayRate devices told to leave a second at most, {@link DrainSettings#MIN_RATE}..{@link DrainSettings#MAX_RATE}
 * @param admitPerSecond connections a second that those who take the devices can bear, same range
 * @param deadline so long after the notice the last is closed, 0..{@link DrainSettings#MAX_DRAIN}
 * @param stay whether the process goes on afterwards, without devices, until it is told to take some again or to end
 * @param notice for so long nobody is told, and newcomers are taken, 0..{@link DrainSettings#MAX_NOTICE}
 * @param share only some are sent away, and newcomers are taken all the time; null: all
 * @param announcing how many gateways say that they take {@code admitPerSecond}; 0: it was asked for, or configured
 */
public record DrainOrder(
        int goawayRate,
        int admitPerSecond,
        Duration deadline,
        boolean stay,
        Duration notice,
        @Nullable Share share,
        int announcing) {

    /**
     * Some of the devices.
     *
     * @param part of those that are here, above 0 to 1
     * @param most and no more than so many, 1 or more
     */
    public record Share(double part, long most) {
        /** So many of these. */
        long of(long devices) {
            return Math.min(most, Math.round(part * devices));
        }
    }

    /** Of all devices. */
    public DrainOrder(int goawayRate, int admitPerSecond, Duration deadline, boolean stay, Duration notice) {
        this(goawayRate, admitPerSecond, deadline, stay, notice, null, 0);
    }

    /** Of some of the devices: there is no notice, and the process goes on. */
    public DrainOrder(int goawayRate, int admitPerSecond, Duration deadline, Share share) {
        this(goawayRate, admitPerSecond, deadline, true, Duration.ZERO, share, 0);
    }

    /** The same, as so many gateways say that they can bear it. */
    public DrainOrder announcedBy(int gateways) {
        return new DrainOrder(goawayRate, admitPerSecond, deadline, stay, notice, share, gateways);
    }

    /** Whether only some are sent away. */
    public boolean isShare() {
        return share != null;
    }

    /** From the beginning until the last is closed. */
    public Duration whole() {
        return notice.plus(deadline);
    }
}
