package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    private void reload(String... lines) throws Exception {
        gateway.configure(lines);
        assertEquals(200, gateway.status("POST", "/v1/reload"));
    }

    private int timeoutOf(String device) throws Exception {
        return gateway.ask("/v1/devices/" + device + "/why")
                .at("/deadline/timeout_ms")
                .asInt();
    }

    @Test
    void hangUp_newTimeouts_areThoseOfNewConnections() throws Exception {
        try (WireClient before = WireClient.hello(gateway.tcp(), "before")) {
            gateway.configure("heartwheel.heartbeat.grace = 3", "heartwheel.wheel.tick = 20ms");
            gateway.signal("HUP");
            gateway.awaitLog("configuration read again: 1 change in force; 1 change waits for a restart");

            try (WireClient after = WireClient.hello(gateway.tcp(), "after")) {
                assertEquals(15_000, timeoutOf("before"));
                assertEquals(30_000, timeoutOf("after"));
                before.roundTrip(1);
                after.roundTrip(1);
            }
        }
        assertEquals(1, gateway.log("in force: heartbeat.grace = 3 (was 1.5)").size());
        List<String> waiting = gateway.warnings();
        assertEquals(1, waiting.size(), waiting::toString);
        assertTrue(waiting.get(0).contains("wheel.tick = 20ms (in force: 10ms)"), waiting::toString);
        assertEquals(1, gateway.metrics().sum("heartwheel_reload_waiting_changes"));
    }

    @Test
    void reload_shadow_isTriedOnConnectedDevices() throws Exception {
        try (WireClient device = WireClient.connect(gateway.tcp())) {
            device.sayHello("slow", 5_000, 0);
            reload("heartwheel.shadow { enabled = true, heartbeat.grace = 1.1 }");
            device.expect(WireFrame.PING);
            Await.until(
                    "a mark of the shadow",
                    () -> gateway.ask("/v1/shadow").at("/all/would_have_closed").asInt() == 1);
        }
    }

    @Test
    void reload_badFile_changesNothingAndSaysWhy() throws Exception {
        try (WireClient device = WireClient.hello(gateway.tcp(), "device")) {
            gateway.configure(
                    "heartwheel.heartbeat.grace = 3",
                    "heartwheel.heartbeat.interwal = 1s",
                    "heartwheel.sink.queue = 1");

            GatewayProcess.Answer answer = gateway.admin("POST", "/v1/reload");

            assertEquals(422, answer.status(), answer::toString);
            List<String> problems = answer.json().findValuesAsText("problems");
            assertEquals(2, answer.json().get("problems").size(), problems::toString);
            assertTrue(
                    answer.body().contains("unknown key, did you mean heartwheel.heartbeat.interval?"), answer::body);
            device.roundTrip(1);
        }
        try (WireClient device = WireClient.hello(gateway.tcp(), "later")) {
            assertEquals(15_000, timeoutOf("later"));
            device.roundTrip(1);
        }
        assertEquals(1, gateway.metrics().sum("heartwheel_reloads_total", "outcome=\"refused\""));
    }

    /** The part of memory that a loop may use is less than one of them; so there is room only because such messages may be sent. */
    @Test
    void reload_largerMessages_haveRoomAsLongAsAnybodyMaySendThem() throws Exception {
        byte[] large = WireFrame.data(7, WireFrame.WANTS_ACK, new byte[4 << 20]);
        reload("heartwheel.protocol.max-payload = 4MiB");
        try (WireClient device = WireClient.hello(gateway.tcp(), "device")) {
            device.send(large).expect(WireFrame.ACK);

            reload("heartwheel.protocol.max-payload = 64KiB");
            device.send(large).expect(WireFrame.ACK);
        }
    }

    @Test
    void reload_tokenAndLimit_areForNewConnectionsAlone() throws Exception {
        try (WireClient before = WireClient.hello(gateway.tcp(), "before")) {
            reload("heartwheel.auth { mode = shared-token, token = \"a-new-token\" }");
            try (WireClient stranger = WireClient.connect(gateway.tcp())) {
                stranger.send(WireFrame.hello("stranger"));
                stranger.expectClose(4401);
            }
            Await.until("the stranger is gone", () -> gateway.metrics().connections() == 1);
            reload("heartwheel.transport.max-connections = 1");
            try (WireClient second = WireClient.connect(gateway.tcp())) {
                second.expectClose(4201);
            }
            before.roundTrip(1);
        }
        assertEquals(List.of(), gateway.log("a-new-token"));
    }
}
