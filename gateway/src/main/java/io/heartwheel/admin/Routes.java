package io.heartwheel.admin;

import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Table of all endpoints, and the rules that every request is held to. Immutable; any thread. */
final class Routes {
    private static final Set<String> MONITORED = Set.of("/metrics", "/healthz", "/readyz");

    private final List<Route> table;
    /** By the number of their segments. */
    private final Map<Integer, List<Place>> places;

    Routes(List<Route> table) {
        this.table = List.copyOf(table);
        this.places = table.stream()
                .map(route -> new Place(route, route.segments()))
                .collect(Collectors.groupingBy(place -> place.segments().size()));
    }

    private record Place(Route route, List<String> segments) {
        boolean isAt(List<String> asked) {
            for (int i = 0; i < segments.size(); i++) {
                if (!segments.get(i).startsWith("{") && !segments.get(i).equals(asked.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** All of them. */
    static Routes of(AdminPorts ports) {
        List<Route> served = Stream.of(
                        new GatewayEndpoints(ports).routes(),
                        new DeviceEndpoints(ports).routes(),
                        new FleetEndpoints(ports.fleet()).routes(),
                        new MessageEndpoints(ports.pushes(), ports.maxPayloadBytes()).routes(),
                        new GroupEndpoints(ports.groups()).routes(),
                        new JobEndpoints(ports).routes(),
                        new ScheduleEndpoints(ports.schedules(), ports.maxPayloadBytes()).routes(),
                        new CloseEndpoints(ports).routes(),
                        new GuardEndpoints(ports).routes(),
                        new PresenceEndpoints(ports.snapshots()).routes(),
                        new OutletEndpoints(ports.outlets()).routes(),
                        new DrainEndpoints(ports.drains()).routes())
                .flatMap(List::stream)
                .toList();
        List<Route> all = new OpenApi(served, () -> ports.info().get().version()).routes();
        Fleet fleet = ports.fleet();
        if (fleet == null) {
            return new Routes(all);
        }
        Elsewhere elsewhere = new Elsewhere(fleet, ports.registry(), ports.pushes(), ports.nanoClock());
        return new Routes(all.stream().map(elsewhere::over).toList());
    }

    /** What other gateways of the fleet may ask: about devices of this one, and for its share of a job. */
    static Routes ofDevices(AdminPorts ports) {
        Stream<Route> ofDevices = Stream.of(
                        new DeviceEndpoints(ports).routes(),
                        new MessageEndpoints(ports.pushes(), ports.maxPayloadBytes()).routes(),
                        new CloseEndpoints(ports).routes())
                .flatMap(List::stream)
                .filter(route -> route.reach() != null || route.path().equals(FleetDevices.PATH));
        return new Routes(Stream.concat(ofDevices, new JobEndpoints(ports).shares().stream())
                .toList());
    }

    /** What a monitor may see: figures and health. */
    Routes forMonitors() {
        return new Routes(
                table.stream().filter(route -> MONITORED.contains(route.path())).toList());
    }

    /**
     * Answers, and has changes audited.
     *
     * @param source where it comes from, as the audit tells it
     * @throws HttpError if nothing is there, it is asked wrongly, or the caller may not
     */
    CompletionStage<Response> answer(Request call, Caller caller, String source) {
        if (!caller.isKnown() && !isForAll(call)) {
            throw Caller.unauthorized(); // also where nothing is: what there is, is nobody's business
        }
        Route route = find(call);
        if (route.method().equals(HttpMethod.GET)) {
            return permitted(route, call, caller);
        }
        CompletionStage<Response> answer;
        try {
            answer = permitted(route, call, caller);
        } catch (HttpError refusal) {
            answer = Response.of(refusal).now();
        } catch (RuntimeException fault) {
            answer = CompletableFuture.failedFuture(fault);
        }
        return Audit.when(answer, route, call, caller, source);
    }

    private boolean isForAll(Request call) {
        return at(call.segments()).stream()
                .anyMatch(route -> route.scope() == Scope.NONE && route.serves(call.method()));
    }

    private List<Route> at(List<String> asked) {
        List<Route> here = new ArrayList<>();
        for (Place place : places.getOrDefault(asked.size(), List.of())) {
            if (place.isAt(asked)) {
                here.add(place.route());
            }
        }
        return here;
    }

    private static CompletionStage<Response> permitted(Route route, Request call, Caller caller) {
        caller.require(route.scope());
        if (!call.isSafe() && call.headers().contains(HttpHeaderNames.ORIGIN)) {
            // a page in the operator's browser can send us requests; it can't leave this header out
            throw new HttpError(403, "foreign_origin", "changes are not taken from web pages");
        }
        return route.answer(call);
    }

    /** @throws HttpError if nothing is there */
    Route find(Request call) {
        List<Route> here = at(call.segments());
        if (here.isEmpty()) {
            throw new HttpError(404, "not_found", "nothing is here");
        }
        return here.stream()
                .filter(route -> route.serves(call.method()))
                .findFirst()
                .orElseThrow(() -> HttpError.method(allowed(here)));
    }

    private static String allowed(List<Route> here) {
        return String.join(
                ", ",
                here.stream()
                        .flatMap(route -> route.method().equals(HttpMethod.GET)
                                ? Stream.of("GET", "HEAD")
                                : Stream.of(route.method().name()))
                        .toList());
    }
}
