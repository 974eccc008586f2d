package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.NatsServer;
import io.heartwheel.cluster.NatsStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real gateway, its outlet and its cluster, and a real nats-server: what outlets.md and cluster.md say of restarts and of TLS. */
@Tag("interop")
class NatsInteropTest {
    private static final int MESSAGES = 100;

    @TempDir
    private Path directory;

    private GatewaySetup outlet(String url) {
        return GatewayProcess.with("sink.kind", "journal", "journal.directory", directory.resolve("journal"))
                .set("outlets.bus.kind", "nats", "outlets.bus.nats.servers", "[\"" + url + "\"]");
    }

    private static void say(GatewayProcess gateway, int from) throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
            for (int id = from; id < from + MESSAGES; id++) {
                device.data(id, WireFrame.WANTS_ACK | WireFrame.TEXT, "m" + id);
                assertEquals(id, device.next(WireFrame.ACK).id());
            }
        }
    }

    private static JsonNode bus(GatewayProcess gateway) throws Exception {
        return gateway.ask("/v1/outlets/bus");
    }

    private static void awaitError(GatewayProcess gateway, String part) throws Exception {
        Await.until(part, () -> bus(gateway).path("last_error").asText().contains(part));
    }

    @Test
    void events_overAKillOfTheServerAndOneOfTheGateway_arriveOnceAndInOrder() throws Exception {
        try (NatsServer server = NatsServer.start(directory)) {
            NatsStream.make(server, "EVENTS", "heartwheel.events.>", -1);
            try (GatewayProcess gateway = outlet(server.url()).start()) {
                say(gateway, 1);
                server.kill();
                say(gateway, 1 + MESSAGES);
                awaitError(gateway, "Connection refused");
                server.start();
                say(gateway, 1 + 2 * MESSAGES);
            } // kill -9
            try (GatewayProcess gateway = outlet(server.url()).start()) {
                say(gateway, 1 + 3 * MESSAGES);
                Await.until(
                        () -> "all is delivered",
                        Await.LONG,
                        () -> bus(gateway).path("lag_events").asLong() == 0);
                gateway.terminate();
            }
            List<Integer> data = new ArrayList<>();
            Set<String> ids = new HashSet<>();
            for (JsonNode event : NatsStream.read(server, "EVENTS")) {
                assertTrue(ids.add(event.get("id").asText()), event::toString);
                if (event.get("type").asText().equals("io.heartwheel.data")) {
                    data.add(event.get("data").get("id").asInt());
                }
            }
            List<Integer> said = new ArrayList<>();
            for (int id = 1; id <= 4 * MESSAGES; id++) {
                said.add(id);
            }
            assertEquals(said, data);
        }
    }

    @Test
    void tls_certificates_areLookedAtOnBothSides() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        Path authority = certificates.certificate("ca");
        try (NatsServer plain = NatsServer.start(directory)) {
            NatsStream.make(plain, "EVENTS", "heartwheel.events.>", -1);
        }
        try (NatsServer server = NatsServer.start(
                directory,
                "tls { cert_file: \"" + certificates.certificate("gateway") + "\", key_file: \""
                        + certificates.key("gateway") + "\", ca_file: \"" + authority + "\", verify: true }")) {
            String url = server.url().replace("nats:", "tls:");
            try (GatewayProcess gateway = outlet(url)
                    .set("outlets.bus.nats.ca-file", authority)
                    .set("outlets.bus.nats.certificate-file", certificates.certificate("device"))
                    .set("outlets.bus.nats.key-file", certificates.key("device"))
                    .set("cluster.enabled", "true", "cluster.node", "a")
                    .set("cluster.nats.servers", "[\"" + url + "\"]", "cluster.nats.ca-file", authority)
                    .set("cluster.nats.certificate-file", certificates.certificate("device"))
                    .set("cluster.nats.key-file", certificates.key("device"))
                    .start()) {
                say(gateway, 1);
                Await.until("NATS is there", () -> gateway.metrics().sum("heartwheel_cluster_reachable") == 1);
                Await.until("delivered", () -> bus(gateway).path("lag_events").asLong() == 0);
                gateway.terminate();
            }
            try (GatewayProcess gateway =
                    outlet(url).set("outlets.bus.nats.ca-file", authority).start()) {
                awaitError(gateway, "Received fatal alert: "); // it has to show one
            }
            Path stranger = certificates.certificate("stranger");
            try (GatewayProcess gateway = outlet(url)
                    .set("outlets.bus.nats.ca-file", stranger)
                    .set("cluster.enabled", "true", "cluster.node", "a")
                    .set("cluster.nats.servers", "[\"" + url + "\"]", "cluster.nats.ca-file", stranger)
                    .start()) {
                awaitError(gateway, "the server's certificate is signed by no authority of " + stranger);
                gateway.awaitLog("NATS " + url + ": the server's certificate is signed by no authority of " + stranger);
            }
        }
    }

    @Test
    void tls_certificateOfAnotherHost_isRefused() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        try (NatsServer server = NatsServer.start(
                        directory,
                        "tls { cert_file: \"" + certificates.certificate("other") + "\", key_file: \""
                                + certificates.key("other") + "\" }");
                GatewayProcess gateway = outlet(server.url().replace("nats:", "tls:"))
                        .set("outlets.bus.nats.ca-file", certificates.certificate("ca"))
                        .start();
                GatewayProcess plain = outlet(server.url())
                        .set("journal.directory", directory.resolve("another"))
                        .start()) {
            awaitError(
                    gateway, "the server's certificate will not do: No subject alternative names matching IP address");
            awaitError(plain, "SSL required by server");
        }
    }
}
