package io.heartwheel.admin;

import io.heartwheel.metrics.Exposition;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Endpoints of the gateway as a whole. Any thread; all answers come at once. */
final class GatewayEndpoints {
    private final AdminPorts ports;

    /** The form of {@code GET /v1/gateway}. */
    private record View(
            String version,
            long uptimeMs,
            String transport,
            int eventLoops,
            boolean ready,
            List<GatewayInfo.Listener> listeners,
            Connections connections) {}

    private record Connections(int open, int limit, long devices) {}

    GatewayEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    CompletionStage<Response> metrics(Request call) {
        List<String> accept = call.headers().getAll(HttpHeaderNames.ACCEPT);
        Exposition page = ports.metrics().render(accept.isEmpty() ? null : String.join(",", accept));
        return CompletableFuture.completedFuture(Response.of(page.contentType(), page.body()));
    }

    CompletionStage<Response> health(Request call) {
        return tell(ports.health(), "alive", "not_alive");
    }

    CompletionStage<Response> readiness(Request call) {
        return tell(ports.readiness(), "ready", "not_ready");
    }

    private static CompletionStage<Response> tell(Check check, String well, String ill) {
        List<String> problems = check.problems();
        Response answer = problems.isEmpty()
                ? Response.json(HttpResponseStatus.OK, Map.of("status", well))
                : Response.error(HttpResponseStatus.SERVICE_UNAVAILABLE, ill, String.join("; ", problems));
        return CompletableFuture.completedFuture(answer);
    }

    /** Files are read on a thread of its own; requests behind this one on the connection wait. */
    CompletionStage<Response> reload(Request call) {
        return CompletableFuture.supplyAsync(() -> ports.reload().get(), task -> new Thread(task, "reload").start())
                .thenApply(report -> Response.json(
                        report.applied() ? HttpResponseStatus.OK : HttpResponseStatus.UNPROCESSABLE_ENTITY, report));
    }

    CompletionStage<Response> info(Request call) {
        GatewayInfo info = ports.info().get();
        View view = new View(
                info.version(),
                info.uptimeMillis(),
                info.transport(),
                info.eventLoops(),
                ports.readiness().problems().isEmpty(),
                info.listeners(),
                new Connections(
                        info.connections(),
                        info.connectionsLimit(),
                        ports.registry().size()));
        return CompletableFuture.completedFuture(Response.json(HttpResponseStatus.OK, view));
    }
}
