package io.heartwheel.simulation;

import io.heartwheel.liveness.BreakerSettings;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * The operator's settings for a mass expiry as plain numbers; {@link #settings} makes the gateway's of them.
 *
 * @param shareHundredths of all connections
 * @param groupHundredths of those of one loop, listener or subnet
 */
record MassRules(
        boolean on,
        long windowMillis,
        int shareHundredths,
        int groupHundredths,
        int least,
        long patienceNanos,
        int closesASecond) {

    /** The world ends a little later than that. */
    static final long MOST_WINDOW_MILLIS = 30_000;

    static MassRules random(SplittableRandom random) {
        return new MassRules(
                random.nextInt(3) == 0,
                Chance.nanos(random, 1, 30) / 1_000_000,
                random.nextInt(1, 40),
                random.nextInt(1, 90),
                (int) Chance.even(random, 2, 30),
                Chance.nanos(random, 0.1, 10),
                (int) Chance.even(random, 1, 60));
    }

    /** The same wait and pace, but sure to see a third of so many devices die within a window. */
    MassRules against(int devices) {
        return new MassRules(true, MOST_WINDOW_MILLIS, 20, 50, devices * 6 / 100, patienceNanos, closesASecond);
    }

    BreakerSettings settings() {
        return new BreakerSettings(
                on,
                Duration.ofMillis(windowMillis),
                shareHundredths / 100.0,
                groupHundredths / 100.0,
                least,
                Duration.ofNanos(patienceNanos),
                closesASecond);
    }

    /** Between two closes of suspects. */
    long stepNanos() {
        return 1_000_000_000L / closesASecond;
    }
}
