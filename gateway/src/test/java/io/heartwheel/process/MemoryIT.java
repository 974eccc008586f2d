package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway with little memory: newcomers are refused before it runs out, connected devices notice nothing, and freed memory is used. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class MemoryIT {
    private static final int BEATERS = 20;
    private static final int FRAGMENT_BYTES = 60_000;

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseG1GC"})
    void heap_nearlyFull_refusesNewcomersUntilItIsReleased(String collector) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("memory.refuse-above", "0.7", "memory.admit-below", "0.6")
                .set("memory.unfinished", "0.99", "evidence.closes", "0", "evidence.handshakes", "0")
                .set("read-progress.timeout", "10m")
                // above 0.7 there is room for what a fast start of a hundred handshakes leaves behind until the next
                // reading
                .jvm("-XX:-UseSerialGC", collector, "-Xmx64m", "-XX:MaxDirectMemorySize=256m")
                // what watches each buffer would fill the heap by itself
                .jvm("-Dio.netty.leakDetection.level=simple")
                .start()) {
            List<WireClient> beaters = beaters(gateway);
            List<WebSocketWire> holders = new ArrayList<>();
            // a collection may find room again: then more is held
            Await.until("newcomers are refused", () -> {
                while (hold(gateway, holders)) {
                    if (holders.size() % 50 == 0) {
                        beat(beaters);
                    }
                }
                return isRefused(gateway);
            });
            assertTrue(holders.size() > 100, () -> holders.size() + " held memory");
            beat(beaters);
            for (WebSocketWire holder : holders) {
                holder.close();
            }
            Await.until("taken again", () -> isTaken(gateway));
            Await.until("ready again", () -> gateway.admin("GET", "/readyz").status() == 200);
            beat(beaters);
            MetricsPage metrics = gateway.metrics();
            assertEquals(0, metrics.sum("heartwheel_unfinished_bytes"));
            assertTrue(metrics.sum("heartwheel_refusals_total", "reason=\"overloaded\"") >= 2, metrics::toString);
            assertEquals(0, metrics.closes("internal_error"));
            assertEquals(
                    metrics.sum("heartwheel_memory_shortages_total"),
                    gateway.log("memory is short").size());
            assertFalse(gateway.log().contains("OutOfMemory"), gateway::toString);
            close(beaters);
        }
    }

    /** One byte less than a message of the greatest size each, from more peers than there is memory for. */
    @Test
    void frames_unfinishedByTheHundred_holdNoMoreThanTheirShare() throws Exception {
        int message = 1 << 20;
        try (GatewayProcess gateway = GatewayProcess.with("protocol.max-payload", "1MiB")
                .set("read-progress.timeout", "10m")
                .jvm("-Xmx64m", "-Dio.netty.leakDetection.level=simple")
                .start()) {
            List<WireClient> beaters = beaters(gateway);
            byte[] frame = WireFrame.data(1, 0, new byte[message]);
            List<WireClient> hostile = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                WireClient peer = WireClient.hello(gateway.tcp(), "hostile-" + i);
                hostile.add(peer);
                sendAllButOne(peer, frame);
                if (i % 20 == 0) {
                    beat(beaters);
                }
            }
            Await.until("some are closed", () -> gateway.metrics().closes("overloaded") > 100);
            // a quarter of 64 MiB, and what the last one brought on each loop
            double held = gateway.metrics().sum("heartwheel_unfinished_bytes");
            assertTrue(held <= (16 << 20) + 4 * message, () -> held + " bytes");
            beat(beaters);
            close(hostile);
            Await.until("all is released", () -> gateway.metrics().sum("heartwheel_unfinished_bytes") == 0);
            try (WireClient large = WireClient.hello(gateway.tcp(), "large")) {
                large.send(WireFrame.data(7, WireFrame.WANTS_ACK, new byte[message]))
                        .expect(WireFrame.ACK);
            }
            assertFalse(gateway.log().contains("OutOfMemory"), gateway::toString);
            close(beaters);
        }
    }

    private static void sendAllButOne(WireClient peer, byte[] frame) {
        try {
            peer.socket().getOutputStream().write(frame, 0, frame.length - 1);
        } catch (IOException closedMeanwhile) {
            // one that was told OVERLOADED need not take the rest
        }
    }

    private static boolean hold(GatewayProcess gateway, List<WebSocketWire> holders) throws Exception {
        WebSocketWire holder = WebSocketWire.connect(gateway.webSocket());
        holders.add(holder);
        byte[] fragment = new byte[8 + FRAGMENT_BYTES];
        fragment[0] = 2;
        fragment[1] = (byte) 0xFE;
        fragment[2] = (byte) (FRAGMENT_BYTES >>> 8);
        fragment[3] = (byte) FRAGMENT_BYTES;
        try {
            if (holder.request("/ws/holder-" + holders.size(), "").status() == 503) {
                return false;
            }
            holder.send(fragment);
            return true;
        } catch (IOException closed) {
            return false; // a refused one whose request came when nobody waited for it any longer
        }
    }

    private static boolean isRefused(GatewayProcess gateway) throws Exception {
        try (WireClient late = WireClient.connect(gateway.tcp())) {
            WireFrame answer = late.send(WireFrame.hello("late")).read();
            GatewayProcess.Answer ready = gateway.admin("GET", "/readyz");
            assertEquals(200, gateway.admin("GET", "/healthz").status());
            return answer.type() == WireFrame.CLOSE
                    && answer.code() == 4202
                    && answer.words().contains("memory")
                    && ready.status() == 503
                    && ready.body().contains("short of memory");
        }
    }

    private static boolean isTaken(GatewayProcess gateway) throws Exception {
        try (WireClient next = WireClient.connect(gateway.tcp())) {
            return next.send(WireFrame.hello("next")).read().type() == WireFrame.WELCOME;
        }
    }

    private static List<WireClient> beaters(GatewayProcess gateway) throws Exception {
        List<WireClient> beaters = new ArrayList<>();
        for (int i = 0; i < BEATERS; i++) {
            beaters.add(WireClient.hello(gateway.tcp(), "beater-" + i));
        }
        return beaters;
    }

    private static void beat(List<WireClient> beaters) throws Exception {
        for (WireClient beater : beaters) {
            beater.roundTrip(1);
        }
    }

    private static void close(List<WireClient> clients) throws Exception {
        for (WireClient client : clients) {
            client.close();
        }
    }
}
