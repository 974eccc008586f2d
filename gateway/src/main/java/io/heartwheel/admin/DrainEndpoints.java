package io.heartwheel.admin;

import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.drain.DrainText;
import io.heartwheel.net.HttpError;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Endpoints of the drain: start, progress, cancel and forecast. Any thread. */
final class DrainEndpoints {
    /** Parameters of a drain. */
    static final String[] STARTED_WITH = {"rate", "admit_per_second", "deadline", "stay"};
    /** Parameters of a forecast. */
    static final String[] RECKONED_WITH = {"rate", "admit_per_second", "deadline"};

    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
    private static final String TIME_NEED = ": need 0s..24h, as in 500ms, 90s, 10m or 2h";

    private final DrainControl drains;

    DrainEndpoints(DrainControl drains) {
        this.drains = drains;
    }

    CompletionStage<Response> show(Request call) {
        return Response.json(view(drains.progress())).now();
    }

    CompletionStage<Response> forecast(Request call) {
        return Response.json(view(drains.forecast(order(call)))).now();
    }

    CompletionStage<Response> start(Request call) {
        DrainOrder order = order(call);
        try {
            return Response.json(202, view(drains.start(order))).now();
        } catch (DrainControl.Conflict conflict) {
            throw new HttpError(409, "draining", conflict.why());
        }
    }

    CompletionStage<Response> cancel(Request call) {
        return CompletableFuture.completedStage(drains)
                .thenCompose(DrainControl::cancel)
                .thenApply(progress -> Response.json(view(progress)))
                .exceptionally(DrainEndpoints::notTakenBack);
    }

    private static Response notTakenBack(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        String message = String.valueOf((cause == null ? failure : cause).getMessage());
        return cause instanceof DrainControl.Conflict
                ? Response.error(409, "not_taken_back", message)
                : Response.error(503, "not_listening", message);
    }

    /** The form of {@code /v1/drain}. */
    private static Map<String, @Nullable Object> view(DrainProgress progress) {
        DrainPlan plan = progress.plan();
        Instant started = Instant.ofEpochMilli(progress.startedEpochMillis());
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("text", DrainText.of(progress));
        view.put("phase", progress.phase().label());
        view.put("stay", progress.stay());
        view.put("started", plan == null ? null : started.toString());
        view.put(
                "ends_at_latest",
                plan == null ? null : started.plus(plan.order().deadline()).toString());
        view.put("elapsed_ms", TimeUnit.NANOSECONDS.toMillis(progress.elapsedNanos()));
        view.put("devices", progress.devices());
        view.put("told", progress.told());
        view.put("left", progress.left());
        view.put("closed", progress.closed());
        view.put("remaining", progress.remaining());
        view.put("plan", plan == null ? null : view(plan));
        return view;
    }

    /** The form of {@code /v1/drain/forecast}. */
    private static Map<String, Object> view(DrainPlan plan) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("text", DrainText.of(plan));
        view.put("devices", plan.devices());
        view.put("plain", plan.plain());
        view.put("rate", plan.order().goawayRate());
        view.put("admit_per_second", plan.order().admitPerSecond());
        view.put("deadline_ms", plan.order().deadline().toMillis());
        view.put("told_per_second", tenths(plan.tellPerSecond()));
        view.put("telling_ms", TimeUnit.NANOSECONDS.toMillis(plan.tellNanos()));
        view.put("untold", plan.untold());
        view.put("peak_reconnects_per_second", tenths(plan.peakPerSecond()));
        view.put("mean_reconnects_per_second", tenths(plan.meanPerSecond()));
        view.put("all_back_ms", TimeUnit.NANOSECONDS.toMillis(plan.lastBackNanos()));
        view.put("within_admission", plan.isWithinAdmission());
        view.put(
                "limits",
                plan.limits().stream().sorted().map(DrainPlan.Limit::label).toList());
        view.put("enough_deadline_ms", TimeUnit.NANOSECONDS.toMillis(plan.enoughDeadlineNanos()));
        return view;
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }

    // ------------------------------------------------------------------ parameters

    private DrainOrder order(Request call) {
        DrainSettings settings = drains.settings();
        return new DrainOrder(
                call.number("rate", settings.goawayRate(), DrainSettings.MIN_RATE, DrainSettings.MAX_RATE),
                call.number("admit_per_second", settings.readmitRate(), DrainSettings.MIN_RATE, DrainSettings.MAX_RATE),
                deadline(call, settings.drain()),
                call.flag("stay"));
    }

    private static Duration deadline(Request call, Duration configured) {
        String text = call.parameter("deadline");
        if (text == null) {
            return configured;
        }
        var parts = DURATION.matcher(text);
        if (parts.matches()) {
            Duration deadline = parts.group(2).equals("ms")
                    ? Duration.ofMillis(Long.parseLong(parts.group(1)))
                    : Duration.parse("PT" + text);
            if (deadline.compareTo(DrainSettings.MAX_DRAIN) <= 0) {
                return deadline;
            }
        }
        throw HttpError.badRequest("deadline = " + HttpError.quote(text) + TIME_NEED);
    }
}
