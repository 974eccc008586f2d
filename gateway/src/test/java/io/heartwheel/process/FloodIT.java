package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Peers that send as fast as they can, in every protocol: devices on the same loops go on, the dead among them are found, and each flooder ends with its
 * own code.
 */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class FloodIT {
    private static final int FLOODERS = 60;
    private static final int DEAF = 10;
    private static final int DEVICES = 100;
    private static final int SILENT = 30;

    private static final byte[] PING = WireFrame.encode(WireFrame.PING, 0);
    private static final byte[] MASKED_PING = {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0};

    private static byte[] request(String target) {
        return ("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void flooders_ofEveryProtocol_holdUpNobodyAndAreClosedFor4205() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with(
                                "limits.close-after", "4s", "limits.burst", "1s", "heartbeat.interval", "2s")
                        .set("heartbeat.min", "1s")
                        // what watches each buffer would be the flood
                        .jvm("-Dio.netty.leakDetection.level=simple")
                        .start();
                HerdProcess herd = new HerdProcess(Herd.Settings.of(gateway.tcp(), "beating"));
                Flooders flooders = new Flooders()) {
            herd.connect(DEVICES);
            for (int i = 0; i < FLOODERS; i++) {
                byte[] hello = WireFrame.hello("flood-" + i);
                flooders.connect(gateway.tcp(), new Flooders.Kind(hello, PING, true));
            }
            for (int i = 0; i < DEAF; i++) {
                byte[] hello = WireFrame.hello("deaf-" + i);
                flooders.connect(gateway.tcp(), new Flooders.Kind(hello, PING, false));
                flooders.connect(gateway.webSocket(), new Flooders.Kind(request("/ws/plain-" + i), MASKED_PING, true));
            }
            int all = FLOODERS + 2 * DEAF;
            Await.until("they flood", () -> flooders.begun() == all);
            herd.silence(0, SILENT);
            Await.until("the dead are found", () -> gateway.metrics().closes("heartbeat_timeout") >= SILENT);
            Await.until(
                    () -> "the flooders are closed " + flooders.endedWith,
                    Await.LONG,
                    () -> gateway.metrics().closes("rate_exceeded") >= all);
            Await.until("and gone", () -> flooders.endedWith.size() >= all - DEAF);
            MetricsPage page = gateway.metrics();
            assertEquals(DEVICES - SILENT, herd.count().live());
            assertTrue(page.sum("heartwheel_rate_pauses_total") >= all, page::toString);
            assertEquals(0, page.sum("heartwheel_unfinished_bytes"), page::toString);
            long told = flooders.endedWith.stream().filter(code -> code == 4205).count();
            assertTrue(told >= all - 2 * DEAF, () -> told + " were told why: " + flooders.endedWith);
            assertTrue(gateway.warnings().isEmpty(), gateway.warnings()::toString);
            GatewayProcess.Answer why = gateway.admin("GET", "/v1/devices/flood-1/why");
            assertTrue(why.body().contains("more than 1000 frames or 4194304 bytes a second for 4 s"), why::body);
        }
    }
}
