package io.heartwheel.session;

import io.heartwheel.liveness.RateLimits;
import org.jspecify.annotations.Nullable;

/**
 * Token bucket of one connection, for frames and bytes together: what costs more of its allowance counts. Exists only while the connection sends
 * quickly, so that one at rest holds nothing for it.
 *
 * <pre>
 *   full                                            empty
 *    |&lt;------------------ burst ----------------------&gt;|&lt;-- owed: not read --&gt;|
 *   now                                           fullNanos = when it is full again, if nothing comes
 * </pre>
 *
 * One time says it all, so nothing has to be filled up. Times are compared by the sign of their difference. Loop only.
 */
final class TokenBucket {
    private long fullNanos;
    private long emptySinceNanos;
    private boolean emptied;

    /** A full one. */
    TokenBucket(long nowNanos) {
        fullNanos = nowNanos;
    }

    /**
     * The bucket of a connection of which something has come.
     *
     * @param before null if it had none
     * @param sinceNanos the time since the last that came before
     * @return null if it sends slowly, and has none
     */
    static @Nullable TokenBucket after(
            @Nullable TokenBucket before, int frames, long bytes, long sinceNanos, RateLimits limits, long nowNanos) {
        boolean full = before == null || before.isFull(nowNanos);
        if (full && !limits.isQuick(frames, bytes, sinceNanos)) {
            return null;
        }
        TokenBucket tokens = before == null ? new TokenBucket(nowNanos) : before;
        tokens.take(frames, bytes, limits, nowNanos);
        return tokens;
    }

    /** Takes out what came. */
    void take(int frames, long bytes, RateLimits limits, long nowNanos) {
        if (isFull(nowNanos)) {
            fullNanos = nowNanos;
        }
        if (fullNanos - nowNanos < limits.burstNanos() / 2) {
            emptied = false;
        }
        fullNanos += limits.costNanos(frames, bytes);
        if (!emptied && owedNanos(limits, nowNanos) > 0) {
            emptied = true;
            emptySinceNanos = nowNanos;
        }
    }

    /** Whether it is as good as none. */
    boolean isFull(long nowNanos) {
        return fullNanos - nowNanos <= 0;
    }

    /** Time until nothing is owed any more, nanoseconds; 0 or less: nothing is. */
    long owedNanos(RateLimits limits, long nowNanos) {
        return fullNanos - nowNanos - limits.burstNanos();
    }

    /** For so long nothing should be read, so that afterwards there is room for some; 0 or less: there is. */
    long restNanos(RateLimits limits, long nowNanos) {
        return owedNanos(limits, nowNanos) + limits.stepNanos();
    }

    /** Frames that may be taken now, 1 or more. */
    int frames(RateLimits limits, int most, long nowNanos) {
        long room = -owedNanos(limits, nowNanos) / limits.frameNanos();
        return (int) Math.max(1, Math.min(most, room));
    }

    /** Whether it has been empty, or never more than half full since, for longer than a connection may be so. */
    boolean isEmptyForLong(RateLimits limits, long nowNanos) {
        return emptied && nowNanos - emptySinceNanos >= limits.closeAfterNanos();
    }
}
