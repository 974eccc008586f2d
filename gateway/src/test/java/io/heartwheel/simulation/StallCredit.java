package io.heartwheel.simulation;

import io.heartwheel.liveness.StallSettings;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * End of a timeout for a peer whose clock stops while its loop stalls. The gateway cannot know exactly when it stood still, so there is a least and a
 * most: of a short timeout by how often a loop looks at its clock; of a long one, whose loop may have had nothing to do, by how often the wheel's thread
 * does, which tells when the whole process stood, and cannot tell that from when it alone did.
 *
 * @param on whether stalls are credited at all
 * @param thresholdNanos a stall must be longer than this, and by how regularly the loop looks at its clock, to be seen for sure
 * @param maxNanos the most that is credited to one deadline
 * @param wheelNanos how often the wheel's thread looks at its clock, tick included
 */
record StallCredit(boolean on, long thresholdNanos, long maxNanos, long wheelNanos) {
    /** How often a loop looks at its clock. */
    static final long PERIOD_NANOS = 100_000_000;

    static StallCredit random(SplittableRandom random) {
        long max = random.nextInt(4) == 0 ? Chance.nanos(random, 0.01, 60) : 60_000_000_000L;
        return new StallCredit(random.nextInt(5) != 0, Chance.nanos(random, 0.01, 1), max, 0);
    }

    /** In a process whose wheel's thread looks at its clock so often. */
    StallCredit seenEvery(long nanos) {
        return new StallCredit(on, thresholdNanos, maxNanos, nanos);
    }

    StallSettings settings() {
        return new StallSettings(on, Duration.ofNanos(thresholdNanos), Duration.ofNanos(maxNanos));
    }

    /**
     * No close before this.
     *
     * @param exact whether the timeout is a short one
     */
    long least(TrueStalls.OfLoop loop, boolean exact, long fromNanos, long timeoutNanos) {
        return exact
                ? least(loop, PERIOD_NANOS, fromNanos, timeoutNanos)
                : least(loop.process, PERIOD_NANOS + wheelNanos, fromNanos, timeoutNanos);
    }

    private long least(TrueStalls stalls, long period, long fromNanos, long timeoutNanos) {
        long at = fromNanos + timeoutNanos;
        long left = maxNanos;
        for (int i = stalls.firstAfter(fromNanos); on && i < stalls.count() && stalls.from(i) < at; i++) {
            if (stalls.until(i) - stalls.from(i) > thresholdNanos + period) {
                long given = Math.min(left, stalls.until(i) - Math.max(stalls.from(i), fromNanos));
                left -= given;
                at += given;
            }
        }
        return at;
    }

    /**
     * From this on nothing holds a close back.
     *
     * @param exact whether the timeout is a short one
     */
    long most(TrueStalls.OfLoop loop, boolean exact, long fromNanos, long timeoutNanos) {
        return exact
                ? most(loop, PERIOD_NANOS, EventLoop.MOST_LATE_NANOS, fromNanos, timeoutNanos)
                : most(loop.either, PERIOD_NANOS + wheelNanos, PERIOD_NANOS + wheelNanos, fromNanos, timeoutNanos);
    }

    private long most(TrueStalls stalls, long period, long apart, long fromNanos, long timeoutNanos) {
        long at = fromNanos + timeoutNanos;
        long left = maxNanos;
        int first = on ? stalls.firstAfter(fromNanos - period) : 0;
        while (first > 0 && first < stalls.count() && isSeenAsOne(stalls, first - 1, apart)) {
            first--;
        }
        for (int i = first; on && i < stalls.count() && stalls.from(i) - period <= at; i++) {
            long from = stalls.from(i);
            while (i + 1 < stalls.count() && isSeenAsOne(stalls, i, apart)) {
                i++;
            }
            long until = stalls.until(i);
            if (until - from > thresholdNanos) {
                long seenFrom = Math.max(from - period, fromNanos);
                long seen = Math.min(until - from + period, until + period - seenFrom);
                long given = Math.min(left, seen);
                left -= given;
                at += given;
            }
        }
        return at;
    }

    /** Whether what looks at its clock ran so shortly after this stall, before the next, that it may not have looked. */
    private static boolean isSeenAsOne(TrueStalls stalls, int stall, long apart) {
        return stalls.from(stall + 1) - stalls.until(stall) <= apart;
    }
}
