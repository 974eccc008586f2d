package io.heartwheel.cluster.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.nats.client.api.ServerInfo;
import org.junit.jupiter.api.Test;

class NatsEngineTest {
    @Test
    void server_before210_isNamed() {
        assertEquals("NATS 2.9.10 at h:4222: need 2.10 or later", NatsEngine.complaint(server("2.9.10")));
        assertNull(NatsEngine.complaint(server("2.10.27")));
        assertNull(NatsEngine.complaint(server("2.12.1")));
    }

    private static ServerInfo server(String version) {
        return new ServerInfo("{\"server_id\":\"S\",\"version\":\"" + version + "\",\"host\":\"h\",\"port\":4222}");
    }
}
