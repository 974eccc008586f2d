package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenSSL's own client against our TLS, accepted and refused. Two processes share their ticket keys. */
@Tag("interop")
class TlsInteropTest {
    @TempDir
    private static Path scratch;

    private static GatewayProcess first;
    private static GatewayProcess second;
    private static TestCertificates certificates;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        Path certificate = certificates.certificate("gateway");
        certificates.certificate("other");
        staple(certificates, certificate);
        List<GatewayProcess> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            GatewaySetup setup = GatewayProcess.with("tls.tickets.key-file", scratch.resolve("ticket-keys"))
                    .set("handshake.timeout", "20s", "listeners.mutual.tls.client-auth", "required")
                    .set("listeners.mutual.tls.client-ca-file", certificates.certificate("ca"));
            for (String listener : List.of("tcp", "websocket", "mutual")) {
                String tls = "listeners." + listener + ".tls.";
                setup.tls(listener, certificates).set(tls + "ocsp-file", scratch.resolve("staple"));
                setup.set(
                        tls + "sni",
                        "[{ certificate-file = \"" + scratch.resolve("other.crt") + "\", key-file = \""
                                + certificates.key("other") + "\" }]");
            }
            both.add(setup.start());
        }
        first = both.get(0);
        second = both.get(1);
    }

    /** What an operator's timer would fetch: here the authority answers for itself. */
    private static void staple(TestCertificates certificates, Path certificate) throws Exception {
        Path authority = certificates.certificate("ca");
        X509Certificate own;
        try (var in = Files.newInputStream(certificate)) {
            own = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        String serial = own.getSerialNumber().toString(16).toUpperCase(java.util.Locale.ROOT);
        String even = serial.length() % 2 == 0 ? serial : "0" + serial;
        Path index =
                Files.writeString(scratch.resolve("index"), "V\t400101000000Z\t\t" + even + "\tunknown\t/CN=gateway\n");
        openssl("ocsp -index %s -rsigner %s -rkey %s -CA %2$s -issuer %2$s -cert %s -no_nonce -ndays 1 -respout %s"
                .formatted(index, authority, certificates.key("ca"), certificate, scratch.resolve("staple")));
        assertTrue(Files.size(scratch.resolve("staple")) > 0);
    }

    @AfterAll
    static void end() throws Exception {
        first.close();
        second.close();
    }

    @ParameterizedTest
    @CsvSource({
        "-tls1_3,TLS_AES_128_GCM_SHA256",
        "-tls1_3,TLS_AES_256_GCM_SHA384",
        "-tls1_3,TLS_CHACHA20_POLY1305_SHA256",
        "-tls1_2,ECDHE-ECDSA-AES128-GCM-SHA256",
        "-tls1_2,ECDHE-ECDSA-AES256-GCM-SHA384",
        "-tls1_2,ECDHE-ECDSA-CHACHA20-POLY1305"
    })
    void cipher_ofOurs_isAgreedOn(String version, String cipher) throws Exception {
        String key = version.equals("-tls1_3") ? "-ciphersuites" : "-cipher";
        String said = client(first, "", version, key, cipher);

        assertTrue(said.contains("Cipher is " + cipher), said);
        assertTrue(said.contains("Verification: OK"), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-tls1 -cipher DEFAULT@SECLEVEL=0",
                "-tls1_1 -cipher DEFAULT@SECLEVEL=0",
                "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA",
                "-tls1_2 -cipher ECDHE-ECDSA-AES256-SHA384",
                "-tls1_2 -cipher AES128-GCM-SHA256",
                "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256",
                "-tls1_2 -cipher ECDHE-ECDSA-AES128-CCM",
                "-tls1_3 -ciphersuites TLS_AES_128_CCM_SHA256"
            })
    void cipherOrVersion_ofOthers_isRefused(String options) throws Exception {
        double before = first.metrics().closes("tls_failed");
        String said = client(first, "", options.split(" "));

        assertTrue(said.contains("Cipher is (NONE)"), said);
        Await.until("the close", () -> first.metrics().closes("tls_failed") == before + 1);
    }

    @ParameterizedTest
    @CsvSource({
        "-tls1_3,stranger,alert unknown ca",
        "-tls1_2,stranger,alert unknown ca",
        "-tls1_3,expired,alert certificate expired",
        "-tls1_2,expired,alert certificate expired",
        "-tls1_3,,alert certificate required",
        "-tls1_2,,alert handshake failure"
    })
    void clientCertificate_notAccepted_isToldByItsAlert(String version, String shown, String alert) throws Exception {
        List<String> options = new ArrayList<>(List.of(version, "-ign_eof"));
        if (shown != null) {
            options.addAll(List.of("-cert", certificates.certificate(shown).toString()));
            options.addAll(List.of("-key", certificates.key(shown).toString()));
        }
        String said = output(start(first.port("mutual"), options.toArray(new String[0])));

        assertTrue(said.contains(alert), said);
    }

    @ParameterizedTest
    @CsvSource({
        "other.example,other",
        "OTHER.example,other",
        "localhost,gateway",
        "under_score.example,gateway",
        "a..b,gateway"
    })
    void host_named_getsItsCertificate(String host, String subject) throws Exception {
        for (String version : List.of("-tls1_3", "-tls1_2")) {
            String said = client(first, "", version, "-servername", host);

            assertTrue(said.contains("subject=CN = " + subject), said);
        }
    }

    @Test
    void staple_askedFor_isThere() throws Exception {
        for (String version : List.of("-tls1_3", "-tls1_2")) {
            String said = client(first, "", version, "-status");
            assertTrue(said.contains("OCSP Response Status: successful"), said);
            assertTrue(said.contains("Cert Status: good"), said);

            String other = client(first, "", version, "-status", "-servername", "other.example");
            assertTrue(other.contains("OCSP response: no response sent"), other);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_3", "-tls1_2"})
    void session_ofOneProcess_isResumedByTheOther(String version) throws Exception {
        Path session = scratch.resolve("session" + version);
        Files.deleteIfExists(session);
        String full = client(first, session.toString(), version, "-sess_out", session.toString());
        assertTrue(full.contains("New, TLSv1."), full);

        String resumed = client(second, "", version, "-sess_in", session.toString());
        assertTrue(resumed.contains("Reused, TLSv1."), resumed);
    }

    @Test
    void renegotiation_ofAClient_isRefused() throws Exception {
        Process client = start(first.tcp(), "-tls1_2");
        OutputStream in = client.getOutputStream();
        double before = first.metrics().sum("heartwheel_closes_total");
        Await.until("the handshake", () -> first.metrics().sum("heartwheel_connections") == 1);
        in.write("R\n".getBytes(StandardCharsets.US_ASCII));
        in.flush();
        String said = output(client);

        assertTrue(said.contains("RENEGOTIATING"), said);
        assertTrue(said.contains("alert no renegotiation"), said);
        Await.until("the close", () -> first.metrics().sum("heartwheel_closes_total") == before + 1);
    }

    // ------------------------------------------------------------------ openssl

    private static String client(GatewayProcess gateway, String awaited, String... options) throws Exception {
        return talk(gateway.tcp(), awaited, options);
    }

    /**
     * A handshake and what the client tells of it.
     *
     * @param awaited a file that it writes first; empty: none
     */
    private static String talk(java.net.InetSocketAddress address, String awaited, String... options) throws Exception {
        Process client = start(address, options);
        if (!awaited.isEmpty()) {
            Await.until("a session", () -> Files.exists(Path.of(awaited)) && Files.size(Path.of(awaited)) > 0);
        }
        client.getOutputStream().close();
        return output(client);
    }

    private static Process start(java.net.InetSocketAddress address, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-connect"));
        command.add(address.getHostString() + ":" + address.getPort());
        command.addAll(List.of("-CAfile", scratch.resolve("ca.crt").toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static void openssl(String arguments) throws Exception {
        Process process = new ProcessBuilder(("openssl " + arguments).split(" "))
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = output(process);
        assertEquals(0, process.exitValue(), said);
    }

    private static String output(Process process) throws Exception {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(Await.LONG.toSeconds(), TimeUnit.SECONDS), said);
        return said;
    }
}
