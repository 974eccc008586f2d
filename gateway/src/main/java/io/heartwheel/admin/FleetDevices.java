package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiAnswer.Outcome;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.directory.Fleet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the devices of a whole fleet, one gateway after the other in the order of their names: each page is one of a gateway's own pages, asked for there.
 * A gateway that may have devices and cannot be asked has a page of its own that says so. Nothing is kept between pages, and a page is in
 * memory once.
 *
 * <p>Any thread; nothing blocks.
 */
final class FleetDevices {
    /** Of the list that each gateway is asked for. */
    static final String PATH = "/v1/devices";

    private static final String PLACE = "[0-9a-f]{16}";
    private static final String FIRST = "first";

    static final Parameter<Boolean> CLUSTER =
            Parameter.flag("cluster", "those of all gateways of the fleet, one gateway after the other");
    /** Where a list goes on, of this gateway or of the fleet. */
    static final Parameter<String> CURSOR = Parameter.text(
            "cursor",
            PLACE + "|[A-Za-z0-9_-]{1,32}\\." + PLACE + "\\.(?:" + PLACE + "|" + FIRST + ")",
            "one that a page ended with",
            "where the list goes on: `next` of the page before",
            "00000000000000ff",
            "gw-1.000660bb98de3c30.00000000000000ff");

    /** A gateway that could not be asked. */
    static final Schema MISSING = Schema.object("node:text incarnation:id text:text");

    /** What a page of the fleet has beside that of one gateway. */
    static final Schema.Field[] FIELDS = Schema.fields("node?:text", Schema.maybe("missing", Schema.listOf(MISSING)));

    private final Fleet fleet;
    private final Route.Endpoint here;

    /** @param here a page of this gateway's own */
    FleetDevices(Fleet fleet, Route.Endpoint here) {
        this.fleet = fleet;
        this.here = here;
    }

    /**
     * A place in the list.
     *
     * @param after the cursor in the list of that gateway; null: its beginning
     */
    private record Cursor(NodeId node, @Nullable String after) {
        static Cursor parse(String text) {
            String[] parts = text.split("\\.");
            if (parts.length != 3) {
                throw CURSOR.mistake(text); // one of a gateway's own
            }
            NodeId node = new NodeId(parts[0], HexFormat.fromHexDigitsToLong(parts[1]));
            return new Cursor(node, parts[2].equals(FIRST) ? null : parts[2]);
        }

        String text() {
            return node.name() + "." + HexFormat.of().toHexDigits(node.incarnation()) + "."
                    + (after == null ? FIRST : after);
        }
    }

    CompletionStage<Response> page(Request call) {
        Optional<Cursor> cursor = CURSOR.in(call).map(Cursor::parse);
        cursor.filter(at -> isInvented(at.node())).ifPresent(at -> {
            throw CURSOR.mistake(at.text());
        });
        return cursor.isPresent()
                ? ask(call, cursor.get(), Parameter.limit(call))
                : fleet.next(null)
                        .thenCompose(first -> first == null
                                ? unreachable().now()
                                : ask(call, new Cursor(first, null), Parameter.limit(call)))
                        .exceptionally(failure -> unreachable());
    }

    /** Whether it is known that there is no such gateway, and was none. */
    private boolean isInvented(NodeId node) {
        return fleet.knowsHolders()
                && !fleet.isGone(node)
                && fleet.holders().stream().noneMatch(each -> each.node().equals(node));
    }

    private static Response unreachable() {
        return Response.error(503, Reach.UNKNOWN, "NATS is not to be had");
    }

    private CompletionStage<Response> ask(Request call, Cursor at, int limit) {
        Request one = ofOneGateway(call, at.after(), limit);
        if (at.node().equals(fleet.node())) {
            return here.answer(one).thenCompose(page -> told(page, at.node()));
        }
        return fleet.ask(at.node(), one.carried(fleet.node(), 0), Elsewhere.PATIENCE_NANOS)
                .thenCompose(answer -> {
                    if (answer.outcome() == Outcome.ANSWERED) {
                        return told(Response.of(answer), at.node());
                    }
                    return answer.outcome() == Outcome.ANSWER_TOO_LARGE && limit > 1
                            ? ask(call, at, limit / 4 + 1)
                            : missing(at.node(), answer);
                });
    }

    /** The same request to one gateway. */
    private static Request ofOneGateway(Request call, @Nullable String after, int limit) {
        Map<String, String> query = new HashMap<>(call.query());
        query.remove(CLUSTER.name());
        query.remove(CURSOR.name());
        query.put(Parameter.LIMIT.name(), String.valueOf(limit));
        if (after != null) {
            query.put(CURSOR.name(), after);
        }
        return Request.of(call.method(), call.segments(), query, call.headers(), call.body());
    }

    private CompletionStage<Response> told(Response page, NodeId from) {
        if (page.status() != 200) {
            return page.with(Elsewhere.NODE_HEADER, from.name()).now();
        }
        ObjectNode told = Response.tree(page.body());
        told.put("node", from.name());
        String next = told.path("next").textValue();
        if (next == null) {
            return ended(told, from);
        }
        told.put("next", new Cursor(from, next).text());
        return Response.json(told).now();
    }

    private CompletionStage<Response> missing(NodeId from, ApiAnswer answer) {
        ObjectNode told = Response.tree(Map.of("devices", List.of(), "node", from.name()));
        missing(told.putArray("missing"), from.name(), from.incarnation(), why(answer));
        return ended(told, from);
    }

    /** One more gateway that could not be asked. */
    static void missing(ArrayNode all, String node, long incarnation, String why) {
        all.addObject().put("node", node).put("incarnation", incarnation).put("text", why);
    }

    /** Why there is none, for people. */
    static String why(ApiAnswer answer) {
        return switch (answer.outcome()) {
            case NO_NODE -> "it is gone";
            case LOST -> "it has not answered in time";
            case UNSUPPORTED -> "it is of an earlier release and is not asked";
            default -> answer.text();
        };
    }

    /** The last page of one gateway. */
    private CompletionStage<Response> ended(ObjectNode told, NodeId from) {
        return fleet.next(from)
                .thenApply(next -> Response.json(told.put("next", next == null ? null : new Cursor(next, null).text())))
                .exceptionally(failure -> unreachable());
    }
}
