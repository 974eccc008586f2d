package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of peers that begin TLS and go no further, beside devices that beat and devices that come. How many: the system property
 * {@code heartwheel.half-open}; both ends of a connection cost a descriptor, 20,000 to a process.
 */
@Tag("hazard")
class HalfOpenHandshakesIT {
    private static final int HALF_OPEN = Integer.getInteger("heartwheel.half-open", 3_000);
    private static final int DEVICES = 200;
    /** The beginning of a ClientHello that announces more than ever comes. */
    private static final byte[] HALF_HELLO = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 1, 2, 3};

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;

    private final List<Socket> crowd = new ArrayList<>();

    @BeforeAll
    static void certify() throws Exception {
        certificates = new TestCertificates(scratch);
    }

    @AfterEach
    void leave() throws IOException {
        for (Socket each : crowd) {
            each.close();
        }
    }

    private static GatewaySetup setup() throws Exception {
        return GatewayProcess.with("listeners.tls.bind", "127.0.0.1:0")
                .set("listeners.tls.tls.enabled", "true")
                .set(
                        "listeners.tls.tls.certificate-file",
                        certificates.certificate("gateway").toString())
                .set("listeners.tls.tls.key-file", certificates.key("gateway").toString())
                .jvm("-Xmx512m", "-Dio.netty.leakDetection.level=simple");
    }

    private void halfOpen(GatewayProcess gateway, int count) throws IOException {
        InetSocketAddress address = gateway.port("tls");
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            crowd.add(socket);
            try {
                socket.getOutputStream().write(HALF_HELLO);
            } catch (IOException turnedAway) {
                // refused before it could say anything: counted all the same
            }
        }
    }

    private static WireClient overTls(GatewayProcess gateway) throws Exception {
        InetSocketAddress address = gateway.port("tls");
        SSLSocket socket = (SSLSocket)
                certificates.client(null).getSocketFactory().createSocket(address.getAddress(), address.getPort());
        return new WireClient(socket);
    }

    @Test
    void halfOpen_byTheThousand_harmNobodyAndEndAtTheirDeadline() throws Exception {
        try (GatewayProcess gateway = setup().set("handshake.timeout", "20s").start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "herd"))) {
            herd.connect(DEVICES);
            halfOpen(gateway, HALF_OPEN);
            Await.until("all are under way", () -> pending(gateway) == HALF_OPEN);
            for (int i = 0; i < 20; i++) {
                try (WireClient device = overTls(gateway)) {
                    device.sayHello("honest-" + i);
                    device.roundTrip(i);
                }
            }
            Await.until("all have ended", () -> gateway.metrics().closes("handshake_timeout") == HALF_OPEN);
            assertEquals(0, pending(gateway));
            assertEquals(DEVICES, herd.count().live());
            MetricsPage metrics = gateway.metrics();
            assertEquals(DEVICES, metrics.sum("heartwheel_connections", "protocol=\"heartwheel\""));
            assertEquals(0, metrics.closes("heartbeat_timeout"));
            assertEquals(0, metrics.sum("heartwheel_handshakes_evicted_total"));
            assertEquals(0, metrics.sum("heartwheel_refusals_total"));
        }
    }

    @Test
    void halfOpen_moreThanMayBe_giveWayToWhoComes() throws Exception {
        int limit = 100;
        int many = 10 * limit;
        try (GatewayProcess gateway = setup().set("handshake.max-pending", "" + limit, "handshake.timeout", "10m")
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "herd"))) {
            for (int connected = 0; connected < DEVICES; connected += limit / 5) {
                herd.connect(limit / 5);
            }
            halfOpen(gateway, many);
            Await.until("each has ended", () -> pending(gateway) == limit && turnedAway(gateway) == many - limit);
            for (int i = 0; i < 20; i++) {
                int number = i;
                // within their first second nobody gives way
                Await.until("an honest device is in", () -> getsIn(gateway, number));
            }
            assertTrue(gateway.metrics().sum("heartwheel_handshakes_evicted_total") > 0);
            assertEquals(DEVICES, herd.count().live());
            assertTrue(pending(gateway) <= limit);
            gateway.awaitLog("handshake.max-pending");
        }
    }

    private static boolean getsIn(GatewayProcess gateway, int number) throws Exception {
        try (WireClient device = overTls(gateway)) {
            device.sayHello("honest-" + number);
            device.roundTrip(number);
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
