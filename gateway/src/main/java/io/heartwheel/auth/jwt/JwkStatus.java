package io.heartwheel.auth.jwt;

/**
 * Keys in force, for metrics.
 *
 * @param keys in force; 0 in an outage. The secrets of HS256 are not counted
 * @param ageNanos since they were read; 0 if they never were
 * @param goodFetches fetches that brought keys, since the start
 * @param failedFetches fetches that did not
 */
public record JwkStatus(int keys, long ageNanos, long goodFetches, long failedFetches) {
    /** Without published keys. */
    public static final JwkStatus NONE = new JwkStatus(0, 0, 0, 0);

    /** This one, with the counts of another that is no longer asked. */
    public JwkStatus after(JwkStatus former) {
        return new JwkStatus(keys, ageNanos, goodFetches + former.goodFetches, failedFetches + former.failedFetches);
    }
}
