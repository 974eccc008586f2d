package io.heartwheel.drain;

import java.time.Duration;

/**
 * One drain as it is asked for. Immutable; any thread.
 *
 * @param goawayRate devices told to leave a second at most, {@link DrainSettings#MIN_RATE}..{@link DrainSettings#MAX_RATE}
 * @param admitPerSecond connections a second that those who take the devices can bear, same range
 * @param deadline so long after the notice the last is closed, 0..{@link DrainSettings#MAX_DRAIN}
 * @param stay whether the process goes on afterwards, without devices, until it is told to take some again or to end
 * @param notice for so long nobody is told, and newcomers are taken, 0..{@link DrainSettings#MAX_NOTICE}
 */
public record DrainOrder(int goawayRate, int admitPerSecond, Duration deadline, boolean stay, Duration notice) {
    /** From the beginning until the last is closed. */
    public Duration whole() {
        return notice.plus(deadline);
    }
}
