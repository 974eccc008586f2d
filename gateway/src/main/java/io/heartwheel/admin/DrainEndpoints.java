package io.heartwheel.admin;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.drain.DrainText;
import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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

    /** The form of {@code /v1/drain}. */
    @JsonPropertyOrder({"text", "phase", "stay", "started", "ends_at_latest", "elapsed_ms"})
    private record ProgressView(
            String text,
            String phase,
            boolean stay,
            @Nullable String started,
            @Nullable String endsAtLatest,
            long elapsedMs,
            long devices,
            long told,
            long left,
            long closed,
            long remaining,
            @Nullable PlanView plan) {

        static ProgressView of(DrainProgress progress) {
            DrainPlan plan = progress.plan();
            Instant started = Instant.ofEpochMilli(progress.startedEpochMillis());
            return new ProgressView(
                    DrainText.of(progress),
                    progress.phase().label(),
                    progress.stay(),
                    plan == null ? null : started.toString(),
                    plan == null ? null : started.plus(plan.order().deadline()).toString(),
                    TimeUnit.NANOSECONDS.toMillis(progress.elapsedNanos()),
                    progress.devices(),
                    progress.told(),
                    progress.left(),
                    progress.closed(),
                    progress.remaining(),
                    plan == null ? null : PlanView.of(plan));
        }
    }

    /** The form of {@code /v1/drain/forecast}. */
    private record PlanView(
            String text,
            long devices,
            long plain,
            int rate,
            int admitPerSecond,
            long deadlineMs,
            double toldPerSecond,
            long tellingMs,
            long untold,
            double peakReconnectsPerSecond,
            double meanReconnectsPerSecond,
            long allBackMs,
            boolean withinAdmission,
            List<String> limits,
            long enoughDeadlineMs) {

        static PlanView of(DrainPlan plan) {
            return new PlanView(
                    DrainText.of(plan),
                    plan.devices(),
                    plan.plain(),
                    plan.order().goawayRate(),
                    plan.order().admitPerSecond(),
                    plan.order().deadline().toMillis(),
                    tenths(plan.tellPerSecond()),
                    TimeUnit.NANOSECONDS.toMillis(plan.tellNanos()),
                    plan.untold(),
                    tenths(plan.peakPerSecond()),
                    tenths(plan.meanPerSecond()),
                    TimeUnit.NANOSECONDS.toMillis(plan.lastBackNanos()),
                    plan.isWithinAdmission(),
                    plan.limits().stream().sorted().map(DrainPlan.Limit::label).toList(),
                    TimeUnit.NANOSECONDS.toMillis(plan.enoughDeadlineNanos()));
        }

        private static double tenths(double value) {
            return Math.round(value * 10) / 10.0;
        }
    }

    DrainEndpoints(DrainControl drains) {
        this.drains = drains;
    }

    CompletionStage<Response> show(Request call) {
        return answer(HttpResponseStatus.OK, ProgressView.of(drains.progress()));
    }

    CompletionStage<Response> forecast(Request call) {
        return answer(HttpResponseStatus.OK, PlanView.of(drains.forecast(order(call))));
    }

    CompletionStage<Response> start(Request call) {
        DrainOrder order = order(call);
        try {
            return answer(HttpResponseStatus.ACCEPTED, ProgressView.of(drains.start(order)));
        } catch (DrainControl.Conflict conflict) {
            throw new HttpError(409, "draining", conflict.why());
        }
    }

    CompletionStage<Response> cancel(Request call) {
        CompletionStage<DrainProgress> cancelled;
        try {
            cancelled = drains.cancel();
        } catch (DrainControl.Conflict conflict) {
            throw new HttpError(409, "not_taken_back", conflict.why());
        }
        return cancelled
                .thenApply(progress -> Response.json(HttpResponseStatus.OK, ProgressView.of(progress)))
                .exceptionally(DrainEndpoints::notTakenBack);
    }

    private static Response notTakenBack(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        String message = String.valueOf((cause == null ? failure : cause).getMessage());
        return cause instanceof DrainControl.Conflict
                ? Response.error(HttpResponseStatus.CONFLICT, "not_taken_back", message)
                : Response.error(HttpResponseStatus.SERVICE_UNAVAILABLE, "not_listening", message);
    }

    private static CompletionStage<Response> answer(HttpResponseStatus status, Object view) {
        return CompletableFuture.completedFuture(Response.json(status, view));
    }

    // ------------------------------------------------------------------ parameters

    private DrainOrder order(Request call) {
        DrainSettings settings = drains.settings();
        return new DrainOrder(
                rate(call, "rate", settings.goawayRate()),
                rate(call, "admit_per_second", settings.readmitRate()),
                deadline(call, settings.drain()),
                call.flag("stay"));
    }

    private static int rate(Request call, String name, int configured) {
        String text = call.parameter(name);
        if (text == null) {
            return configured;
        }
        if (text.matches("[0-9]{1,7}")) {
            int rate = Integer.parseInt(text);
            if (rate >= DrainSettings.MIN_RATE && rate <= DrainSettings.MAX_RATE) {
                return rate;
            }
        }
        throw HttpError.badRequest(name + " = " + HttpError.quote(text) + ": need " + DrainSettings.MIN_RATE + ".."
                + DrainSettings.MAX_RATE);
    }

    private static Duration deadline(Request call, Duration configured) {
        String text = call.parameter("deadline");
        if (text == null) {
            return configured;
        }
        var parts = DURATION.matcher(text);
        if (parts.matches()) {
            long value = Long.parseLong(parts.group(1));
            Duration deadline =
                    switch (parts.group(2)) {
                        case "ms" -> Duration.ofMillis(value);
                        case "s" -> Duration.ofSeconds(value);
                        case "m" -> Duration.ofMinutes(value);
                        default -> Duration.ofHours(value);
                    };
            if (deadline.compareTo(DrainSettings.MAX_DRAIN) <= 0) {
                return deadline;
            }
        }
        throw HttpError.badRequest("deadline = " + HttpError.quote(text) + TIME_NEED);
    }
}
