package io.heartwheel.admin;

import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleView;
import io.heartwheel.push.schedule.Schedules;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Endpoints of schedules. Any thread; answers come from the schedules' thread or the store's. */
final class ScheduleEndpoints {
    private static final int LONGEST_KEY = 128;
    /** All that a key may be. */
    static final Pattern KEYS = Pattern.compile("[!-~]{1," + LONGEST_KEY + "}");
    /** The key in the path. */
    static final Parameter<String> KEY =
            key("schedule_key", "the caller's own name of a schedule, percent-encoded", "wake-42");

    private static final Parameter<String> PREFIX = key("prefix", "only keys that begin with it", "wake-");
    /** A key in hexadecimal: what a cursor is, is nobody's business. */
    private static final Parameter<String> CURSOR = Parameter.text(
                    "cursor",
                    "(?:[2-7][0-9a-f]){1," + LONGEST_KEY + "}",
                    "one that a page ended with",
                    "where the list goes on: `next` of the page before",
                    "77616b652d3432")
            .as(hex -> new String(HexFormat.of().parseHex(hex), StandardCharsets.US_ASCII));

    private static final String NONE = "there is no schedule of this key";
    private static final String NOT_READ = "not_read: the disk does not answer";
    private static final String NOT_READ_ONE = NOT_READ + ", or what is there cannot be read";

    private final Schedules schedules;
    private final IntSupplier maxPayloadBytes;

    /** @param maxPayloadBytes largest payload that may be pushed to a device */
    ScheduleEndpoints(Schedules schedules, IntSupplier maxPayloadBytes) {
        this.schedules = schedules;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    private static Parameter<String> key(String name, String about, String example) {
        return Parameter.text(name, KEYS.pattern(), "1.." + LONGEST_KEY + " visible ASCII characters", about, example);
    }

    List<Route> routes() {
        Schema schedule = ScheduleJson.schema();
        Schema page = Schema.object(
                Schema.field("schedules", Schema.listOf(schedule)),
                Schema.field("next", CURSOR.schema().orNull()));
        return List.of(
                Route.get(
                                "/v1/schedules",
                                "Schedules in the order of their keys, without their messages, page by page.",
                                this::list)
                        .takes(PREFIX, Parameter.LIMIT, CURSOR)
                        .answers(200, "a page", page)
                        .refuses(503, NOT_READ),
                Route.get("/v1/schedules/{schedule_key}", "One schedule.", this::show)
                        .answers(200, "it is there", schedule)
                        .refuses(404, "no_schedule: there is none of this key")
                        .refuses(503, NOT_READ_ONE),
                Route.put(
                                "/v1/schedules/{schedule_key}",
                                "Sends a message later, or again and again; takes the place of what was under the key.",
                                this::put)
                        .scope(Scope.SEND)
                        .withBody(new Route.Body(
                                List.of(Response.JSON_TYPE),
                                "to whom, when, what; durations as in 500ms, 90s, 10m, 2h, 7d",
                                ScheduleJson.bodySchema()))
                        .answers(200, "it took the place of another", schedule)
                        .answers(201, "it is new", schedule)
                        .refuses(
                                413,
                                "too_large: over protocol.max-payload, admin.max-body, or in a fleet NATS's max_payload")
                        .refuses(
                                429,
                                "full: there are messages.schedules.max, or their payloads take too much; or too many wrong tokens")
                        .refuses(503, "not_stored: the disk did not take it; what was there before stays"),
                Route.delete(
                                "/v1/schedules/{schedule_key}",
                                "Deletes a schedule. A run that has begun goes on.",
                                this::delete)
                        .scope(Scope.SEND)
                        .answers(204, new Route.Answer("deleted", List.of(), null))
                        .refuses(404, "no_schedule: there is none of this key")
                        .refuses(503, "not_stored: the disk did not take it; the schedule stays"));
    }

    CompletionStage<Response> list(Request call) {
        int limit = Parameter.limit(call);
        return schedules
                .list(CURSOR.in(call).orElse(""), PREFIX.in(call).orElse(""), limit + 1)
                .thenApply(found -> page(found, limit))
                .exceptionally(ScheduleEndpoints::notRead);
    }

    /** @param found one more than a page has, if there are more */
    private static Response page(List<ScheduleView> found, int limit) {
        List<ScheduleView> shown = found.subList(0, Math.min(limit, found.size()));
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put("schedules", shown.stream().map(ScheduleJson::view).toList());
        page.put(
                "next",
                found.size() <= limit
                        ? null
                        : HexFormat.of()
                                .formatHex(shown.get(limit - 1).row().key().getBytes(StandardCharsets.US_ASCII)));
        return Response.json(page);
    }

    CompletionStage<Response> show(Request call) {
        return schedules
                .get(key(call))
                .thenApply(found -> found.map(view -> Response.json(ScheduleJson.view(view)))
                        .orElseGet(() -> Response.error(404, "no_schedule", NONE)))
                .exceptionally(ScheduleEndpoints::notRead);
    }

    CompletionStage<Response> put(Request call) {
        String key = key(call);
        ScheduleJson.Asked asked =
                ScheduleJson.read(call.body(), schedules.limits().maxAge(), maxPayloadBytes.getAsInt());
        return schedules.put(key, asked.spec(), asked.payload()).thenApply(ScheduleEndpoints::answer);
    }

    private static Response answer(PutResult result) {
        if (result instanceof PutResult.Refused refused) {
            return switch (refused.cause()) {
                case TIME -> Response.error(400, "bad_request", refused.detail());
                case FULL -> Response.error(429, "full", refused.detail()).retrySoon();
                case TOO_LARGE -> Response.error(413, "too_large", refused.detail());
                case NOT_STORED ->
                    Response.error(503, "not_stored", refused.detail()).retrySoon();
            };
        }
        PutResult.Stored stored = (PutResult.Stored) result;
        return Response.json(stored.replaced() ? 200 : 201, ScheduleJson.view(stored.view()));
    }

    CompletionStage<Response> delete(Request call) {
        return schedules
                .delete(key(call))
                .thenApply(deleted -> deleted ? Response.noContent() : Response.error(404, "no_schedule", NONE))
                .exceptionally(failure ->
                        Response.error(503, "not_stored", cause(failure)).retrySoon());
    }

    private static Response notRead(Throwable failure) {
        return Response.error(503, "not_read", cause(failure)).retrySoon();
    }

    private static String cause(Throwable failure) {
        Throwable from = failure.getCause();
        return String.valueOf((from == null ? failure : from).getMessage());
    }

    private static String key(Request call) {
        return KEY.value(call.segment(2));
    }
}
