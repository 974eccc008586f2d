package io.heartwheel.push.group;

import java.time.Duration;

/**
 * Limits of jobs and groups. Immutable; any thread.
 *
 * @param max jobs that are remembered, those under way included, 1..10000
 * @param keep how long one is remembered after its end, 1s..30d
 * @param members memberships that the API may make, over all groups, 1..10000000
 */
public record JobSettings(int max, Duration keep, int members) {
    /** The greatest {@code max}. */
    public static final int MOST = 10_000;

    /** What the reference configuration says. */
    public static final JobSettings DEFAULTS = new JobSettings(100, Duration.ofHours(1), 1_000_000);
}
