package io.heartwheel.admin;

import io.heartwheel.net.HttpError;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Table of all endpoints, and the rules that every request is held to. Immutable; any thread. */
final class Routes {
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
