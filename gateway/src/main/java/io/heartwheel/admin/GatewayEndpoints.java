package io.heartwheel.admin;

import io.heartwheel.metrics.Exposition;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Endpoints of the gateway as a whole. Any thread; all answers come at once. */
final class GatewayEndpoints {
    /** The form of {@link GatewayInfo}. */
    private static final Schema GATEWAY = gateway();
    /** The form of {@link ReloadReport}. */
    private static final Schema.Field[] REPORT = {
        Schema.field("text", Schema.TEXT),
        Schema.field("applied", Schema.FLAG),
        Schema.field("taken", Schema.listOf(Schema.TEXT)),
        Schema.field("waiting", Schema.listOf(Schema.TEXT)),
        Schema.field("problems", Schema.listOf(Schema.TEXT))
    };

    private final AdminPorts ports;

    GatewayEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    List<Route> routes() {
        Schema stateOf = Schema.object(Schema.field("status", Schema.oneOf("alive", "ready")))
                .named("Status");
        return List.of(
                Route.get("/metrics", this::metrics)
                        .says("All figures, in the text format of Prometheus or in OpenMetrics, as Accept has it.")
                        .answers(
                                200,
                                new Route.Answer(
                                        "the page", List.of("text/plain", "application/openmetrics-text"), null)),
                Route.get("/healthz", this::health)
                        .scope(Scope.NONE)
                        .says("Whether event loops, wheel and threads have turned lately.")
                        .answers(200, "alive", stateOf)
                        .refuses(503, "not_alive: what is stuck"),
                Route.get("/readyz", this::readiness)
                        .scope(Scope.NONE)
                        .says("Whether new devices are accepted.")
                        .answers(200, "ready", stateOf)
                        .refuses(503, "not_ready: why not"),
                Route.get("/v1/gateway", this::info)
                        .says("Version, transport, listeners, connections.")
                        .answers(200, "the gateway", GATEWAY),
                Route.of(HttpMethod.POST, "/v1/reload", this::reload)
                        .says("Reads the configuration again and applies what a reload can change.")
                        .answers(200, "applied", Schema.object(REPORT).named("Reload"))
                        .refuses(
                                422,
                                "refused_configuration: every mistake; nothing has changed",
                                Schema.problem(REPORT).named("ReloadProblem")));
    }

    CompletionStage<Response> metrics(Request call) {
        List<String> accept = call.headers().getAll(HttpHeaderNames.ACCEPT);
        Exposition page = ports.metrics().render(accept.isEmpty() ? null : String.join(",", accept));
        return Response.of(page.contentType(), page.body()).now();
    }

    CompletionStage<Response> health(Request call) {
        return tell(ports.health(), "alive", "not_alive");
    }

    CompletionStage<Response> readiness(Request call) {
        return tell(ports.readiness(), "ready", "not_ready");
    }

    private static CompletionStage<Response> tell(Supplier<List<String>> obstacles, String well, String ill) {
        List<String> problems = obstacles.get();
        return problems.isEmpty()
                ? Response.json(Map.of("status", well)).now()
                : Response.error(503, ill, String.join("; ", problems)).now();
    }

    /** Files are read on a thread of its own; requests behind this one on the connection wait. */
    CompletionStage<Response> reload(Request call) {
        return CompletableFuture.supplyAsync(() -> ports.reload().get(), task -> new Thread(task, "reload").start())
                .thenApply(report -> report.applied()
                        ? Response.json(report)
                        : Response.error(422, "refused_configuration", report.text(), report));
    }

    CompletionStage<Response> info(Request call) {
        return Response.json(ports.info().get()).now();
    }

    private static Schema gateway() {
        Schema networks = Schema.listOf(Schema.TEXT);
        Schema listener = Schema.object(
                Schema.field("name", Schema.TEXT),
                Schema.field("protocol", Schema.oneOf("heartwheel", "websocket", "auto")),
                Schema.field("tls", Schema.FLAG),
                Schema.field("address", Schema.TEXT),
                Schema.field(
                        "proxy",
                        Schema.object(Schema.field("trusted", networks)).orNull()),
                Schema.field(
                        "forwarded",
                        Schema.object(Schema.field("header", Schema.TEXT), Schema.field("trusted", networks))
                                .orNull()));
        return Schema.object(
                        Schema.field("version", Schema.TEXT),
                        Schema.field("uptime_ms", Schema.COUNT),
                        Schema.field("transport", Schema.oneOf("epoll", "io_uring", "nio")),
                        Schema.field("event_loops", Schema.COUNT),
                        Schema.field("ready", Schema.FLAG),
                        Schema.field("listeners", Schema.listOf(listener.named("Listener"))),
                        Schema.field(
                                "connections",
                                Schema.object(
                                        Schema.field("open", Schema.COUNT),
                                        Schema.field("limit", Schema.COUNT),
                                        Schema.field("devices", Schema.COUNT))))
                .named("Gateway");
    }
}
