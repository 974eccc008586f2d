package io.heartwheel.admin;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.cluster.directory.Whereabouts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Endpoints of the fleet, and what it knows of devices that are not here. Any thread. */
final class FleetEndpoints {
    private static final Schema NODE =
            Schema.object("node:text incarnation:id devices:count self:flag").named("Node");

    /** Form of the refusal for a device that is elsewhere, or offline. */
    static final Schema NOT_HERE = Schema.problem(Schema.fields("node?:text session?:id epoch?:id"));

    private final @Nullable Fleet fleet;

    FleetEndpoints(@Nullable Fleet fleet) {
        this.fleet = fleet;
    }

    List<Route> routes() {
        return List.of(Route.get(
                        "/v1/nodes",
                        "The gateways of the fleet that this one has heard of in the last 3 s.",
                        this::list)
                .answers(200, "all, with this one", Schema.object(Schema.field("nodes", Schema.listOf(NODE))))
                .refuses(404, "no_cluster: cluster.enabled is false")
                .refuses(503, "unknown: NATS is not to be had"));
    }

    CompletionStage<Response> list(Request call) {
        return fleet == null
                ? Response.error(404, "no_cluster", "this gateway is alone: cluster.enabled = false")
                        .now()
                : list(fleet);
    }

    private static CompletionStage<Response> list(Fleet asked) {
        return asked.nodes()
                .handle((all, failure) -> failure == null
                        ? Response.json(Map.of(
                                "nodes",
                                all.stream()
                                        .map(each -> view(each, asked.node()))
                                        .toList()))
                        : Response.error(503, "unknown", "NATS is not to be had"));
    }

    private static Map<String, Object> view(NodeStatus status, NodeId here) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("node", status.node().name());
        view.put("incarnation", status.node().incarnation());
        view.put("devices", status.devices());
        view.put("self", status.node().equals(here));
        return view;
    }

    /** The answer for a device that is not here. */
    static Response notHere(Whereabouts where, Response offline) {
        return switch (where.place()) {
            case OFFLINE -> offline;
            case UNKNOWN -> Response.error(503, "unknown", where.text());
            case ELSEWHERE -> {
                Map<String, Object> more = new LinkedHashMap<>();
                more.put("node", where.node());
                more.put("session", where.sessionId());
                more.put("epoch", where.epoch());
                yield Response.error(404, "elsewhere", "the device is connected to node " + where.node(), more);
            }
        };
    }
}
