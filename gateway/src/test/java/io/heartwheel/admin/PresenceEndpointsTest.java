package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;

class PresenceEndpointsTest {
    @Test
    void snapshot_isAskedForAndShown() throws Exception {
        try (AdminFixture admin = new AdminFixture()) {
            admin.device("d1");
            assertEquals(
                    "{\"running\":null,\"cause\":null,\"devices\":0,\"told\":0,\"waiting\":null,\"ended\":null,\"abandoned\":0}\n",
                    admin.get("/v1/presence/snapshot").body());

            var asked = admin.call("POST", "/v1/presence/snapshot");
            assertEquals(202, asked.statusCode());
            assertEquals("{\"snapshot\":1,\"joined\":false}\n", asked.body());
            assertEquals(
                    "{\"snapshot\":1,\"joined\":true}\n",
                    admin.call("POST", "/v1/presence/snapshot").body());
            assertEquals(
                    1,
                    AdminFixture.json(admin.get("/v1/presence/snapshot"))
                            .get("waiting")
                            .asInt());

            admin.snapshots.step(admin.gateway.now());
            assertEquals(
                    "{\"running\":1,\"cause\":\"asked\",\"devices\":1,\"told\":0,\"waiting\":null,\"ended\":null,\"abandoned\":0}\n",
                    admin.get("/v1/presence/snapshot").body());
            admin.snapshots.step(admin.gateway.now() + 1_000_000_000L);
            assertEquals(
                    "{\"running\":null,\"cause\":null,\"devices\":0,\"told\":0,\"waiting\":null,\"ended\":1,\"abandoned\":0}\n",
                    admin.get("/v1/presence/snapshot").body());
        }
    }

    @Test
    void snapshot_askedByAWebPageOrWrongly_isRefused() throws Exception {
        try (AdminFixture admin = new AdminFixture()) {
            assertEquals(405, admin.call("DELETE", "/v1/presence/snapshot").statusCode());
            assertEquals(400, admin.call("POST", "/v1/presence/snapshot?rate=1").statusCode());
            assertEquals(
                    403,
                    admin.send(admin.request("/v1/presence/snapshot")
                                    .header("Origin", "http://evil.example")
                                    .POST(HttpRequest.BodyPublishers.noBody()))
                            .statusCode());
        }
    }
}
