package io.heartwheel.liveness;

import org.jspecify.annotations.Nullable;

/**
 * The shadow policy that is tried now, the same for all sessions of a process. It may be exchanged while they live: each is judged by the new one from
 * its next look at the clock on, which comes at the latest when its deadline in force does; marks that the old one left count for nothing any longer.
 *
 * <p>Concurrency. Owner: the process. Callers: any thread. {@code attempt} is volatile and immutable, so policy and number are seen together.
 */
public final class ShadowPolicy {
    private volatile Attempt attempt;

    /**
     * One policy's time.
     *
     * @param policy the deadlines tried; null: none
     * @param number of this attempt, so that what another one left can be told apart
     */
    record Attempt(@Nullable LivenessPolicy policy, int number) {}

    /** @param policy the first to be tried; null: none */
    public ShadowPolicy(@Nullable LivenessPolicy policy) {
        attempt = new Attempt(policy, 0);
    }

    /**
     * Tries another policy from now on.
     *
     * @param policy null: none
     */
    public void replace(@Nullable LivenessPolicy policy) {
        synchronized (this) {
            attempt = new Attempt(policy, attempt.number() + 1);
        }
    }

    /** The deadlines tried now; null if none are. */
    @Nullable
    LivenessPolicy policy() {
        return attempt.policy();
    }

    Attempt attempt() {
        return attempt;
    }
}
