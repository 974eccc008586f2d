package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PresenceEndpointsTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    @Test
    void snapshot_isAskedForAndShown() throws Exception {
        admin.device("d1");
        String none =
                "{\"running\":null,\"cause\":null,\"devices\":0,\"told\":0,\"waiting\":null,\"ended\":%s,\"abandoned\":0}";
        assertEquals(none.formatted("null"), shown());
        var asked = admin.call("POST", "/v1/presence/snapshot");
        assertEquals(202, asked.statusCode());
        assertEquals("{\"snapshot\":1,\"joined\":false}\n", asked.body());
        asked = admin.call("POST", "/v1/presence/snapshot");
        assertEquals("{\"snapshot\":1,\"joined\":true}\n", asked.body());
        assertEquals(1, admin.told("/v1/presence/snapshot").get("waiting").asInt());

        admin.snapshots.step(admin.gateway.now());
        assertEquals(
                none.replace("null,\"cause\":null,\"devices\":0", "1,\"cause\":\"asked\",\"devices\":1")
                        .formatted("null"),
                shown());

        admin.snapshots.step(admin.gateway.now() + 1_000_000_000L);
        assertEquals(none.formatted("1"), shown());
    }

    private String shown() throws Exception {
        return admin.told("/v1/presence/snapshot").toString();
    }

    @Test
    void snapshot_askedByAWebPageOrWrongly_isRefused() throws Exception {
        assertEquals(405, admin.status("DELETE", "/v1/presence/snapshot"));
        assertEquals(400, admin.status("POST", "/v1/presence/snapshot?rate=1"));
        var fromAPage = admin.request("/v1/presence/snapshot").header("Origin", "http://evil.example");
        assertEquals(
                403,
                admin.send(fromAPage.POST(HttpRequest.BodyPublishers.noBody())).statusCode());
    }
}
