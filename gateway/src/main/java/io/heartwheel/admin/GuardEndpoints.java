package io.heartwheel.admin;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.Incident;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.history.ShadowLedger.Count;
import io.heartwheel.history.ShadowLedger.Spoke;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Endpoints of the breaker and the shadow policy. Any thread; all answers come at once. */
final class GuardEndpoints {
    /** Stands for a deadline that is not set. */
    private static final String NONE = "none";

    private final Diagnostics diagnostics;

    GuardEndpoints(AdminPorts ports) {
        diagnostics = ports.diagnostics();
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                                "/v1/breaker",
                                "Whether there is a mass expiry, in which groups, and the latest.",
                                this::breaker)
                        .answers(200, "the breaker", breakerForm()),
                Route.get("/v1/shadow", "What the shadow policy would have closed.", this::shadow)
                        .answers(200, "the shadow policy; text and enabled only if there is none", shadowForm()));
    }

    private static Schema breakerForm() {
        Schema settings = Schema.object(
                "window_ms:count share:number group_share:number least:count patience_ms:count close_rate:count");
        return Schema.object(
                        "text:text enabled:flag open:flag suspects:count",
                        Schema.field("settings", settings),
                        Schema.field("current", FactSchemas.INCIDENT.orNull()),
                        Schema.field("incidents", Schema.listOf(FactSchemas.INCIDENT)))
                .named("Breaker");
    }

    private static Schema shadowForm() {
        Schema outcomes = Schema.object(
                        "would_have_closed:count spoke:count closed:count left:count waiting:count mean_sooner_ms:integer")
                .named("ShadowOutcomes");
        Schema spoke = Schema.object(
                "device:text after_ms:count at:time",
                Schema.field("deadline", Schema.oneOf(DeadlineKind.values(), DeadlineKind::label)));
        return Schema.object(
                        "text:text enabled:flag policy?:text{} longest_spoke_after_ms?:count",
                        Schema.maybe("verdict", Schema.oneOf("safe so far", "unsafe", "undecided")),
                        Schema.maybe("all", outcomes),
                        Schema.maybe("deadlines", Schema.mapOf(outcomes)),
                        Schema.maybe("latest_spoke", Schema.listOf(spoke)))
                .named("Shadow");
    }

    CompletionStage<Response> breaker(Request call) {
        Breaker breaker = diagnostics.breaker();
        Incident current = breaker.current();
        boolean enabled = breaker.settings().enabled();
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("text", text(enabled, current, breaker.suspects()));
        view.put("enabled", enabled);
        view.put("open", current != null);
        view.put("suspects", breaker.suspects());
        view.put("settings", settings(breaker));
        view.put("current", current);
        view.put("incidents", diagnostics.incidents().latest());
        return Response.json(view).now();
    }

    private static Map<String, Object> settings(Breaker breaker) {
        BreakerSettings settings = breaker.settings();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("window_ms", settings.window().toMillis());
        view.put("share", settings.share());
        view.put("group_share", settings.groupShare());
        view.put("least", settings.least());
        view.put("patience_ms", settings.patience().toMillis());
        view.put("close_rate", breaker.closesASecond());
        return view;
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
        Diagnostics.Shadow shadow = diagnostics.shadowPolicy().get();
        return Response.json(
                        shadow == null
                                ? Map.of("text", "no policy is tried: shadow.enabled is false", "enabled", false)
                                : view(shadow))
                .now();
    }

    // ------------------------------------------------------------------ the shadow policy

    /**
     * The shadow policy in words and figures: a verdict, {@code safe so far}, {@code unsafe} or {@code undecided}, and what it rests on; what is tried, by
     * deadline, beside what is in force; and what became of those whom it would have closed.
     */
    private static Map<String, Object> view(Diagnostics.Shadow shadow) {
        ShadowLedger ledger = shadow.ledger();
        Map<String, String> policy = policy(shadow.tried(), shadow.inForce());
        Map<String, Object> deadlines = new LinkedHashMap<>();
        for (DeadlineKind kind : DeadlineKind.values()) {
            if (policy.containsKey(kind.label())) {
                deadlines.put(kind.label(), outcomes(ledger.of(kind)));
            }
        }
        Count all = ledger.all();
        long longestMillis = TimeUnit.NANOSECONDS.toMillis(ledger.longestNanosAfter());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("text", text(all, longestMillis));
        view.put("enabled", true);
        view.put("verdict", verdict(all));
        view.put("policy", policy);
        view.put("all", outcomes(all));
        view.put("deadlines", deadlines);
        view.put("longest_spoke_after_ms", longestMillis);
        view.put(
                "latest_spoke",
                ledger.latest().stream().map(GuardEndpoints::falseKill).toList());
        return view;
    }

    /** What became of those whom the shadow would have closed. */
    private static Map<String, Object> outcomes(Count count) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("would_have_closed", count.wouldHaveClosed());
        view.put("spoke", count.spoke());
        view.put("closed", count.closed());
        view.put("left", count.left());
        view.put("waiting", count.waiting());
        view.put("mean_sooner_ms", count.meanSoonerMillis());
        return view;
    }

    /** A living peer that the shadow would have closed. */
    private static Map<String, Object> falseKill(Spoke spoke) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("device", spoke.deviceId());
        view.put("deadline", spoke.deadline().label());
        view.put("after_ms", TimeUnit.NANOSECONDS.toMillis(spoke.nanosAfter()));
        view.put("at", Instant.ofEpochMilli(spoke.atEpochMillis()).toString());
        return view;
    }

    private static String verdict(Count all) {
        if (all.spoke() > 0) {
            return "unsafe";
        }
        return all.closed() > 0 ? "safe so far" : "undecided";
    }

    private static String text(Count all, long longestMillis) {
        if (all.spoke() > 0) {
            return String.format(
                    Locale.ROOT,
                    "unsafe: of %,d it would have closed, %,d were alive and spoke, as late as %.1f s after the deadline; %,d were dead",
                    all.wouldHaveClosed(),
                    all.spoke(),
                    longestMillis / 1e3,
                    all.closed());
        }
        if (all.closed() == 0) {
            return String.format(
                    Locale.ROOT,
                    "undecided: of %,d it would have closed, none has shown yet what it was",
                    all.wouldHaveClosed());
        }
        return String.format(
                Locale.ROOT,
                "safe so far: of %,d it would have closed, %,d were dead and none was alive%s; "
                        + "the dead would have been found %.1f s sooner on average",
                all.wouldHaveClosed(),
                all.closed(),
                confidence(all.closed()),
                all.meanSoonerMillis() / 1e3);
    }

    /** None in n: with 95 % confidence the share is under 3/n (rule of three, for n of 30 or more). */
    private static String confidence(long dead) {
        return dead < 30
                ? ""
                : String.format(Locale.ROOT, " (so with 95 %% confidence under %.2f %% are)", 300.0 / dead);
    }

    // ------------------------------------------------------------------ the policy in words

    private static Map<String, String> policy(LivenessSettings tried, LivenessSettings inForce) {
        Map<String, String> words = new LinkedHashMap<>();
        put(words, DeadlineKind.HANDSHAKE, words(tried.handshake()), words(inForce.handshake()));
        if (tried.heartbeat().enabled() && inForce.heartbeat().enabled()) {
            String beat = "interval x " + tried.heartbeat().grace();
            put(words, DeadlineKind.HEARTBEAT, beat, "x " + inForce.heartbeat().grace());
        }
        put(words, DeadlineKind.READ_PROGRESS, words(tried.readProgress()), words(inForce.readProgress()));
        put(words, DeadlineKind.READER_IDLE, words(tried.readerIdle()), words(inForce.readerIdle()));
        put(words, DeadlineKind.WRITE_PROGRESS, words(tried.writeProgress()), words(inForce.writeProgress()));
        return words;
    }

    private static void put(Map<String, String> words, DeadlineKind kind, String tried, String inForce) {
        if (!tried.equals(NONE)) {
            words.put(kind.label(), tried + ", in force " + inForce);
        }
    }

    private static String words(LivenessSettings.Deadline deadline) {
        return deadline.enabled() ? words(deadline.timeout()) : NONE;
    }

    private static String words(LivenessSettings.ReadProgress read) {
        return read.enabled()
                ? words(read.timeout()) + " and 1 s for each " + read.minBytesPerSecond() + " bytes"
                : NONE;
    }

    private static String words(Duration time) {
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}
