package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The configuration file is changed under a running gateway. */
@Execution(ExecutionMode.CONCURRENT)
class ReloadIT {
    private GatewayProcess gateway;

    @BeforeEach
    void start() throws Exception {
        gateway = GatewayProcess.with("heartbeat.interval", "10s", "heartbeat.grace", "1.5")
                .set("memory.unfinished", "0.01")
                .start();
    }

    @AfterEach
    void end() throws Exception {
        gateway.close();
    }

    /** Lines below all others, so that they win. */
    private void change(String... lines) throws Exception {
        Path file = gateway.directory().resolve("gateway.conf");
        Files.write(file, List.of(lines), StandardOpenOption.APPEND);
    }

    private JsonNode deadlineOf(String device) throws Exception {
        return gateway.admin("GET", "/v1/devices/" + device + "/why").json().get("deadline");
    }

    @Test
    void hangUp_newTimeouts_areThoseOfNewConnections() throws Exception {
        try (WireClient before = WireClient.hello(gateway.tcp(), "before")) {
            change("heartwheel.heartbeat.grace = 3", "heartwheel.wheel.tick = 20ms");
            gateway.signal("HUP");
            gateway.awaitLog("configuration read again: 1 change in force; 1 change waits for a restart");

            try (WireClient after = WireClient.hello(gateway.tcp(), "after")) {
                assertEquals(15_000, deadlineOf("before").get("timeout_ms").asInt());
                assertEquals(30_000, deadlineOf("after").get("timeout_ms").asInt());
                before.roundTrip(1);
                after.roundTrip(1);
            }
        }
        assertEquals(1, gateway.log("in force: heartbeat.grace = 3 (was 1.5)").size());
        assertEquals(
                1,
                gateway.log("WARN").stream()
                        .filter(line -> line.contains("wheel.tick = 20ms (in force: 10ms)"))
                        .count());
        assertEquals(1, gateway.metrics().sum("heartwheel_reload_waiting_changes"));
    }

    @Test
    void reload_badFile_changesNothingAndSaysWhy() throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "device")) {
            change("heartwheel.heartbeat.grace = 3", "heartwheel.heartbeat.interwal = 1s", "heartwheel.sink.queue = 1");

            GatewayProcess.Answer answer = gateway.admin("POST", "/v1/reload");

            assertEquals(422, answer.status(), answer::toString);
            List<String> problems = answer.json().findValuesAsText("problems");
            assertEquals(2, answer.json().get("problems").size(), problems::toString);
            assertTrue(
                    answer.body().contains("unknown key, did you mean heartwheel.heartbeat.interval?"), answer::body);
            device.roundTrip(1);
        }
        try (WireClient device = WireClient.hello(gateway.tcp(), "later")) {
            assertEquals(15_000, deadlineOf("later").get("timeout_ms").asInt());
            device.roundTrip(1);
        }
        assertEquals(1, gateway.metrics().sum("heartwheel_reloads_total", "outcome=\"refused\""));
    }

    @Test
    void reload_token_isAskedOfNewConnectionsAlone() throws Exception {
        try (WireClient before = WireClient.hello(gateway.tcp(), "before")) {
            change("heartwheel.auth { mode = shared-token, token = \"a-new-token\" }");
            assertEquals(200, gateway.admin("POST", "/v1/reload").status());
            try (WireClient stranger = WireClient.connect(gateway.tcp())) {
                stranger.send(WireFrame.hello("stranger"));
                stranger.expectClose(4401);
            }
            before.roundTrip(1);
        }
        assertEquals(List.of(), gateway.log("a-new-token"));
    }

    @Test
    void reload_fewerConnections_refusesNewOnesAndKeepsTheOld() throws Exception {
        try (WireClient first = WireClient.hello(gateway.tcp(), "first")) {
            change("heartwheel.transport.max-connections = 1");
            assertEquals(200, gateway.admin("POST", "/v1/reload").status());
            try (WireClient second = WireClient.connect(gateway.tcp())) {
                second.expectClose(4201);
            }
            first.roundTrip(1);
        }
    }

    /** The part of memory that a loop may use is less than one of them; so there is room only because such messages may be sent. */
    @Test
    void reload_largerMessages_haveRoomAsLongAsAnybodyMaySendThem() throws Exception {
        byte[] large = WireFrame.data(7, WireFrame.WANTS_ACK, new byte[4 << 20]);
        change("heartwheel.protocol.max-payload = 4MiB");
        assertEquals(200, gateway.admin("POST", "/v1/reload").status());
        try (WireClient device = WireClient.hello(gateway.tcp(), "device")) {
            device.send(large).expect(WireFrame.ACK);

            change("heartwheel.protocol.max-payload = 64KiB");
            assertEquals(200, gateway.admin("POST", "/v1/reload").status());
            device.send(large).expect(WireFrame.ACK);
        }
    }

    @Test
    void reload_shadow_isTriedOnConnectedDevices() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("slow", 1_000, 0);
            device.roundTrip(1);
            change("heartwheel.shadow { enabled = true, heartbeat.grace = 1.1 }");
            assertEquals(200, gateway.admin("POST", "/v1/reload").status());
            device.expect(WireFrame.PING);
            Await.until(
                    "a mark of the shadow",
                    () -> gateway.admin("GET", "/v1/shadow")
                                    .json()
                                    .at("/all/would_have_closed")
                                    .asInt()
                            == 1);
        }
    }
}
