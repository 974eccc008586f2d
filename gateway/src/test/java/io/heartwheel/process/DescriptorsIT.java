package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No descriptor left: the admin listener still answers, connections and the sink go on, and the log stays short. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class DescriptorsIT {
    private static final int DESCRIPTORS = 300;
    private static final int ASKED = 20;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void descriptors_usedUp_leaveOneForTheOperator(String kind) throws Exception {
        Path events = scratch.resolve("events");
        try (GatewayProcess gateway = GatewayProcess.with("transport.kind", kind, "transport.accept-pause", "200ms")
                .set("handshake.timeout", "60s", "sink.kind", "file", "sink.file", events.toString())
                .descriptors(DESCRIPTORS)
                .start()) {
            WireClient early = WireClient.hello(gateway.tcp(), "early");
            Set<String> told = metrics(gateway).series().keySet();
            List<Socket> crowd = new ArrayList<>();
            for (int i = 0; i < DESCRIPTORS + 50; i++) {
                crowd.add(new Socket(gateway.tcp().getAddress(), gateway.tcp().getPort()));
            }
            gateway.awaitLog("cannot accept");
            for (int i = 0; i < ASKED; i++) {
                assertTrue(ask(gateway.port("admin")).startsWith("HTTP/1.1 200 OK"), "asked " + i);
                early.data(i, WireFrame.WANTS_ACK | WireFrame.TEXT, "still here " + i);
                assertEquals(0, early.next(WireFrame.ACK).status());
            }
            MetricsPage metrics = metrics(gateway);
            assertTrue(metrics.sum("heartwheel_accept_pauses_total") > 0, metrics::toString);
            Set<String> missing = new TreeSet<>(told);
            missing.removeAll(metrics.series().keySet());
            assertEquals(Set.of(), missing, "no longer told when descriptors are gone");
            assertEquals(DESCRIPTORS, metrics.sum("process_max_fds"));
            assertTrue(metrics.sum("process_open_fds") >= DESCRIPTORS - 10, metrics::toString);
            for (Socket each : crowd) {
                each.close();
            }
            try (WireClient next = WireClient.hello(gateway.tcp(), "next")) {
                next.roundTrip(1);
            }
            early.roundTrip(2);
            early.close();
            assertEquals(ASKED, Files.readString(events).split("still here", -1).length - 1);
            assertTrue(gateway.log(" WARN ").size() <= 8, gateway.log(" WARN ")::toString);
        }
    }

    private static MetricsPage metrics(GatewayProcess gateway) throws Exception {
        String answer = ask(gateway.port("admin"), "/metrics");
        return MetricsPage.of(answer.substring(answer.indexOf("\r\n\r\n")));
    }

    private static String ask(InetSocketAddress admin) throws Exception {
        return ask(admin, "/healthz");
    }

    /** On a connection of its own. */
    private static String ask(InetSocketAddress admin, String path) throws Exception {
        try (Socket socket = new Socket(admin.getAddress(), admin.getPort())) {
            socket.setSoTimeout((int) Await.LONG.toMillis());
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
