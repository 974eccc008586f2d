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
    private final AdminPorts ports;

    GatewayEndpoints(AdminPorts ports) {
        this.ports = ports;
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
                .thenApply(report -> Response.json(report.applied() ? 200 : 422, report));
    }

    CompletionStage<Response> info(Request call) {
        return Response.json(ports.info().get()).now();
    }
}
