package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Peers that send one byte at a time, on every listener and in every phase: each is closed by its deadline with its own reason, while devices on the
 * same loops go on.
 */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class SlowlorisIT {
    private static final int DEVICES = 120;
    private static final int PEERS = 12;
    private static final long DRIP_MILLIS = 100;

    @TempDir
    private Path scratch;

    /** First bytes of a peer, the bytes it then sends one by one, and the reason of its close; none: the admin listener's. */
    private record Row(String name, Opening opening, byte[] drip, String reason) {}

    private interface Opening {
        Socket open(int number) throws Exception;
    }

    @Test
    void everyListener_byteByByte_isEndedByItsDeadlineAndTouchesNobody() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        // time enough for the handshakes of those that are tried later; a HELLO that drips ends by the handshake's
        // deadline
        try (GatewayProcess gateway = GatewayProcess.with("handshake.timeout", "10s", "read-progress.timeout", "12s")
                        .set("listeners.auto.bind", "127.0.0.1:0", "listeners.auto.protocol", "auto")
                        .tls("secure", certificates)
                        .start();
                HerdProcess herd = new HerdProcess(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            List<Row> rows = rows(gateway, certificates);
            Map<Socket, byte[]> drippers = new LinkedHashMap<>();
            for (Row row : rows) {
                for (int i = 0; i < PEERS; i++) {
                    drippers.put(row.opening.open(i), row.drip);
                }
            }
            long wantedAdmin =
                    PEERS * rows.stream().filter(row -> row.reason.isEmpty()).count();
            long wantedCloses = PEERS * (long) rows.size() - wantedAdmin;
            AtomicInteger step = new AtomicInteger();
            Await.until("each has ended", () -> {
                int at = step.getAndIncrement();
                drippers.forEach((socket, bytes) -> drip(socket, bytes[at % bytes.length]));
                TimeUnit.MILLISECONDS.sleep(DRIP_MILLIS);
                MetricsPage now = gateway.metrics();
                return now.sum("heartwheel_closes_total") >= wantedCloses
                        && now.sum("heartwheel_admin_requests_total", "status=\"4xx\"") >= wantedAdmin;
            });
            MetricsPage page = gateway.metrics();
            for (String reason : List.of("handshake_timeout", "read_stalled")) {
                long wanted = PEERS
                        * rows.stream().filter(row -> row.reason.equals(reason)).count();
                assertEquals(wanted, page.closes(reason), reason + " in " + page);
            }
            assertEquals(wantedCloses, page.sum("heartwheel_closes_total"), "for no other reason");
            assertEquals(wantedAdmin, page.sum("heartwheel_admin_requests_total", "status=\"4xx\""));
            assertEquals(DEVICES, herd.count().live());
            assertEquals(0, page.sum("heartwheel_unfinished_bytes"));
            assertTrue(gateway.warnings().isEmpty(), gateway.warnings()::toString);
            for (Socket dripper : drippers.keySet()) {
                dripper.close();
            }
        }
    }

    private static void drip(Socket socket, byte one) {
        try {
            socket.getOutputStream().write(one);
        } catch (IOException closed) {
            // as it has to be
        }
    }

    private static List<Row> rows(GatewayProcess gateway, TestCertificates certificates) {
        byte[] data = WireFrame.data(1, 0, new byte[10_000]);
        byte[] message = Arrays.copyOf(new byte[] {(byte) 0x82, (byte) 0xFE, 0x20, 0, 0, 0, 0, 0}, 8_200);
        byte[] request = ascii("GET /ws/slow HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(1_000));
        byte[] clientHello = Arrays.copyOf(new byte[] {0x16, 3, 1, 1, 0, 1, 0, 0, (byte) 0xfc, 3, 3}, 300);
        InetSocketAddress secure = gateway.port("secure");
        InetSocketAddress admin = gateway.port("admin");
        return List.of(
                new Row("HELLO", i -> connect(gateway.tcp()), WireFrame.hello("d".repeat(100)), "handshake_timeout"),
                new Row("frame", i -> hello(gateway.tcp(), "tcp-" + i), data, "read_stalled"),
                new Row("upgrade", i -> connect(gateway.webSocket()), request, "handshake_timeout"),
                new Row("plain message", i -> plain(gateway, i), message, "read_stalled"),
                new Row("frames in messages", i -> frames(gateway, i), message, "read_stalled"),
                new Row("ClientHello", i -> connect(secure), clientHello, "handshake_timeout"),
                new Row("frame over TLS", i -> overTls(secure, certificates, i), data, "read_stalled"),
                new Row("first bytes", i -> connect(gateway.port("auto")), request, "handshake_timeout"),
                new Row("admin request", i -> connect(admin), ascii("GET /metrics?" + "x".repeat(2_000)), ""),
                new Row("admin body", i -> body(admin), new byte[] {'x'}, ""));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Socket connect(InetSocketAddress to) throws IOException {
        return new Socket(to.getAddress(), to.getPort());
    }

    private static Socket hello(InetSocketAddress to, String device) throws IOException {
        return WireClient.hello(to, device).socket();
    }

    private static Socket plain(GatewayProcess gateway, int number) throws IOException {
        return WebSocketWire.plain(gateway.webSocket(), "/ws/plain-" + number).socket();
    }

    private static Socket frames(GatewayProcess gateway, int number) throws IOException {
        WebSocketWire wire = WebSocketWire.frames(gateway.webSocket());
        wire.send(WebSocketWire.BINARY, WireFrame.hello("frames-" + number)).expect(WebSocketWire.BINARY);
        return wire.socket();
    }

    private static Socket overTls(InetSocketAddress to, TestCertificates certificates, int number) throws Exception {
        SSLSocket socket =
                (SSLSocket) certificates.client(null).getSocketFactory().createSocket(to.getAddress(), to.getPort());
        new WireClient(socket).sayHello("tls-" + number);
        return socket;
    }

    private static Socket body(InetSocketAddress admin) throws IOException {
        Socket socket = connect(admin);
        socket.getOutputStream()
                .write(ascii(
                        "POST /v1/devices/a/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n"));
        return socket;
    }
}
