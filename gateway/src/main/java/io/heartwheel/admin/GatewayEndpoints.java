package io.heartwheel.admin;

import io.heartwheel.metrics.Exposition;
import io.netty.handler.codec.http.HttpHeaderNames;
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
    private static final Schema.Field[] REPORT =
            Schema.fields("text:text applied:flag taken:text[] waiting:text[] problems:text[]");

    private final AdminPorts ports;

    GatewayEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    List<Route> routes() {
        Schema stateOf = Schema.object(Schema.field("status", Schema.oneOf("alive", "ready")))
                .named("Status");
        return List.of(
                Route.get(
                                "/metrics",
                                "All figures, in the text format of Prometheus or in OpenMetrics, as Accept has it.",
                                this::metrics)
                        .answers(
                                200,
                                new Route.Answer(
                                        "the page", List.of("text/plain", "application/openmetrics-text"), null)),
                Route.get("/healthz", "Whether event loops, wheel and threads have turned lately.", this::health)
                        .scope(Scope.NONE)
                        .answers(200, "alive", stateOf)
                        .refuses(503, "not_alive: what is stuck"),
                Route.get("/readyz", "Whether new devices are accepted.", this::readiness)
                        .scope(Scope.NONE)
                        .answers(200, "ready", stateOf)
                        .refuses(503, "not_ready: why not"),
                Route.get("/v1/gateway", "Version, transport, listeners, connections.", this::info)
                        .answers(200, "the gateway", GATEWAY),
                Route.post(
                                "/v1/reload",
                                "Reads the configuration again and applies what a reload can change.",
                                this::reload)
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
        Schema proxy = Schema.object("trusted:text[]");
        Schema forwarded = Schema.object("header:text trusted:text[]");
        Schema listener = Schema.object(
                "name:text tls:flag address:text",
                Schema.field("protocol", Schema.oneOf("heartwheel", "websocket", "auto")),
                Schema.field("proxy", proxy.orNull()),
                Schema.field("forwarded", forwarded.orNull()));
        return Schema.object(
                        "version:text uptime_ms:count event_loops:count ready:flag",
                        Schema.field("transport", Schema.oneOf("epoll", "io_uring", "nio")),
                        Schema.field("listeners", Schema.listOf(listener.named("Listener"))),
                        Schema.field("connections", Schema.object("open:count limit:count devices:count")))
                .named("Gateway");
    }
}
