package io.heartwheel.admin;

import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.LivenessSettings;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory of closes, mass expiries and the shadow policy. All of it may be asked by any thread.
 *
 * @param closes the latest
 * @param breaker what guards against mass kills
 * @param incidents of the breaker, the latest
 * @param shadowPolicy the policy that is tried now; null if none is
 */
public record Diagnostics(
        RecentCloses closes, Breaker breaker, RecentIncidents incidents, Supplier<@Nullable Shadow> shadowPolicy) {

    /**
     * A policy that is tried without effect.
     *
     * @param tried it
     * @param inForce the one that has effect
     * @param ledger what it would have done
     */
    public record Shadow(LivenessSettings tried, LivenessSettings inForce, ShadowLedger ledger) {}
}
