package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS of the listeners: accepted and refused devices, and their counts. */
class TlsIT {
    private static final String FAILURES = "heartwheel_tls_failures_total";

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;
    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        GatewaySetup setup = GatewayProcess.with("sink.kind", "echo", "handshake.timeout", "30s");
        for (String listener : List.of("tcp", "websocket", "mutual", "optional", "jdk", "both")) {
            setup.tls(listener, certificates);
        }
        setup.set("listeners.mutual.tls.client-auth", "required", "listeners.optional.tls.client-auth", "optional");
        setup.set("listeners.both.protocol", "auto");
        setup.set("listeners.jdk.tls.client-auth", "required", "listeners.jdk.tls.provider", "jdk");
        for (String listener : List.of("mutual", "optional", "jdk")) {
            setup.set("listeners." + listener + ".tls.client-ca-file", certificates.certificate("ca"));
        }
        gateway = setup.start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void frames_overTls_areServed(String version) throws Exception {
        for (String listener : List.of("tcp", "both")) {
            SSLSocket socket = open(listener, null);
            socket.setEnabledProtocols(new String[] {version});
            try (WireClient device = new WireClient(socket)) {
                device.sayHello("tls");
                byte[] large = new byte[60_000];
                large[59_999] = 1;
                device.send(WireFrame.data(1, 0, large));
                assertArrayEquals(large, device.next(WireFrame.DATA).message());
                device.send(WireFrame.hello("tls")).nextClose(4407);
            }
        }
        assertTrue(gateway.log("BoringSSL does not load").isEmpty(), gateway.log());
    }

