package io.heartwheel.admin;

import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.drain.DrainText;
import io.heartwheel.net.HttpError;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Endpoints of the drain: start, progress, cancel and forecast. Any thread. */
final class DrainEndpoints {
    private static final Parameter<Integer> RATE =
            Parameter.integer("rate", DrainSettings.MIN_RATE, DrainSettings.MAX_RATE, "devices told a second at most");
    private static final Parameter<Integer> ADMIT = Parameter.integer(
            "admit_per_second",
            DrainSettings.MIN_RATE,
            DrainSettings.MAX_RATE,
            "connections a second that others can take");
    private static final Parameter<Duration> DEADLINE = Parameter.duration(
            "deadline", Duration.ZERO, DrainSettings.MAX_DRAIN, "how long devices have to leave, after the notice");
    private static final Parameter<Duration> NOTICE = Parameter.duration(
            "notice",
            Duration.ZERO,
            DrainSettings.MAX_NOTICE,
            "how long readyz says 503 before the listeners close and devices are told");
    private static final Parameter<Double> SHARE = Parameter.text(
                    "share",
                    "0\\.(?=[0-9]*[1-9])[0-9]{1,6}|1",
                    "a number above 0 to 1, as in 0.3",
                    "only this part of the devices, drawn at random, is sent away; the listeners stay open",
                    "0.3")
            .as(Double::valueOf);
    private static final Parameter<Integer> COUNT = Parameter.integer(
            "count", 1, 1_000_000_000, "only so many, drawn at random, are sent away; the listeners stay open");
    private static final Parameter<Boolean> STAY = Parameter.flag("stay", "the process goes on afterwards");

    /** The form of a plan. */
    private static final Schema PLAN = plan();
    /** The form of a drain. */
    private static final Schema PROGRESS = progress();

    private final DrainControl drains;

    DrainEndpoints(DrainControl drains) {
        this.drains = drains;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/v1/drain", "State of the latest drain.", this::show).answers(200, "the drain", PROGRESS),
                Route.post(
                                "/v1/drain",
                                "Sends all devices away, or a share of them. What is not given is taken from the block shutdown.",
                                this::start)
                        .takes(RATE, ADMIT, DEADLINE, NOTICE, STAY, SHARE, COUNT)
                        .answers(202, "begun", PROGRESS)
                        .refuses(409, "draining: one is in progress"),
                Route.delete("/v1/drain", "Takes back a drain with stay, or of a share.", this::cancel)
                        .answers(200, "taken back", PROGRESS)
                        .refuses(409, "not_taken_back: there is nothing to take back")
                        .refuses(503, "not_listening: an address is taken"),
                Route.get(
                                "/v1/drain/forecast",
                                "How long a drain would take now, and how fast devices would come back.",
                                this::forecast)
                        .takes(RATE, ADMIT, DEADLINE, NOTICE, SHARE, COUNT)
                        .answers(200, "the plan", PLAN));
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
        view.put("share", progress.isShare());
        view.put("started", plan == null ? null : started.toString());
        view.put(
                "ends_at_latest",
                plan == null ? null : started.plus(plan.order().whole()).toString());
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
        view.put("announced_by", plan.order().announcing());
        view.put("deadline_ms", plan.order().deadline().toMillis());
        view.put("notice_ms", plan.order().notice().toMillis());
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

    private static Schema progress() {
        return Schema.object(
                        "text:text stay:flag share:flag started:time/null ends_at_latest:time/null elapsed_ms:count devices:count told:count"
                                + " left:count closed:count remaining:count",
                        Schema.field("phase", Schema.oneOf(DrainPhase.values(), DrainPhase::label)),
                        Schema.field("plan", PLAN.orNull()))
                .named("Drain");
    }

    private static Schema plan() {
        Schema limit = Schema.oneOf(DrainPlan.Limit.values(), DrainPlan.Limit::label);
        return Schema.object(
                        "text:text devices:count plain:count rate:count admit_per_second:count announced_by:count deadline_ms:count notice_ms:count told_per_second:number"
                                + " telling_ms:count untold:count peak_reconnects_per_second:number mean_reconnects_per_second:number"
                                + " all_back_ms:count within_admission:flag enough_deadline_ms:count",
                        Schema.field("limits", Schema.listOf(limit)))
                .named("DrainPlan");
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }

    // ------------------------------------------------------------------ parameters

    private DrainOrder order(Request call) {
        DrainSettings settings = drains.settings();
        int rate = RATE.in(call).orElseGet(settings::goawayRate);
        Optional<Integer> asked = ADMIT.in(call);
        int admit = asked.orElseGet(settings::ownRate);
        int announcing = asked.isPresent() ? 0 : settings.announcing();
        Duration deadline = DEADLINE.in(call).orElseGet(settings::drain);
        Optional<Duration> notice = NOTICE.in(call);
        boolean stay = Parameter.flag(STAY, call);
        Optional<Double> share = SHARE.in(call);
        Optional<Integer> count = COUNT.in(call);
        if (share.isEmpty() && count.isEmpty()) {
            return new DrainOrder(rate, admit, deadline, stay, notice.orElseGet(settings::notice))
                    .announcedBy(announcing);
        }
        if (notice.isPresent()) {
            throw HttpError.badRequest("notice: need none with share or count, the listeners stay open");
        }
        return new DrainOrder(
                        rate, admit, deadline, new DrainOrder.Share(share.orElse(1.0), count.orElse(Integer.MAX_VALUE)))
                .announcedBy(announcing);
    }
}
