package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.MemoryFleet;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The gateways of a fleet, as the API of one tells of them. */
class FleetEndpointsTest {
    private final MemoryFleet fleet = new MemoryFleet(1);

    private String nodes(AdminFixture asked) {
        return FleetRig.text(fleet.await(
                new FleetEndpoints(asked.part.fleet).list(FleetRig.request("GET", "/v1/nodes", new byte[0]))));
    }

    @Test
    void nodes_thatAnswer_areListed() {
        try (AdminFixture a = AdminFixture.inFleet(fleet, "a");
                AdminFixture b = AdminFixture.inFleet(fleet, "b")) {
            b.device("d");
            b.part.admits(250);
            fleet.pass(fleet.mostDelayNanos * 10);
            b.part.turn();
            fleet.pass(fleet.mostDelayNanos * 10);
            assertEquals(
                    "{\"nodes\":[{\"node\":\"a\",\"incarnation\":1,\"devices\":0,\"admit_per_second\":0,\"address\":\"\",\"self\":true},"
                            + "{\"node\":\"b\",\"incarnation\":1,\"devices\":1,\"admit_per_second\":250,\"address\":\"\",\"self\":false}]}\n",
                    nodes(a));
        }
    }

    @Test
    void nodes_engineDown_isUnknown() {
        try (AdminFixture a = AdminFixture.inFleet(fleet, "a")) {
            fleet.down = true;
            a.part.turn();
            assertTrue(nodes(a).contains("\"code\":\"unknown\""));
        }
    }

    @Test
    void nodes_withoutCluster_isSaidSo() throws Exception {
        try (AdminFixture admin = new AdminFixture()) {
            for (String path : List.of("/v1/nodes", "/v1/devices?cluster=true")) {
                HttpResponse<String> answer = admin.get(path);
                assertEquals(404, answer.statusCode());
                assertEquals("no_cluster", errorCode(answer));
            }
        }
    }
}