    @Test
    void webSocket_overTls_isServed() throws Exception {
        for (String listener : List.of("websocket", "both")) {
            try (WebSocketWire peer = new WebSocketWire(open(listener, null)).upgraded("/ws/tls", "")) {
                assertEquals("hé", peer.text("hé").expect(WebSocketWire.TEXT).text());
                peer.send(WebSocketWire.CLOSE, (byte) 3, (byte) 0xe8);
                assertEquals(1000, peer.expect(WebSocketWire.CLOSE).code());
                peer.expectEnd();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"mutual,device", "optional,device", "optional,"})
    void clientCertificate_goodOrNotNeeded_isLetIn(String listener, String shown) throws Exception {
        try (WireClient device = new WireClient(open(listener, shown))) {
            device.sayHello("mutual");
            device.roundTrip(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mutual,TLSv1.3,stranger,unknown_ca,unknown_authority,stranger",
        "mutual,TLSv1.2,stranger,unknown_ca,unknown_authority,stranger",
        "mutual,TLSv1.3,expired,certificate_expired,expired,ca",
        "mutual,TLSv1.2,expired,certificate_expired,expired,ca",
        "mutual,TLSv1.3,early,certificate_expired,not_yet_valid,ca",
        "mutual,TLSv1.3,server-only,unsupported_certificate,wrong_use,ca",
        "optional,TLSv1.3,stranger,unknown_ca,unknown_authority,stranger",
        "optional,TLSv1.3,expired,certificate_expired,expired,ca",
        "jdk,TLSv1.3,expired,certificate_unknown,expired,ca",
        "jdk,TLSv1.2,stranger,certificate_unknown,unknown_authority,stranger"
    })
    void clientCertificate_notAccepted_isToldWhyAndWhose(
            String listener, String version, String shown, String alert, String problem, String issuer)
            throws Exception {
        JsonNode close = assertTurnedAway(alert, listener, version, shown, "certificate_bad");
        JsonNode certificate = close.get("certificate");
        assertEquals(problem, certificate.get("problem").asText());
        assertEquals("CN=" + shown, certificate.get("subject").asText());
        assertEquals("CN=" + issuer, certificate.get("issuer").asText());
        String serial = certificate.get("serial").asText();
        assertTrue(serial.matches("[0-9a-f]{1,40}"), close::toString);
        String text = close.get("text").asText();
        assertTrue(text.contains("was not accepted"), text);
        assertTrue(text.contains("; it showed the certificate " + serial + " of CN=" + shown), text);
        gateway.awaitLog(" as tls_failed, ");
    }

    @ParameterizedTest
    @CsvSource({"mutual,TLSv1.3,certificate_required", "mutual,TLSv1.2,handshake_failure"})
    void clientCertificate_missing_isToldByItsAlert(String listener, String version, String alert) throws Exception {
        JsonNode close = assertTurnedAway(alert, listener, version, null, "certificate_missing");
        assertTrue(close.get("text").asText().contains("showed no certificate"), close::toString);
    }

    /** The device hears the alert, and it is counted once; its close is what is given back. */
    private static JsonNode assertTurnedAway(String alert, String listener, String version, String shown, String kind)
            throws Exception {
        MetricsPage before = gateway.metrics();
        SSLSocket socket = open(listener, shown);
        socket.setEnabledProtocols(new String[] {version});
        try (WireClient device = new WireClient(socket)) {
            // nothing is said: what the alert meets on its way is not the matter here
            IOException heard = assertThrows(
                    IOException.class, () -> device.socket().getInputStream().read());
            assertTrue(heard.getMessage().contains(alert), heard::toString);
        }
        assertTlsFailedOnce(before);
        String label = "kind=\"" + kind + "\"";
        assertEquals(1, gateway.metrics().sum(FAILURES, label) - before.sum(FAILURES, label));
        return gateway.ask("/v1/closed?handshakes=true&limit=1").get("closed").get(0);
    }

    @Test
    void garbage_onATlsPort_isCountedAsTlsFailed() throws Exception {
        byte[] request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (byte[] bytes : List.of(new byte[100], WireFrame.hello("in-the-clear"), request)) {
            for (String listener : List.of("tcp", "websocket", "both")) {
                MetricsPage before = gateway.metrics();
                try (WireClient device = WireClient.connect(gateway.port(listener))) {
                    device.send(bytes);
                    device.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException reset) {
                    // TLS has no words for this, and owes none
                }
                assertTlsFailedOnce(before);
            }
        }
    }

    @Test
    void healthCheck_isAnsweredAndCounted_andLeavesNoTrace() throws Exception {
        MetricsPage before = gateway.metrics();
        for (String listener : List.of("websocket", "both")) {
            try (WebSocketWire balancer = new WebSocketWire(open(listener, null))) {
                balancer.send("GET /healthz HTTP/1.1\r\nHost: 10.0.0.7\r\nUser-Agent: a balancer\r\n\r\n");
                assertEquals(200, balancer.answer().status());
                balancer.drainToEnd();
            }
        }
        MetricsPage after = gateway.metrics();
        String counted = "heartwheel_http_requests_total";
        String ready = "outcome=\"ready\"";
        assertEquals(2, after.sum(counted, ready) - before.sum(counted, ready));
        assertEquals(
                0,
                gateway.ask("/v1/closed?handshakes=true&reason=normal")
                        .get("closed")
                        .size());
        assertEquals(List.of(), gateway.log("as normal"));
    }

    @Test
    void handshake_thatNeverEnds_isClosedByItsDeadline() throws Exception {
        GatewaySetup hasty = GatewayProcess.with("handshake.timeout", "1s").tls("tcp", certificates);
        try (GatewayProcess other = hasty.tls("websocket", certificates).start();
                WireClient silent = WireClient.connect(other.tcp());
                WireClient halfway = WireClient.connect(other.webSocket())) {
            halfway.send(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
            silent.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
            halfway.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
            Await.until("two given up", () -> other.metrics().closes("handshake_timeout") == 2);
        }
    }

    @Test
    void start_withABrokenCertificate_isRefusedInOneLine() throws Exception {
        Path key = certificates.key("gateway");
        assertRefused(certificates.certificate("device"), key);
        assertRefused(scratch.resolve("none.crt"), key);
    }

    private static void assertRefused(Path certificate, Path key) throws Exception {
        GatewayProcess.Outcome outcome = GatewayProcess.with("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", certificate, "listeners.tcp.tls.key-file", key)
                .run();

        assertTrue(outcome.exit() == 1 || outcome.exit() == 78, outcome.log());
        assertTrue(
                outcome.log().lines().filter(line -> !line.contains(" INFO ")).count() <= 2, outcome.log());
        assertTrue(outcome.log().contains(certificate.toString()), outcome.log());
    }

    private static void assertTlsFailedOnce(MetricsPage before) throws Exception {
        double closes = before.sum("heartwheel_closes_total");
        Await.until("a close", () -> gateway.metrics().sum("heartwheel_closes_total") > closes);
        MetricsPage after = gateway.metrics();
        assertEquals(closes + 1, after.sum("heartwheel_closes_total"), after::toString);
        assertEquals(1, after.closes("tls_failed") - before.closes("tls_failed"), after::toString);
    }

    private static SSLSocket open(String listener, String alias) throws Exception {
        SSLContext context = certificates.client(alias);
        var address = gateway.port(listener);
        return (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
    }
}
