package io.heartwheel.admin;

import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.LivenessSettings;
import org.jspecify.annotations.Nullable;

/**
 * Memory of closes, mass expiries and the shadow policy. All of it may be asked by any thread.
 *
 * @param closes the latest
 * @param breaker what guards against mass kills
 * @param incidents of the breaker, the latest
 * @param shadowPolicy the policy that is tried
 */
public record Diagnostics(RecentCloses closes, Breaker breaker, RecentIncidents incidents, Trial shadowPolicy) {

    /** Which policy is tried now; null if none is. */
    @FunctionalInterface
    public interface Trial {
        /** As of now, by any thread. */
        @Nullable
        Shadow shadow();
    }

    /**
     * A policy that is tried without effect.
     *
     * @param tried it
     * @param inForce the one that has effect
     * @param ledger what it would have done
     */
    public record Shadow(LivenessSettings tried, LivenessSettings inForce, ShadowLedger ledger) {}
}
