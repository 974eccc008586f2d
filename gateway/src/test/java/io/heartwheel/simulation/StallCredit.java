package io.heartwheel.simulation;

import io.heartwheel.session.StallSettings;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * When a time has run out for a peer whose clock stands still while its loop does. The gateway cannot know exactly when it stood still, so there is
 * a least and a most.
 *
 * @param on whether stalls are credited at all
 * @param thresholdNanos a stall must be longer than this, and by how regularly the loop looks at its clock, to be seen for sure
 * @param maxNanos the most that is credited to one deadline
 */
record StallCredit(boolean on, long thresholdNanos, long maxNanos) {
    /** How often a loop looks at its clock. */
    static final long PERIOD_NANOS = 100_000_000;

    static StallCredit random(SplittableRandom random) {
        long max = random.nextInt(4) == 0 ? Chance.nanos(random, 0.01, 60) : 60_000_000_000L;
        return new StallCredit(random.nextInt(5) != 0, Chance.nanos(random, 0.01, 1), max);
    }

    StallSettings settings() {
        return new StallSettings(on, Duration.ofNanos(thresholdNanos), Duration.ofNanos(maxNanos));
    }

    /** No close before this. */
    long least(TrueStalls loop, long fromNanos, long timeoutNanos) {
        long at = fromNanos + timeoutNanos;
        long left = maxNanos;
        for (int i = loop.firstAfter(fromNanos); on && i < loop.count() && loop.from(i) < at; i++) {
            if (loop.until(i) - loop.from(i) > thresholdNanos + PERIOD_NANOS) {
                long given = Math.min(left, loop.until(i) - Math.max(loop.from(i), fromNanos));
                left -= given;
                at += given;
            }
        }
        return at;
    }

    /** From this on nothing holds a close back. */
    long most(TrueStalls loop, long fromNanos, long timeoutNanos) {
        long at = fromNanos + timeoutNanos;
        long left = maxNanos;
        int first = on ? loop.firstAfter(fromNanos - PERIOD_NANOS) : 0;
        while (first > 0 && first < loop.count() && isSeenAsOne(loop, first - 1)) {
            first--;
        }
        for (int i = first; on && i < loop.count() && loop.from(i) - PERIOD_NANOS <= at; i++) {
            long from = loop.from(i);
            while (i + 1 < loop.count() && isSeenAsOne(loop, i)) {
                i++;
            }
            long until = loop.until(i);
            if (until - from > thresholdNanos) {
                long seenFrom = Math.max(from - PERIOD_NANOS, fromNanos);
                long seen = Math.min(until - from + PERIOD_NANOS, until + PERIOD_NANOS - seenFrom);
                long given = Math.min(left, seen);
                left -= given;
                at += given;
            }
        }
        return at;
    }

    /** Whether the loop ran so shortly after this stall, before the next, that it may not have looked at its clock. */
    private static boolean isSeenAsOne(TrueStalls loop, int stall) {
        return loop.from(stall + 1) - loop.until(stall) <= EventLoop.MOST_LATE_NANOS;
    }
}
