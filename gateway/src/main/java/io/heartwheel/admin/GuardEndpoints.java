package io.heartwheel.admin;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.BreakerSettings;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Endpoints of the breaker and the shadow policy. Any thread; all answers come at once. */
final class GuardEndpoints {
    private final Diagnostics diagnostics;

    /** The form of {@code GET /v1/breaker}. */
    @JsonPropertyOrder({"text", "enabled", "open", "suspects", "settings", "current", "incidents"})
    private record BreakerView(
            String text,
            boolean enabled,
            boolean open,
            long suspects,
            Settings settings,
            @Nullable Incident current,
            List<Incident> incidents) {}

    private record Settings(long windowMs, double share, double groupShare, int least, long patienceMs, int closeRate) {

        static Settings of(Breaker breaker) {
            BreakerSettings settings = breaker.settings();
            return new Settings(
                    settings.window().toMillis(),
                    settings.share(),
                    settings.groupShare(),
                    settings.least(),
                    settings.patience().toMillis(),
                    breaker.closesASecond());
        }
    }

    GuardEndpoints(AdminPorts ports) {
        diagnostics = ports.diagnostics();
    }

    CompletionStage<Response> breaker(Request call) {
        Breaker breaker = diagnostics.breaker();
        Incident current = breaker.current();
        boolean enabled = breaker.settings().enabled();
        BreakerView view = new BreakerView(
                text(enabled, current, breaker.suspects()),
                enabled,
                current != null,
                breaker.suspects(),
                Settings.of(breaker),
                current,
                diagnostics.incidents().latest());
        return CompletableFuture.completedFuture(Response.json(HttpResponseStatus.OK, view));
    }

    private static String text(boolean enabled, @Nullable Incident current, long suspects) {
        if (!enabled) {
            return "switched off: whoever is found dead is closed, however many there are";
        }
        if (current == null) {
            return "watching: no mass expiry";
        }
        return String.format(
                Locale.ROOT,
                "mass expiry for %.1f s, standing out in %s: %,d suspects wait, of %,d so far %,d spoke after all, %,d were closed and %,d left",
                current.lastedMillis() / 1e3,
                String.join(", ", current.failureGroups()),
                suspects,
                current.suspects(),
                current.absolved(),
                current.closed(),
                current.left());
    }

    CompletionStage<Response> shadow(Request call) {
        Diagnostics.Shadow shadow = diagnostics.shadowPolicy().shadow();
        Object view = shadow == null
                ? Map.of("text", "no policy is tried: shadow.enabled is false", "enabled", false)
                : ShadowView.of(shadow);
        return CompletableFuture.completedFuture(Response.json(HttpResponseStatus.OK, view));
    }
}
