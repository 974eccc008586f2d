package io.heartwheel.liveness;

import java.time.Duration;
import java.util.Locale;

/**
 * Limits of how fast a connection may send. One that sends faster is not read for a while; one that goes on so is closed. Immutable; any thread.
 *
 * @param enabled whether there is any limit
 * @param framesPerSecond 1 or more
 * @param bytesPerSecond 1 or more
 * @param burst so much of either may come at once, as the time in which it would be allowed
 * @param closeAfter closed after so long beyond the limits
 */
public record RateLimits(
        boolean enabled, int framesPerSecond, long bytesPerSecond, Duration burst, Duration closeAfter) {
    /** The settings of the reference configuration. */
    public static final RateLimits DEFAULTS =
            new RateLimits(true, 1_000, 4 << 20, Duration.ofSeconds(5), Duration.ofSeconds(60));

    /** No limit. */
    public static final RateLimits OFF = new RateLimits(
            false, DEFAULTS.framesPerSecond(), DEFAULTS.bytesPerSecond(), DEFAULTS.burst(), DEFAULTS.closeAfter());

    private static final long NANOS = 1_000_000_000;
    /** What is never counted, if nothing came shortly before: what an honest device sends at once. */
    private static final int FREE_FRAMES = 8;

    private static final int FREE_BYTES = 4 << 10;

    /** What it means to be closed by them, for people. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "more than %d frames or %d bytes a second for %d s",
                framesPerSecond,
                bytesPerSecond,
                closeAfter.toSeconds());
    }

    /** The time in which so much is allowed, nanoseconds. */
    public long costNanos(int frames, long bytes) {
        return Math.max(frames * frameNanos(), bytes * NANOS / bytesPerSecond);
    }

    /** The time in which one frame is allowed, nanoseconds. */
    public long frameNanos() {
        return NANOS / framesPerSecond;
    }

    /** The size of the bucket, nanoseconds. */
    public long burstNanos() {
        return burst.toNanos();
    }

    /** What is allowed at once after a rest, nanoseconds. */
    public long stepNanos() {
        return Math.max(Math.min(burstNanos() / 2, NANOS / 20), Math.min(burstNanos(), frameNanos()));
    }

    /** After so long beyond the limits it is closed, nanoseconds. */
    public long closeAfterNanos() {
        return closeAfter.toNanos();
    }

    /** Whether what came has to be counted, so long after the last frame before it. */
    public boolean isQuick(int frames, long bytes, long nanosSince) {
        return frames > FREE_FRAMES || bytes > FREE_BYTES || nanosSince < costNanos(FREE_FRAMES, FREE_BYTES);
    }
}
