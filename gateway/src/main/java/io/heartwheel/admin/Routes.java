package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Table of all endpoints, and the rules that every request is held to. Immutable; any thread. */
final class Routes {
    /**
     * Method and path of an endpoint, with what it takes. Immutable; any thread.
     *
     * @param path segments; {@link #ANY} stands for any one segment
     * @param parameters allowed in the query
     * @param takesBody whether a body has a meaning
     */
    record Route(HttpMethod method, List<String> path, Set<String> parameters, boolean takesBody, Endpoint endpoint) {
        /** Any one segment. */
        static final String ANY = "{}";

        /** Answers, now or later, on any thread. */
        @FunctionalInterface
        interface Endpoint {
            /** @throws HttpError if the call makes no sense */
            CompletionStage<Response> answer(Request call);
        }

        /** GET without parameters. */
        static Route get(String path, Endpoint endpoint) {
            return of(HttpMethod.GET, path, endpoint);
        }

        /** A call without a body. */
        static Route of(HttpMethod method, String path, Endpoint endpoint, String... parameters) {
            return new Route(method, List.of(path.substring(1).split("/")), Set.of(parameters), false, endpoint);
        }

        /** The same with a body. */
        Route withBody() {
            return new Route(method, path, parameters, true, endpoint);
        }

        boolean leadsTo(List<String> segments) {
            if (segments.size() != path.size()) {
                return false;
            }
            for (int i = 0; i < path.size(); i++) {
                if (!path.get(i).equals(ANY) && !path.get(i).equals(segments.get(i))) {
                    return false;
                }
            }
            return true;
        }

        boolean serves(HttpMethod asked) {
            return asked.equals(method) || (asked.equals(HttpMethod.HEAD) && method.equals(HttpMethod.GET));
        }
    }

    private final List<Route> table;

    Routes(List<Route> table) {
        this.table = List.copyOf(table);
    }

    /** All of them. */
    static Routes of(AdminPorts ports) {
        GatewayEndpoints gateway = new GatewayEndpoints(ports);
        DeviceEndpoints devices = new DeviceEndpoints(ports);
        CloseEndpoints closes = new CloseEndpoints(ports);
        GuardEndpoints guards = new GuardEndpoints(ports);
        DrainEndpoints drains = new DrainEndpoints(ports.drains());
        PresenceEndpoints presence = new PresenceEndpoints(ports.snapshots());
        OutletEndpoints outlets = new OutletEndpoints(ports.outlets());
        return new Routes(List.of(
                Route.get("/metrics", gateway::metrics),
                Route.get("/healthz", gateway::health),
                Route.get("/readyz", gateway::readiness),
                Route.get("/v1/gateway", gateway::info),
                Route.of(HttpMethod.POST, "/v1/reload", gateway::reload),
                Route.of(HttpMethod.GET, "/v1/devices", devices::list, "limit", "cursor"),
                Route.get("/v1/devices/{}", devices::show),
                Route.of(HttpMethod.DELETE, "/v1/devices/{}", devices::close, "reason"),
                Route.of(HttpMethod.POST, "/v1/devices/{}/messages", devices::push, "id")
                        .withBody(),
                Route.get("/v1/devices/{}/why", closes::why),
                Route.of(
                        HttpMethod.GET, "/v1/closed", closes::list, "reason", "since", "limit", "cursor", "handshakes"),
                Route.get("/v1/breaker", guards::breaker),
                Route.get("/v1/shadow", guards::shadow),
                Route.get("/v1/presence/snapshot", presence::show),
                Route.of(HttpMethod.POST, "/v1/presence/snapshot", presence::ask),
                Route.get("/v1/outlets", outlets::list),
                Route.get("/v1/outlets/{}", outlets::show),
                Route.of(HttpMethod.POST, "/v1/outlets/{}/pause", outlets::pause),
                Route.of(HttpMethod.POST, "/v1/outlets/{}/resume", outlets::resume),
                Route.of(HttpMethod.POST, "/v1/outlets/{}/rewind", outlets::rewind)
                        .withBody(),
                Route.get("/v1/drain", drains::show),
                Route.of(HttpMethod.POST, "/v1/drain", drains::start, DrainEndpoints.STARTED_WITH),
                Route.of(HttpMethod.DELETE, "/v1/drain", drains::cancel),
                Route.of(HttpMethod.GET, "/v1/drain/forecast", drains::forecast, DrainEndpoints.RECKONED_WITH)));
    }

    /** @throws HttpError if nothing is there or it is asked wrongly */
    CompletionStage<Response> answer(Request call) {
        Route route = find(call);
        if (!call.isSafe() && call.headers().contains(HttpHeaderNames.ORIGIN)) {
            // a page in the operator's browser can send us requests; it can't leave this header out
            throw new HttpError(403, "foreign_origin", "changes are not taken from web pages");
        }
        for (String name : call.query().keySet()) {
            if (!route.parameters().contains(name)) {
                throw HttpError.badRequest("parameter " + HttpError.quote(name) + ": need one of "
                        + route.parameters().stream().sorted().toList());
            }
        }
        if (call.body().length > 0 && !route.takesBody()) {
            throw HttpError.badRequest("body of " + call.body().length + " bytes: need none");
        }
        return route.endpoint().answer(call);
    }

    private Route find(Request call) {
        List<Route> here =
                table.stream().filter(route -> route.leadsTo(call.segments())).toList();
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
