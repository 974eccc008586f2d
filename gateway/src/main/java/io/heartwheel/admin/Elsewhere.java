package io.heartwheel.admin;

import io.heartwheel.admin.CarriedKeys.Place;
import io.heartwheel.cluster.ApiAnswer;
import io.heartwheel.cluster.ApiCall;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.push.Pushes;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.SessionRegistry;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests about devices that are connected to other gateways: each is carried to the gateway that the device's row names, and answered there by the same
 * route.
 *
 * <pre>
 *   device here ------------------------------------------------------------&gt; the route, here
 *   else row --&gt; nobody's, or ours -----------------------------------------&gt; the route, here: offline
 *            +-&gt; another's --ask--&gt; its answer -----------------------------&gt; told, with Heartwheel-Node
 *                              +--&gt; not there, or nobody is: row once more --&gt; the one that it names now, if any
 *                              +--&gt; takes no more, too large, of an earlier release, no answer --&gt; told so
 *
 *   what waits for a device: all gateways are asked, as each may keep some
 * </pre>
 *
 * A message to a device is given to a second gateway only if the first has surely not had it. With an Idempotency-Key it stays with the gateway that had it
 * ({@link CarriedKeys}), wherever the device is by then.
 *
 * <p>Any thread; nothing blocks.
 */
final class Elsewhere {
    static final String NODE_HEADER = "Heartwheel-Node";

    private static final int MOST_HOPS = 2;
    /** Beyond what the request waits for: a loop that does not answer there is given up after 5 s. */
    static final long PATIENCE_NANOS = 8_000_000_000L;

    private final Fleet fleet;
    private final SessionRegistry registry;
    private final Pushes pushes;
    private final CarriedKeys keys;

    Elsewhere(Fleet fleet, SessionRegistry registry, Pushes pushes, LongSupplier nanoClock) {
        this.fleet = fleet;
        this.registry = registry;
        this.pushes = pushes;
        keys = new CarriedKeys(nanoClock);
    }

    /** The route, for devices of the whole fleet. */
    Route over(Route route) {
        Reach reach = route.reach();
        return reach == null ? route : route.answeredBy(call -> answer(route, reach, call));
    }

    /** Whether a device is connected here. */
    static boolean isHere(SessionRegistry registry, String deviceId) {
        Session session = registry.serving(deviceId);
        return session != null && session.isEstablished();
    }

