package io.heartwheel.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.net.HttpError;
import io.heartwheel.outlet.OutletRunner;
import io.heartwheel.outlet.OutletState;
import io.heartwheel.outlet.OutletStatus;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.outlet.Rewind;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Endpoints of the outlets: how they are, pause, resume and rewind. Any thread; all answers come at once. */
final class OutletEndpoints {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** For a delivery under way to end; without one, an outlet looks at orders in half of it. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final String NEED_TO =
            "need {\"to\":\"start\"}, the number of a record ({\"to\":4711}) or a time ({\"to\":\"2026-01-01T00:00:00Z\"})";

    /** The name in the path. */
    static final Parameter<String> OUTLET = Parameter.bytes(
            "outlet", 0, Exchange.MAX_LINE_BYTES, name -> true, "an outlet's name in the configuration", "billing");

    /** The form of {@link #view}. */
    private static final Schema STATUS = status();

    private final Outlets outlets;

    OutletEndpoints(Outlets outlets) {
        this.outlets = outlets;
    }

    List<Route> routes() {
        Route.Body target = new Route.Body(
                List.of(Response.JSON_TYPE),
                "from where on",
                Schema.object(Schema.field("to", Schema.either(Schema.oneOf("start"), Schema.COUNT, Schema.TIME)))
                        .named("Rewind"));
        return List.of(
                Route.get("/v1/outlets", "The outlets of the journal.", this::list)
                        .answers(200, "all", Schema.object(Schema.field("outlets", Schema.listOf(STATUS)))),
                ofOne(Route.get("/v1/outlets/{outlet}", "One outlet.", this::show)),
                order(Route.post(
                        "/v1/outlets/{outlet}/pause", "Delivers nothing more until it is resumed.", this::pause)),
                order(Route.post(
                        "/v1/outlets/{outlet}/resume",
                        "Goes on; if it waits to try again, it tries now.",
                        this::resume)),
                order(Route.post("/v1/outlets/{outlet}/rewind", "Delivers again from a place on.", this::rewind)
                        .withBody(target)
                        .answers(202, "the outlet; the attempt under way ends before it goes there", STATUS)));
    }

    private static Route ofOne(Route route) {
        return route.answers(200, "the outlet", STATUS).refuses(404, "not_found: no outlet of this name");
    }

    private static Route order(Route route) {
        return ofOne(route).refuses(409, "ended: it delivers nothing any more");
    }

    private static Schema status() {
        return Schema.object(
                        "name:text kind:text place:text cursor:count lag_events:count oldest_age_ms:count delivered:count skipped:count"
                                + " oversized:count failures:count last_error:text/null last_error_at:time/null next_attempt_in_ms:count/null",
                        Schema.field("state", Schema.oneOf(OutletState.values(), OutletState::label)))
                .named("Outlet");
    }

    CompletionStage<Response> list(Request call) {
        List<Map<String, @Nullable Object>> all =
                outlets.all().stream().map(OutletEndpoints::view).toList();
        return Response.json(Map.of("outlets", all)).now();
    }

    CompletionStage<Response> show(Request call) {
        return answer(find(call));
    }

    CompletionStage<Response> pause(Request call) {
        OutletRunner outlet = findLiving(call);
        outlet.pause();
        return answer(outlet);
    }

    CompletionStage<Response> resume(Request call) {
        OutletRunner outlet = findLiving(call);
        outlet.resume();
        return answer(outlet);
    }

    CompletionStage<Response> rewind(Request call) {
        OutletRunner outlet = find(call);
        try {
            return outlet.rewind(target(call.body()))
                    .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .handle((done, notDone) -> done == null ? notYet(outlet) : Response.json(view(done)));
        } catch (IllegalArgumentException e) {
            throw HttpError.badRequest("to = " + e.getMessage());
        }
    }

    private OutletRunner find(Request call) {
        return outlets.find(call.segment(2))
                .orElseThrow(() -> new HttpError(404, "not_found", "there is no outlet of this name"));
    }

    private OutletRunner findLiving(Request call) {
        OutletRunner outlet = find(call);
        if (outlet.status().state() == OutletState.ENDED) {
            throw new HttpError(409, "ended", hasEnded(outlet));
        }
        return outlet;
    }

    private static Response notYet(OutletRunner outlet) {
        OutletStatus now = outlet.status();
        return now.state() == OutletState.ENDED
                ? Response.error(409, "ended", hasEnded(outlet))
                : Response.json(202, view(now));
    }

    private static String hasEnded(OutletRunner outlet) {
        return "outlet " + outlet.name() + " has ended";
    }

    private static CompletionStage<Response> answer(OutletRunner outlet) {
        return Response.json(view(outlet.status())).now();
    }

    private static Rewind target(byte[] body) {
        JsonNode to = tree(body).path("to");
        if (to.isIntegralNumber() && to.canConvertToLong()) {
            return new Rewind(Rewind.To.RECORD, to.asLong());
        }
        if (to.isTextual() && to.asText().equals("start")) {
            return Rewind.START;
        }
        try {
            return new Rewind(Rewind.To.TIME, Instant.parse(to.asText()).toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            throw HttpError.badRequest("body: " + NEED_TO);
        }
    }

    private static JsonNode tree(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw HttpError.badRequest("body: no JSON, " + NEED_TO);
        } catch (IOException e) {
            throw new IllegalStateException("no file is involved", e);
        }
    }

    /** The form of {@code /v1/outlets}. */
    private static Map<String, @Nullable Object> view(OutletStatus status) {
        long now = System.currentTimeMillis();
        boolean failed = status.lastErrorEpochMillis() != 0;
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("name", status.name());
        view.put("kind", status.kind());
        view.put("place", status.place());
        view.put("state", status.state().label());
        view.put("cursor", status.cursor());
        view.put("lag_events", status.lagEvents());
        view.put("oldest_age_ms", status.oldestAgeMillis(now));
        view.put("delivered", status.delivered());
        view.put("skipped", status.skipped());
        view.put("oversized", status.oversized());
        view.put("failures", status.failures());
        view.put("last_error", failed ? status.lastError() : null);
        view.put(
                "last_error_at",
                failed ? Instant.ofEpochMilli(status.lastErrorEpochMillis()).toString() : null);
        view.put("next_attempt_in_ms", status.state() == OutletState.RETRYING ? status.nextAttemptMillis() : null);
        return view;
    }
}
