package io.heartwheel.admin;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.directory.Fleet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Endpoints of the fleet. Any thread. */
final class FleetEndpoints {
    private static final Schema NODE = Schema.object(
                    "node:text incarnation:id devices:count admit_per_second:count address:text self:flag")
            .named("Node");

    /** What is told of refusals. */
    static final String NO_CLUSTER = "no_cluster: cluster.enabled is false";

    static final String NO_NATS = "unknown: NATS is not to be had";

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
                .refuses(404, NO_CLUSTER)
                .refuses(503, NO_NATS));
    }

    CompletionStage<Response> list(Request call) {
        return fleet == null ? alone().now() : list(fleet);
    }

    /** The answer of a gateway that belongs to no fleet. */
    static Response alone() {
        return Response.error(404, "no_cluster", "this gateway is alone: cluster.enabled = false");
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
        view.put("admit_per_second", status.admitPerSecond());
        view.put("address", status.address());
        view.put("self", status.node().equals(here));
        return view;
    }
}
