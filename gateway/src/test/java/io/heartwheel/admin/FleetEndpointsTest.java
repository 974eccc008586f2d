package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.cluster.directory.Whereabouts;
import io.heartwheel.cluster.directory.Whereabouts.Place;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The fleet, as the API of one gateway tells of it. */
class FleetEndpointsTest {
    private static final NodeId HERE = new NodeId("a", 7);

    /** A fleet that says this of devices, and these of nodes. */
    private record FakeFleet(Whereabouts where, CompletionStage<List<NodeStatus>> nodes, boolean isSure)
            implements Fleet {
        FakeFleet(Whereabouts where, CompletionStage<List<NodeStatus>> nodes) {
            this(where, nodes, true);
        }

        @Override
        public NodeId node() {
            return HERE;
        }

        @Override
        public CompletionStage<Whereabouts> locate(String deviceId) {
            return CompletableFuture.completedFuture(where);
        }
    }

    private static HttpResponse<String> device(Whereabouts where) throws Exception {
        try (AdminFixture admin = AdminFixture.inFleet(new FakeFleet(where, new CompletableFuture<>()))) {
            return admin.get("/v1/devices/d");
        }
    }

    @Test
    void device_elsewhere_isToldWithItsNode() throws Exception {
        HttpResponse<String> answer = device(new Whereabouts(Place.ELSEWHERE, "b", 9, 8, ""));
        assertEquals(404, answer.statusCode());
        assertEquals("elsewhere", errorCode(answer));
        JsonNode body = json(answer);
        assertEquals("b", body.get("node").asText());
        assertEquals(9, body.get("epoch").asLong());
        assertEquals(8, body.get("session").asLong());
    }

    @Test
    void device_ofWhichNobodyKnows_isUnknownAndNotOffline() throws Exception {
        HttpResponse<String> answer = device(new Whereabouts(Place.UNKNOWN, "", 0, 0, "NATS is not to be had"));
        assertEquals(503, answer.statusCode());
        assertEquals("unknown", errorCode(answer));
    }

    @Test
    void device_nowhere_isOffline() throws Exception {
        HttpResponse<String> answer = device(Whereabouts.OFFLINE);
        assertEquals(404, answer.statusCode());
        assertEquals("offline", errorCode(answer));
    }

    @Test
    void device_here_isShownWhateverTheFleetSays() throws Exception {
        try (AdminFixture admin = AdminFixture.inFleet(new FakeFleet(Whereabouts.OFFLINE, new CompletableFuture<>()))) {
            admin.device("d");
            assertEquals(200, admin.get("/v1/devices/d").statusCode());
        }
    }

    @Test
    void device_hereAfterAStandstill_isUnknownUntilTheGatewayIsSure() throws Exception {
        try (AdminFixture admin =
                AdminFixture.inFleet(new FakeFleet(Whereabouts.OFFLINE, new CompletableFuture<>(), false))) {
            admin.device("d");
            HttpResponse<String> answer = admin.get("/v1/devices/d");
            assertEquals(503, answer.statusCode());
            assertEquals("unknown", errorCode(answer));
        }
    }

    @Test
    void nodes_thatAnswer_areListed() throws Exception {
        FakeFleet fleet = new FakeFleet(
                Whereabouts.OFFLINE,
                CompletableFuture.completedFuture(
                        List.of(new NodeStatus(HERE, 3), new NodeStatus(new NodeId("b", 8), 4))));
        try (AdminFixture admin = AdminFixture.inFleet(fleet)) {
            assertEquals(
                    "{\"nodes\":[{\"node\":\"a\",\"incarnation\":7,\"devices\":3,\"self\":true},"
                            + "{\"node\":\"b\",\"incarnation\":8,\"devices\":4,\"self\":false}]}\n",
                    admin.get("/v1/nodes").body());
        }
    }

    @Test
    void nodes_engineDown_isUnknown() throws Exception {
        FakeFleet fleet =
                new FakeFleet(Whereabouts.OFFLINE, CompletableFuture.failedFuture(new IllegalStateException("down")));
        try (AdminFixture admin = AdminFixture.inFleet(fleet)) {
            HttpResponse<String> answer = admin.get("/v1/nodes");
            assertEquals(503, answer.statusCode());
            assertEquals("unknown", errorCode(answer));
        }
    }

    @Test
    void nodes_withoutCluster_isSaidSo() throws Exception {
        try (AdminFixture admin = new AdminFixture()) {
            HttpResponse<String> answer = admin.get("/v1/nodes");
            assertEquals(404, answer.statusCode());
            assertTrue(answer.body().contains("no_cluster"));
        }
    }
}
