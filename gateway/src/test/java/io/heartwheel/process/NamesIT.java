package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names are looked up while starting, for the addresses to bind, and never again. */
@Execution(ExecutionMode.CONCURRENT)
class NamesIT {
    @TempDir
    private Path scratch;

    @Test
    void bind_nameNobodyKnows_refusesTheStartInOneLine() throws Exception {
        Path hosts = Files.writeString(scratch.resolve("hosts"), "127.0.0.1 known.example\n");
        GatewayProcess.Outcome outcome = GatewayProcess.with("listeners.tcp.bind", "unknown.example:0")
                .set("auth.mode", "none")
                .jvm("-Djdk.net.hosts.file=" + hosts)
                .run();
        assertEquals(1, outcome.exit());
        assertTrue(outcome.log().contains("listeners.tcp.bind = unknown.example:0: unknown host"), outcome::log);
    }

    /** From here on there is nobody who knows any name, not even that of the loopback address. */
    @Test
    void devices_withNobodyToAskForNames_areServed() throws Exception {
        Path hosts = Files.writeString(scratch.resolve("hosts"), "127.0.0.1 known.example\n");
        try (GatewayProcess gateway = GatewayProcess.with("listeners.tcp.bind", "known.example:0")
                .set("auth.mode", "none")
                .jvm("-Djdk.net.hosts.file=" + hosts)
                .set("log.level", "debug")
                .start()) {
            Files.writeString(hosts, "");
            try (WireClient device = WireClient.hello(gateway.tcp(), "d")) {
                device.roundTrip(1);
                assertEquals(200, gateway.status("GET", "/v1/devices/d"));
            }
            Await.until("counted", () -> gateway.metrics().closes("peer_closed") == 1);
        }
    }

    /** In the log, the ports file and the admin's answers. */
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void addresses_ofEveryKind_areToldAsOperatorsWriteThem(String kind) throws Exception {
        assumeTrue(hasSix(), "no IPv6 on this machine");
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", kind, "auth.mode", "none")
                .set("listeners.tcp.bind", "0.0.0.0:0", "listeners.websocket.bind", "[0:0:0:0:0:0:0:0]:0")
                .set("listeners.websocket.protocol", "auto", "admin.bind", "[0:0:0:0:0:0:0:1]:0")
                .start()) {
            // where the machine has IPv6 the one address of all IPv4 ones is that of all
            String all = "[::]:";
            int tcp = gateway.tcp().getPort();
            int websocket = gateway.port("websocket").getPort();
            gateway.awaitLog("listener tcp takes heartwheel on " + all + tcp);
            gateway.awaitLog("listener websocket takes auto on [::]:" + websocket);
            gateway.awaitLog("admin on [::1]:" + gateway.port("admin").getPort());
            JsonNode listeners = gateway.ask("/v1/gateway").get("listeners");
            assertEquals(all + tcp, listeners.get(0).get("address").asText());
            assertEquals("[::]:" + websocket, listeners.get(1).get("address").asText());
            try (WireClient device = WireClient.hello(new InetSocketAddress("::1", websocket), "six")) {
                JsonNode told = gateway.ask("/v1/devices/six");
                assertTrue(told.get("remote").asText().startsWith("[::1]:"), told::toString);
                device.roundTrip(1);
            }
        }
    }

    private static boolean hasSix() {
        try (ServerSocket six = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return six.isBound();
        } catch (IOException none) {
            return false;
        }
    }
}
