package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** More callers than the admin listener takes, and all that they can ask of it at once: no device notices, and it answers again when they have gone. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class AdminFloodIT {
    private static final int DEVICES = 200;
    private static final int MOST = 32;
    private static final int CALLERS = 1_500;
    private static final int AHEAD = 200;

    @Test
    void callers_byTheThousand_areTurnedAwayAndTouchNobody() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with(
                                "admin.max-connections", "" + MOST, "heartbeat.interval", "2s")
                        .start();
                HerdProcess herd = new HerdProcess(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            InetSocketAddress admin = gateway.port("admin");
            List<Socket> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                Socket caller = new Socket(admin.getAddress(), admin.getPort());
                callers.add(caller);
                ask(caller, i);
            }
            for (Socket caller : callers) {
                caller.close();
            }
            Await.until("it answers again", () -> answers(gateway));
            MetricsPage page = gateway.metrics();
            double refused = page.sum("heartwheel_admin_refusals_total");
            assertTrue(refused > 0 && refused <= CALLERS + 1_000, () -> refused + " turned away");
            assertTrue(page.sum("heartwheel_admin_requests_total", "status=\"2xx\"") > 0, page::toString);
            assertEquals(0, page.sum("heartwheel_admin_requests_total", "status=\"5xx\""), page::toString);
            assertTrue(page.sum("heartwheel_admin_connections") <= MOST, page::toString);
            assertEquals(0, page.sum("heartwheel_closes_total"), page::toString);
            assertEquals(DEVICES, herd.count().live());
            assertTrue(gateway.warnings().isEmpty(), gateway.warnings()::toString);
        }
    }

    /** Pages without end, requests sent ahead that are never read, bodies that never come, and garbage. */
    private static void ask(Socket caller, int number) {
        String text =
                switch (number % 4) {
                    case 0 -> "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(AHEAD);
                    case 1 -> "GET /v1/devices?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(AHEAD);
                    case 2 ->
                        "POST /v1/devices/beating-1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n";
                    default -> "\u0000\u0001 nonsense\r\n\r\n".repeat(AHEAD);
                };
        try {
            OutputStream out = caller.getOutputStream();
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException turnedAway) {
            // counted by the gateway
        }
    }

    private static boolean answers(GatewayProcess gateway) {
        try {
            return gateway.admin("GET", "/metrics").status() == 200;
        } catch (IOException turnedAway) {
            return false;
        }
    }
}
