package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** More connections than there is room for: those that are in stay, those that are not are told, and room that comes free is used. */
@Execution(ExecutionMode.CONCURRENT)
class AcceptLimitIT {
    private static final int LIMIT = 5;

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

    private static boolean isTaken(GatewayProcess gateway) throws Exception {
        try (WireClient next = WireClient.connect(gateway.tcp())) {
            return next.send(WireFrame.hello("next")).read().type() == WireFrame.WELCOME;
        }
    }
}
