package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Crowds that connect and go no further, beside devices that beat and devices that come. How many begin TLS: the system property
 * {@code heartwheel.half-open}; both ends of a connection cost a descriptor, 20,000 to a process.
 */
@Tag("hazard")
class CrowdIT {
    private static final int HALF_OPEN = Integer.getInteger("heartwheel.half-open", 3_000);
    private static final int SAY_NOTHING = Math.min(10_000, 18_000 - HALF_OPEN);
    private static final int EACH_ADDRESS = 2_500;
    private static final int DEVICES = 200;
    private static final int DESCRIPTORS = 300;
    private static final int ASKED = 20;
    private static final int PAUSES_A_SECOND = 5;
    /** The beginning of a ClientHello that announces more than ever comes. */
    private static final byte[] HALF_HELLO = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 1, 2, 3};

    @TempDir
    private Path scratch;

    private final List<Socket> crowd = new ArrayList<>();

    @AfterEach
    void leave() throws IOException {
        for (Socket each : crowd) {
            each.close();
        }
    }

    private GatewaySetup overTls(TestCertificates certificates) throws Exception {
        return new GatewaySetup().tls("tls", certificates).jvm("-Xmx512m", "-Dio.netty.leakDetection.level=simple");
    }

    @Test
    void connections_silentOrHalfOpenByTheThousand_harmNobodyAndEndAtTheirDeadline() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        int all = SAY_NOTHING + HALF_OPEN;
        try (GatewayProcess gateway =
                        overTls(certificates).set("handshake.timeout", "40s").start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "herd"))) {
            herd.connect(DEVICES);
            comes(gateway, certificates, 0);
            long descriptorsBefore = gateway.descriptors();
            for (int i = 0; i < SAY_NOTHING; i++) {
                crowd.add(WireClient.open(gateway.tcp(), "127.0.7." + (1 + i / EACH_ADDRESS)));
            }
            halfOpen(gateway, HALF_OPEN);
            Await.until("all are under way", () -> pending(gateway) >= all);
            for (int i = 0; i < 20; i++) {
                comes(gateway, certificates, i);
            }
            Await.until(
                    () -> "all have ended",
                    Duration.ofMinutes(2),
                    () -> gateway.metrics().closes("handshake_timeout") >= all);
            for (Socket silent : crowd.subList(0, SAY_NOTHING)) {
                assertEquals(4006, closeCode(silent));
            }
            Await.until("descriptors back", () -> gateway.descriptors() <= descriptorsBefore + 5);
            assertEquals(0, pending(gateway));
            assertEquals(DEVICES, herd.count().live());
            MetricsPage metrics = gateway.metrics();
            assertEquals(DEVICES, metrics.sum("heartwheel_connections", "protocol=\"heartwheel\""));
            assertEquals(0, metrics.closes("heartbeat_timeout"));
            assertEquals(0, metrics.sum("heartwheel_handshakes_evicted_total"));
            assertEquals(0, metrics.sum("heartwheel_refusals_total"));
            assertTrue(gateway.warnings().size() < 5, gateway.warnings()::toString);
        }
    }

    /** The code of the CLOSE that is all this peer ever hears, before an orderly end. */
    private static int closeCode(Socket silent) throws Exception {
        silent.setSoTimeout((int) Await.LONG.toMillis());
        byte[] heard = silent.getInputStream().readAllBytes();
        assertEquals(WireFrame.CLOSE, heard[0]);
        return ByteBuffer.wrap(heard).getShort(4) & 0xFFFF;
    }

    @Test
    void halfOpen_moreThanMayBe_giveWayToWhoComes() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        int limit = 100;
        int many = 10 * limit;
        try (GatewayProcess gateway = overTls(certificates)
                        .set("handshake.max-pending", limit, "handshake.timeout", "10m")
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "herd"))) {
            for (int connected = 0; connected < DEVICES; connected += limit / 5) {
                herd.connect(limit / 5);
            }
            halfOpen(gateway, many);
            Await.until("each has ended", () -> pending(gateway) <= limit && turnedAway(gateway) >= many - limit);
            for (int i = 0; i < 20; i++) {
                int number = i;
                // within their first second nobody gives way
                Await.until("an honest device is in", () -> getsIn(gateway, certificates, number));
            }
            assertTrue(gateway.metrics().sum("heartwheel_handshakes_evicted_total") > 0);
            assertEquals(DEVICES, herd.count().live());
            assertTrue(pending(gateway) <= limit);
            gateway.awaitLog("handshake.max-pending");
        }
    }

    /** The listener rests, and tries again so often; the operator is answered, connections and the sink go on, and the log stays short. */
    @Test
    void descriptors_usedUp_restTheListenerAndLeaveOneForTheOperator() throws Exception {
        Path events = scratch.resolve("events");
        try (GatewayProcess gateway = GatewayProcess.with("transport.accept-pause", "200ms")
                        .set("handshake.timeout", "60s", "sink.kind", "file", "sink.file", events)
                        .descriptors(DESCRIPTORS)
                        .start();
                WireClient early = WireClient.hello(gateway.tcp(), "early")) {
            Set<String> told = metrics(gateway).series().keySet();
            for (int i = 0; i < DESCRIPTORS + 50; i++) {
                crowd.add(WireClient.connect(gateway.tcp()).socket());
            }
            gateway.awaitLog("cannot accept");
            long beganNanos = System.nanoTime();
            double pauses = metrics(gateway).sum("heartwheel_accept_pauses_total");
            for (int i = 0; i < ASKED; i++) {
                assertTrue(ask(gateway, "/healthz").startsWith("HTTP/1.1 200 OK"), "asked " + i);
                early.data(i, WireFrame.WANTS_ACK | WireFrame.TEXT, "still here " + i);
                assertEquals(0, early.next(WireFrame.ACK).status());
                TimeUnit.MILLISECONDS.sleep(100);
            }
            MetricsPage metrics = metrics(gateway);
            double more = metrics.sum("heartwheel_accept_pauses_total") - pauses;
            double most = 2 + PAUSES_A_SECOND * (System.nanoTime() - beganNanos) / 1e9;
            assertTrue(more > 0 && more <= most, () -> more + " attempts, at most " + most);
            Set<String> missing = new TreeSet<>(told);
            missing.removeAll(metrics.series().keySet());
            assertEquals(Set.of(), missing, "no longer told when descriptors are gone");
            assertEquals(DESCRIPTORS, metrics.sum("process_max_fds"));
            assertTrue(metrics.sum("process_open_fds") >= DESCRIPTORS - 10, metrics::toString);
            leave();
            for (int i = 0; i < 20; i++) {
                try (WireClient next = WireClient.hello(gateway.tcp(), "next" + i)) {
                    next.roundTrip(i);
                }
            }
            early.roundTrip(2);
            assertEquals(ASKED, Files.readString(events).split("still here", -1).length - 1);
            assertTrue(gateway.warnings().size() <= 3, gateway.warnings()::toString);
        }
    }

    private static MetricsPage metrics(GatewayProcess gateway) throws Exception {
        String answer = ask(gateway, "/metrics");
        return MetricsPage.of(answer.substring(answer.indexOf("\r\n\r\n")));
    }

    /** On a connection of its own. */
    private static String ask(GatewayProcess gateway, String path) throws Exception {
        try (WireClient admin = WireClient.connect(gateway.port("admin"))) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            admin.send(request.getBytes(StandardCharsets.US_ASCII));
            return new String(admin.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void halfOpen(GatewayProcess gateway, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Socket socket = WireClient.connect(gateway.port("tls")).socket();
            crowd.add(socket);
            try {
                socket.getOutputStream().write(HALF_HELLO);
            } catch (IOException turnedAway) {
                // refused before it could say anything: counted all the same
            }
        }
    }

    private static void comes(GatewayProcess gateway, TestCertificates certificates, int number) throws Exception {
        InetSocketAddress tls = gateway.port("tls");
        try (WireClient device = new WireClient(
                certificates.client(null).getSocketFactory().createSocket(tls.getAddress(), tls.getPort()))) {
            device.sayHello("honest-" + number);
            device.roundTrip(number);
        }
    }

    private static boolean getsIn(GatewayProcess gateway, TestCertificates certificates, int number) throws Exception {
        try {
            comes(gateway, certificates, number);
            return true;
        } catch (IOException turnedAway) {
            return false;
        }
    }

    private static double pending(GatewayProcess gateway) throws IOException {
        return gateway.metrics().sum("heartwheel_handshakes_pending");
    }

    private static double turnedAway(GatewayProcess gateway) throws IOException {
        return gateway.metrics().sum("heartwheel_refusals_total", "reason=\"overloaded\"");
    }
}
