package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
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

    @BeforeEach
    void install() throws Exception {
        put("gateway");
    }

    /** What fits no key is refused loudly once, and what was there stays. */
    @ParameterizedTest
    @ValueSource(strings = {"boringssl", "jdk"})
    void certificate_changedOnDisk_isShownToNewOnesWhileTheOldLiveOn(String provider) throws Exception {
        try (GatewayProcess gateway = setup("provider", provider, "sni", sni())
                .set("tls.watch.period", "1s")
                .start()) {
            assertShownByHost(gateway);
            SSLSocket first = open(gateway, "");
            try (WireClient device = new WireClient(first)) {
                device.sayHello("before");
                put("other.crt", "cert");
                Await.until("the refusal", () -> gateway.metrics().sum(RELOADS, "refused") == 1);
                assertShown("CN=gateway", gateway, "");
                put("other.key", "key");
                Await.until("the repair", () -> gateway.metrics().sum(RELOADS, "taken") == 1);
                assertShown("CN=other", gateway, "");
                device.roundTrip(1);
                assertEquals("CN=gateway", shown(first));
            }
            assertEquals(1, gateway.log("new connections get certificates").size(), gateway::toString);
            List<String> told = gateway.log("the key is not that of the certificate");
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.get(0).contains(" WARN "), told::toString);
            assertTrue(told.get(0).contains("listeners.tcp.tls.key-file = " + scratch.resolve("key")), told::toString);
        }
    }

    private static String sni() {
        return "[{ certificate-file = \"" + shared.resolve("other.crt") + "\", key-file = \""
                + shared.resolve("other.key") + "\" }]";
    }

    private static void assertShownByHost(GatewayProcess gateway) throws Exception {
        assertShown("CN=other", gateway, "other.example");
        assertShown("CN=gateway", gateway, "nobody.example");
        assertShown("CN=gateway", gateway, "");
        String series = "\nheartwheel_tls_certificate_not_after_seconds{listener=\"tcp\"";
        String page = gateway.admin("GET", "/metrics").body();
        assertEquals(3, page.split(Pattern.quote(series), -1).length, page);
    }

    private static void assertShown(String subject, GatewayProcess gateway, String host) throws Exception {
        try (SSLSocket socket = open(gateway, host)) {
            assertEquals(subject, shown(socket));
        }
    }

    @Test
    void certificate_onSighup_isTakenAtOnceOrRefused() throws Exception {
        try (GatewayProcess gateway = setup().set("tls.watch.enabled", "false").start()) {
            put("other");
            gateway.signal("HUP");
            Await.until("the new certificate", () -> gateway.metrics().sum(RELOADS, "taken") == 1);
            put("gateway.crt", "cert");
            gateway.signal("HUP");
            Await.until("the refusal", () -> gateway.metrics().sum(RELOADS, "refused") == 1);

            gateway.awaitLog("the key is not that of the certificate");
            assertShown("CN=other", gateway, "");
        }
    }

    @Test
    void session_ofAnEarlierProcess_isResumedByTheNext() throws Exception {
        Path keys = scratch.resolve("ticket-keys");
        GatewaySetup setup = setup().set("tls.tickets.key-file", keys);
        Map<String, SSLContext> devices =
                Map.of("TLSv1.3", certificates.client(null), "TLSv1.2", certificates.client(null));
        try (GatewayProcess first = setup.start()) {
            visitAll(devices, first);
            assertEquals(2, first.metrics().sum(HANDSHAKES, "full"));
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)));
        try (GatewayProcess next = setup.start()) {
            visitAll(devices, next);
            assertEquals(2, next.metrics().sum(HANDSHAKES, "resumed"));
            assertEquals(0, next.metrics().sum(HANDSHAKES, "full"));
            String secret = Files.readString(keys).lines().toList().get(1).substring(14);
            assertFalse(next.log().contains(secret));
        }
    }

    /** Whole visits: the tickets of TLS 1.3 come behind the handshake. To the devices it is one server whatever its port. */
    private static void visitAll(Map<String, SSLContext> devices, GatewayProcess gateway) throws Exception {
        for (Map.Entry<String, SSLContext> device : devices.entrySet()) {
            var address = gateway.tcp();
            Socket plain = new Socket(address.getAddress(), address.getPort()) {
                @Override
                public int getPort() {
                    return 443;
                }
            };
            SSLSocket socket =
                    (SSLSocket) device.getValue().getSocketFactory().createSocket(plain, "gateway", 443, true);
            socket.setEnabledProtocols(new String[] {device.getKey()});
            try (WireClient client = new WireClient(socket)) {
                client.sayHello("visitor");
                client.roundTrip(1);
            }
        }
    }

    private GatewaySetup setup(String... tls) {
        GatewaySetup setup = GatewayProcess.with("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", scratch.resolve("cert"))
                .set("listeners.tcp.tls.key-file", scratch.resolve("key"));
        for (int i = 0; i < tls.length; i += 2) {
            setup.set("listeners.tcp.tls." + tls[i], tls[i + 1]);
        }
        return setup;
    }

    private void put(String alias) throws Exception {
        put(alias + ".crt", "cert");
        put(alias + ".key", "key");
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
