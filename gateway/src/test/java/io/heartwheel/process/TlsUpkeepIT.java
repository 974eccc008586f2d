package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS over the life of processes: new certificates under open connections, sessions that another process resumes. */
@Execution(ExecutionMode.CONCURRENT)
class TlsUpkeepIT {
    private static final String HANDSHAKES = "heartwheel_tls_handshakes_total";
    private static final String RELOADS = "heartwheel_tls_reloads_total";

    @TempDir
    private static Path shared;

    private static TestCertificates certificates;

    @TempDir
    private Path scratch;

    @BeforeAll
    static void certify() throws Exception {
        certificates = new TestCertificates(shared);
        for (String alias : List.of("gateway", "other", "ca")) {
            certificates.certificate(alias);
            certificates.key(alias);
        }
    }

    @ParameterizedTest
    @CsvSource({"boringssl,epoll", "jdk,nio"})
    void certificate_changedOnDisk_isShownToNewOnesWhileTheOldLiveOn(String provider, String transport)
            throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        try (GatewayProcess gateway = setup("provider", provider)
                .set("tls.watch.period", "1s", "transport.kind", transport)
                .start()) {
            SSLSocket first = open(gateway, "");
            try (WireClient device = new WireClient(first)) {
                device.sayHello("before");
                assertEquals("CN=gateway", shown(first));
                put("other.crt", "cert");
                put("other.key", "key");
                Await.until("the new certificate", () -> gateway.metrics().sum(RELOADS, "taken") == 1);

                try (SSLSocket second = open(gateway, "")) {
                    assertEquals("CN=other", shown(second));
                }
                device.roundTrip(1);
                assertEquals("CN=gateway", shown(first));
            }
            assertEquals(1, gateway.log("new connections get certificates").size(), gateway::toString);
        }
    }

    @Test
    void certificate_badOnDisk_isRefusedLoudlyOnceAndTheOldStays() throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        try (GatewayProcess gateway = setup().set("tls.watch.period", "1s").start()) {
            put("other.crt", "cert");
            Await.until("the refusal", () -> gateway.metrics().sum(RELOADS, "refused") == 1);
            try (SSLSocket socket = open(gateway, "")) {
                assertEquals("CN=gateway", shown(socket));
            }
            put("other.key", "key");
            Await.until("the repair", () -> gateway.metrics().sum(RELOADS, "taken") == 1);
            try (SSLSocket socket = open(gateway, "")) {
                assertEquals("CN=other", shown(socket));
            }
            List<String> told = gateway.log("WARN");
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.get(0).contains("listeners.tcp.tls.key-file = " + scratch.resolve("key")), told::toString);
            assertTrue(told.get(0).contains("the key is not that of the certificate"), told::toString);
        }
    }

    @Test
    void certificate_onSighup_isTakenAtOnceOrRefused() throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        try (GatewayProcess gateway = setup().set("tls.watch.enabled", "false").start()) {
            put("other.crt", "cert");
            put("other.key", "key");
            gateway.signal("HUP");
            Await.until("the new certificate", () -> gateway.metrics().sum(RELOADS, "taken") == 1);
            put("gateway.crt", "cert");
            gateway.signal("HUP");
            Await.until("the refusal", () -> gateway.metrics().sum(RELOADS, "refused") == 1);

            gateway.awaitLog("the key is not that of the certificate");
            try (SSLSocket socket = open(gateway, "")) {
                assertEquals("CN=other", shown(socket));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"boringssl", "jdk"})
    void certificate_byHost_isTheOneForIt(String provider) throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        String other = "[{ certificate-file = \"" + shared.resolve("other.crt") + "\", key-file = \""
                + shared.resolve("other.key") + "\" }]";
        try (GatewayProcess gateway = setup("provider", provider, "sni", other).start()) {
            for (String[] row :
                    new String[][] {{"other.example", "CN=other"}, {"nobody.example", "CN=gateway"}, {"", "CN=gateway"}
                    }) {
                try (SSLSocket socket = open(gateway, row[0])) {
                    assertEquals(row[1], shown(socket));
                }
            }
            assertEquals(
                    2,
                    gateway.admin("GET", "/metrics")
                            .body()
                            .lines()
                            .filter(line ->
                                    line.startsWith("heartwheel_tls_certificate_not_after_seconds{listener=\"tcp\""))
                            .count());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void session_ofAnEarlierProcess_isResumedByTheNext(String version) throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        Path keys = scratch.resolve("ticket-keys");
        SSLContext device = certificates.client(null);
        String bind;
        try (GatewayProcess first =
                setup().set("tls.tickets.key-file", keys.toString()).start()) {
            bind = "127.0.0.1:" + first.tcp().getPort();
            visit(device, first, version);
            assertEquals(1, first.metrics().sum(HANDSHAKES, "full"));
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)));
        try (GatewayProcess next = setup().set("tls.tickets.key-file", keys.toString())
                .set("listeners.tcp.bind", bind)
                .start()) {
            visit(device, next, version);
            assertEquals(1, next.metrics().sum(HANDSHAKES, "resumed"));
            assertEquals(0, next.metrics().sum(HANDSHAKES, "full"));
            assertFalse(next.log()
                    .contains(Files.readString(keys).lines().toList().get(1).substring(14)));
        }
    }

    @Test
    void start_keyFileThatOthersCanRead_isRefusedInOneLine() throws Exception {
        put("gateway.crt", "cert");
        put("gateway.key", "key");
        Path keys = Files.writeString(scratch.resolve("open"), "");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));

        GatewayProcess.Outcome outcome =
                setup().set("tls.tickets.key-file", keys.toString()).run();
        assertEquals(1, outcome.exit(), outcome.log());
        assertTrue(
                outcome.log().contains("tls.tickets.key-file = " + keys + ": need a file that only its owner can read"),
                outcome.log());
    }

    /** A whole visit: the tickets of TLS 1.3 come behind the handshake. */
    private static void visit(SSLContext device, GatewayProcess gateway, String version) throws Exception {
        SSLSocket socket = (SSLSocket) device.getSocketFactory()
                .createSocket(gateway.tcp().getAddress(), gateway.tcp().getPort());
        socket.setEnabledProtocols(new String[] {version});
        try (WireClient client = new WireClient(socket)) {
            client.sayHello("visitor");
            client.roundTrip(1);
        }
    }

    private GatewaySetup setup(String... tls) {
        GatewaySetup setup = GatewayProcess.with("listeners.tcp.tls.enabled", "true")
                .set(
                        "listeners.tcp.tls.certificate-file",
                        scratch.resolve("cert").toString())
                .set("listeners.tcp.tls.key-file", scratch.resolve("key").toString());
        for (int i = 0; i < tls.length; i += 2) {
            setup.set("listeners.tcp.tls." + tls[i], tls[i + 1]);
        }
        return setup;
    }

    private void put(String file, String name) throws Exception {
        Path part =
                Files.copy(shared.resolve(file), scratch.resolve(name + ".part"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(part, scratch.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static SSLSocket open(GatewayProcess gateway, String host) throws Exception {
        var address = gateway.tcp();
        SSLSocket socket = (SSLSocket)
                certificates.client(null).getSocketFactory().createSocket(address.getAddress(), address.getPort());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(host.isEmpty() ? List.of() : List.of(new SNIHostName(host)));
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String shown(SSLSocket socket) throws Exception {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }
}