    /** The same, and whether it is when its loop has done what it is about to do: one that is just let in is here. */
    static CompletionStage<Boolean> isHereSoon(SessionRegistry registry, String deviceId) {
        return isHere(registry, deviceId)
                ? CompletableFuture.completedFuture(true)
                : new SessionCall<>(registry, deviceId, session -> true, false)
                        .go()
                        .completeOnTimeout(false, SessionCall.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether a device that was here when the request came had gone before its turn: it may be elsewhere. */
    static boolean hasLeft(int status, SessionRegistry registry, String deviceId) {
        return status == HttpResponseStatus.NOT_FOUND.code() && !isHere(registry, deviceId);
    }

    /** Whether the message of this request was given to this gateway before. */
    static boolean isKept(Pushes pushes, Route route, Request call) {
        String key = key(route, call);
        return key != null && pushes.keys().has(key);
    }

    private static @Nullable String key(Route route, Request call) {
        return route.headers().contains(MessageEndpoints.IDEMPOTENCY_KEY)
                ? MessageEndpoints.IDEMPOTENCY_KEY.inHeader(call).orElse(null)
                : null;
    }

    private CompletionStage<Response> answer(Route route, Reach reach, Request call) {
        if (!fleet.isSure()) {
            return unknown("this gateway " + Fleet.NOT_SURE).now();
        }
        Reach.Gathering gathering = reach.gathering();
        if (gathering != null) {
            return gather(route, reach, gathering, call, call.method().equals(HttpMethod.DELETE));
        }
        Journey journey = new Journey(route, reach, call);
        Place before = journey.key == null ? null : keys.find(journey.key);
        if (before != null) {
            return journey.ask(before, false, true, 1);
        }
        return isKept(pushes, route, call)
                ? journey.here()
                : isHereSoon(registry, journey.deviceId)
                        .thenCompose(here -> here
                                ? journey.here()
                                        .thenCompose(answer -> hasLeft(answer.status(), registry, journey.deviceId)
                                                ? journey.look(1, null)
                                                : answer.now())
                                : journey.look(1, null));
    }

    // ------------------------------------------------------------------ of all gateways

    /**
     * Asks all that are there, and the one that the device's row names.
     *
     * @param again whether they are asked once more if none has it: it may have been on its way from one to another
     */
    private CompletionStage<Response> gather(
            Route route, Reach reach, Reach.Gathering gathering, Request call, boolean again) {
        return route.endpoint()
                .answer(call)
                .thenCompose(own -> fleet.locate(DeviceEndpoints.deviceId(call), false)
                        .thenCombine(fleet.nodes(), this::others)
                        .handle((others, failure) -> {
                            if (others != null) {
                                return search(reach, gathering, call, own, others);
                            }
                            return gathering.isFound().test(own)
                                    ? own.now()
                                    : unreadable(failure).now();
                        })
                        .thenCompose(answer -> answer))
                .thenCompose(answer -> again && answer.status() == HttpResponseStatus.NOT_FOUND.code()
                        ? gather(route, reach, gathering, call, false)
                        : answer.now());
    }

    /** Whether it has to be there, by node; the holder comes first. */
    private Map<NodeId, Boolean> others(Row row, List<NodeStatus> live) {
        Map<NodeId, Boolean> others = new LinkedHashMap<>();
        NodeId holder = row.node();
        if (holder != null && row.isHeldElsewhere(fleet.node())) {
            others.put(holder, true);
        }
        live.forEach(each -> others.putIfAbsent(each.node(), false));
        others.remove(fleet.node());
        return others;
    }

    /** What was found so far, and why it may not be all. */
    private record Found(@Nullable Response answer, @Nullable String unknown) {}

    private CompletionStage<Response> search(
            Reach reach, Reach.Gathering gathering, Request call, Response own, Map<NodeId, Boolean> others) {
        CompletionStage<Found> all =
                CompletableFuture.completedFuture(new Found(gathering.isFound().test(own) ? own : null, null));
        ApiCall carried = call.carried(fleet.node(), 0);
        for (Map.Entry<NodeId, Boolean> other : others.entrySet()) {
            NodeId node = other.getKey();
            all = all.thenCombine(
                    fleet.ask(node, carried, PATIENCE_NANOS),
                    (found, answer) -> with(found, gathering, node, other.getValue(), answer));
        }
        return all.thenApply(found -> {
            Response answer = found.answer();
            String unknown = found.unknown();
            if (unknown != null && (answer == null || gathering.both() != null)) {
                return reach.lost().answer(call, 0, unknown);
            }
            return answer == null ? own : answer;
        });
    }

    private static Found with(Found found, Reach.Gathering gathering, NodeId node, boolean holds, ApiAnswer answer) {
        return switch (answer.outcome()) {
            case ANSWERED -> {
                Response its = Response.of(answer).with(NODE_HEADER, node.name());
                Response before = found.answer();
                yield !gathering.isFound().test(its)
                        ? found
                        : new Found(before == null ? its : gathering.join(before, its), found.unknown());
            }
            case ABSENT ->
                new Found(found.answer(), "node " + node.name() + " is of an earlier release and cannot tell");
            case NO_NODE -> holds ? new Found(found.answer(), goneText(node)) : found;
            default -> new Found(found.answer(), "node " + node.name() + " cannot tell: " + answer.text());
        };
    }

    // ------------------------------------------------------------------ of the one that has the device

    /** One request on its way. One thing at a time, on whichever thread. */
    private final class Journey {
        private final Route route;
        private final Reach reach;
        private final Request call;
        private final String deviceId;
        private final @Nullable String key;
        private final long messageId = pushes.nextId();

        Journey(Route route, Reach reach, Request call) {
            this.route = route;
            this.reach = reach;
            this.call = call;
            deviceId = DeviceEndpoints.deviceId(call);
            key = key(route, call);
        }

        /** The answer if the device is at no other gateway. */
        CompletionStage<Response> here() {
            return route.endpoint().answer(call);
        }

        /** @param gone who had the device before and is gone; null: nobody is known to be */
        CompletionStage<Response> look(int hops, @Nullable NodeId gone) {
            return fleet.locate(deviceId, hops > 1)
                    .handle((row, failure) -> row == null ? unreadable(failure).now() : to(row, hops, gone))
                    .thenCompose(answer -> answer);
        }

        private CompletionStage<Response> to(Row row, int hops, @Nullable NodeId gone) {
            NodeId holder = row.node();
            if (holder == null || holder.equals(fleet.node()) || !(row.held() || reach.remembers())) {
                return here();
            }
            if (holder.equals(gone)) {
                return unknown(goneText(holder)).now();
            }
            Place place = new Place(holder, messageId);
            Place kept =
                    key == null ? place : keys.put(key, place, pushes.keys().keepNanos());
            return ask(kept, kept.equals(place), row.held(), hops); // no two have the same message id
        }

        /**
         * @param first whether it is known that the gateway had the message never before
         * @param held whether the device should be there
         */
        CompletionStage<Response> ask(Place place, boolean first, boolean held, int hops) {
            long waitNanos = TimeUnit.MILLISECONDS.toNanos(reach.waitMillis().applyAsLong(call)) + PATIENCE_NANOS;
            return fleet.ask(place.node(), call.carried(fleet.node(), place.messageId()), waitNanos)
                    .thenCompose(answer -> told(answer, place, first, held, hops));
        }

        private CompletionStage<Response> told(ApiAnswer answer, Place place, boolean first, boolean held, int hops) {
            String name = "node " + place.node().name();
            boolean surelyNot = isNothingDone(answer);
            if (key != null && (first ? surelyNot : answer.outcome() == ApiAnswer.Outcome.ABSENT)) {
                keys.forget(key, place);
            }
            return switch (answer.outcome()) {
                case ABSENT -> hops < MOST_HOPS ? look(hops + 1, null) : here();
                case NO_NODE -> gone(place, first, held, hops);
                default -> answered(answer, place, name).now();
            };
        }

        private Response answered(ApiAnswer answer, Place place, String name) {
            return switch (answer.outcome()) {
                case ANSWERED ->
                    Response.of(answer).with(NODE_HEADER, place.node().name());
                case BUSY -> Response.error(503, "busy", answer.text()).retrySoon();
                case UNSUPPORTED ->
                    unknown(
                            name
                                    + ", which has the device, is of an earlier release and takes no requests of other gateways: ask it itself");
                case TOO_LARGE ->
                    Response.error(
                            413, "too_large", name + " has the device, and this does not get there: " + answer.text());
                case ANSWER_TOO_LARGE ->
                    lost(place, name + " has answered, and this does not get here: " + answer.text());
                default -> lost(place, name + " has not answered in time");
            };
        }

        private CompletionStage<Response> gone(Place place, boolean first, boolean held, int hops) {
            if (key != null && !first) {
                String name = place.node().name();
                return lost(place, "the message of this Idempotency-Key went to node " + name + ", which is gone")
                        .now();
            }
            if (!held) {
                return here(); // who had the device last has forgotten what it remembered
            }
            return hops < MOST_HOPS
                    ? look(hops + 1, place.node())
                    : unknown(goneText(place.node())).now();
        }

        private Response lost(Place place, String why) {
            return reach.lost().answer(call, place.messageId(), why);
        }
    }

    /** Whether the gateway that was asked has surely not done it, and will not. */
    private static boolean isNothingDone(ApiAnswer answer) {
        return switch (answer.outcome()) {
            case ANSWERED -> {
                int status = answer.status();
                yield status == 503 || (status >= 400 && status < 500 && status != 410);
            }
            case LOST, ANSWER_TOO_LARGE -> false;
            default -> true;
        };
    }

    private static String goneText(NodeId node) {
        return "node " + node.name() + ", which had the device last, is gone";
    }

    private static Response unreadable(@Nullable Throwable failure) {
        return unknown(String.valueOf(EngineException.of(failure).getMessage()));
    }

    private static Response unknown(String why) {
        return Response.error(503, Reach.UNKNOWN, why);
    }
}
