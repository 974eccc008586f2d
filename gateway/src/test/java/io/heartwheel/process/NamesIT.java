package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

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
                assertEquals(200, gateway.admin("GET", "/v1/devices/d").status());
            }
            Await.until("counted", () -> gateway.metrics().closes("peer_closed") == 1);
        }
    }
}
