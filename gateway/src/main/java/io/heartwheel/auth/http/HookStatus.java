package io.heartwheel.auth.http;

/**
 * Status of the calls to the service at one moment; its parts may be from moments apart. Counts are since the start. Immutable; any thread.
 *
 * @param place of the service, without what may be a secret
 * @param breaker state of the circuit breaker
 * @param underWay calls under way
 * @param waiting calls that wait for one of them to end
 * @param calls begun
 * @param answered calls with a decision
 * @param failures calls without a decision
 * @param opened how often the circuit breaker has opened
 * @param joined requests that had the answer of another's call
 * @param cacheEntries answers kept
 * @param cacheHits devices answered without a call
 * @param cacheMisses devices for which nothing fresh was kept
 * @param staleHits devices admitted in an outage by an answer from before
 * @param admittedUnasked devices admitted in an outage without any
 */
public record HookStatus(
        String place,
        BreakerState breaker,
        int underWay,
        int waiting,
        long calls,
        long answered,
        long failures,
        long opened,
        long joined,
        int cacheEntries,
        long cacheHits,
        long cacheMisses,
        long staleHits,
        long admittedUnasked) {
    /** Of no service. */
    public static final HookStatus NONE = new HookStatus("", BreakerState.CLOSED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** This one, with the counts of another that is no longer asked. */
    public HookStatus after(HookStatus former) {
        return new HookStatus(
                place,
                breaker,
                underWay,
                waiting,
                calls + former.calls,
                answered + former.answered,
                failures + former.failures,
                opened + former.opened,
                joined + former.joined,
                cacheEntries,
                cacheHits + former.cacheHits,
                cacheMisses + former.cacheMisses,
                staleHits + former.staleHits,
                admittedUnasked + former.admittedUnasked);
    }
}
