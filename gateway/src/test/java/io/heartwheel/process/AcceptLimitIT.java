package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More connections than there is room for: those that are in stay, those that are not are told or wait, and room that comes free is used. */
@Execution(ExecutionMode.CONCURRENT)
class AcceptLimitIT {
    private static final int LIMIT = 5;
    private static final int DESCRIPTORS = 300;

    @Test
    void connections_overTheLimit_areRefusedUntilOneLeaves() throws Exception {
        try (GatewayProcess gateway =
                GatewayProcess.with("transport.max-connections", "" + LIMIT).start()) {
            List<WireClient> devices = new ArrayList<>();
            for (int i = 0; i < LIMIT; i++) {
                devices.add(WireClient.hello(gateway.tcp(), "d" + i));
            }
            for (int i = 0; i < 20; i++) {
                try (WireClient late = WireClient.connect(gateway.tcp())) {
                    late.send(WireFrame.hello("late")).expectClose(4201);
                }
                try (WebSocketWire late = WebSocketWire.connect(gateway.webSocket())) {
                    assertEquals(503, late.request("/ws/late", "").status());
                    late.drainToEnd();
                }
            }
            devices.get(0).close();
            Await.until("room for one", () -> isTaken(gateway));
            for (WireClient device : devices.subList(1, LIMIT)) {
                device.roundTrip(1);
                device.close();
            }
            MetricsPage metrics = gateway.metrics();
            assertTrue(metrics.closes("connection_limit") >= 40, metrics::toString);
            assertEquals(
                    metrics.closes("connection_limit"),
                    metrics.sum("heartwheel_refusals_total", "reason=\"connection_limit\""));
        }
    }

    @Tag("timed")
    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void descriptors_usedUp_restsTheListenerAndGoesOn(String kind) throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", kind, "transport.accept-pause", "200ms")
                .set("handshake.timeout", "60s")
                .descriptors(DESCRIPTORS)
                .start()) {
            WireClient early = WireClient.hello(gateway.tcp(), "early");
            List<Socket> crowd = new ArrayList<>();
            for (int i = 0; i < DESCRIPTORS + 50; i++) {
                crowd.add(new Socket(gateway.tcp().getAddress(), gateway.tcp().getPort()));
            }
            gateway.awaitLog("cannot accept");
            Duration before = gateway.cpu();
            // a span of time to measure over, not a wait for something to happen
            TimeUnit.SECONDS.sleep(3);
            Duration used = gateway.cpu().minus(before);
            assertTrue(used.toMillis() < 1_000, () -> used + " of CPU in 3 s with nothing to do");
            early.roundTrip(1);
            for (Socket each : crowd) {
                each.close();
            }
            for (int i = 0; i < 20; i++) {
                try (WireClient next = WireClient.hello(gateway.tcp(), "next" + i)) {
                    next.roundTrip(i);
                }
            }
            early.roundTrip(2);
            early.close();
            assertTrue(gateway.log(" WARN ").size() <= 3, gateway.log(" WARN ")::toString);
        }
    }

    private static boolean isTaken(GatewayProcess gateway) throws Exception {
        try (WireClient next = WireClient.connect(gateway.tcp())) {
            return next.send(WireFrame.hello("next")).read().type() == WireFrame.WELCOME;
        }
    }
}
