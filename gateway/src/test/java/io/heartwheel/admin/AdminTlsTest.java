package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import io.heartwheel.log.LogCapture;
import io.heartwheel.transport.tls.CertificateFiles;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsSettings.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The admin listener over TLS, and callers who are known by a certificate. */
class AdminTlsTest {
    @TempDir
    static Path directory;

    private static Path fixture(String name) throws Exception {
        return Path.of(AdminTlsTest.class
                .getResource("/io/heartwheel/transport/tls/" + name)
                .toURI());
    }

    private static TlsSettings tls(TlsSettings.Provider provider, ClientAuth clientAuth) throws Exception {
        return new TlsSettings(
                provider,
                List.of(new CertificateFiles(
                        CertificateFiles.DEFAULT, fixture("ec.pem"), fixture("ec.key"), null, List.of())),
                TlsSettings.Version.V1_2,
                List.of(),
                clientAuth,
                clientAuth == ClientAuth.NONE ? null : fixture("ca.pem"));
    }

    private static AdminFixture start(TlsSettings tls, boolean tokens, Scope... scopes) throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(file, "ops read,send,operate " + AdminTokensTest.hash("ops-token"));
        return new AdminFixture(AdminFixture.settings("127.0.0.1:0", 4, tokens ? file : null, tls, scopes));
    }

    /** All that comes back until the server closes. */
    private static String ask(AdminFixture admin, String shown, String request) throws Exception {
        try (Socket socket = secured(admin, shown)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return AdminFixture.readAll(socket);
        }
    }

    private static Socket secured(AdminFixture admin, String shown) throws Exception {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .endpointIdentificationAlgorithm(null)
                .trustManager(fixture("ca.pem").toFile());
        if (shown != null) {
            builder.keyManager(
                    fixture(shown + ".pem").toFile(), fixture(shown + ".key").toFile());
        }
        JdkSslContext context = (JdkSslContext) builder.build();
        Socket socket =
                context.context().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), admin.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static String request(String method, String target, String... headers) {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static int status(String answer) {
        return Integer.parseInt(answer.substring(9, 12));
    }

    @ParameterizedTest
    @EnumSource(TlsSettings.Provider.class)
    void request_overTls_isAnswered(TlsSettings.Provider provider) throws Exception {
        try (AdminFixture admin = start(tls(provider, ClientAuth.NONE), true)) {
            assertEquals(200, status(ask(admin, null, request("GET", "/healthz"))));
            assertEquals(401, status(ask(admin, null, request("GET", "/v1/gateway"))));
            String token = "Authorization: Bearer ops-token\r\n";
            assertEquals(200, status(ask(admin, null, request("GET", "/v1/gateway", token))));
            assertEquals(200, status(ask(admin, null, request("GET", "https://localhost/v1/gateway", token))));
            assertEquals(200, status(ask(admin, null, request("GET", "/metrics", token))));
        }
    }

    @Test
    void request_inTheClearToTls_isNotAnswered() throws Exception {
        try (AdminFixture admin = start(tls(TlsSettings.Provider.AUTO, ClientAuth.NONE), true)) {
            String answer = admin.raw(request("GET", "/healthz"));
            assertTrue(!answer.contains("HTTP/1.1"), answer);
        }
    }

    @ParameterizedTest
    @EnumSource(TlsSettings.Provider.class)
    void request_withCertificate_isKnownByItsName(TlsSettings.Provider provider) throws Exception {
        try (AdminFixture admin = start(tls(provider, ClientAuth.REQUIRED), false, Scope.READ)) {
            assertEquals(200, status(ask(admin, "rsa", request("GET", "/v1/gateway"))));
            assertEquals(403, status(ask(admin, "rsa", request("POST", "/v1/reload"))));
            assertThrows(IOException.class, () -> {
                String answer = ask(admin, null, request("GET", "/healthz"));
                throw new IOException("closed without an answer: " + answer.isEmpty());
            });
            assertEquals("", answerOrNothing(admin, "stranger"));
        }
    }

    private static String answerOrNothing(AdminFixture admin, String shown) throws Exception {
        try {
            return ask(admin, shown, request("GET", "/healthz"));
        } catch (IOException refused) {
            return "";
        }
    }

    @Test
    void request_certificateOptional_isTheTokensWhenThereIsOne() throws Exception {
        TlsSettings tls = tls(TlsSettings.Provider.AUTO, ClientAuth.OPTIONAL);
        try (AdminFixture admin = start(tls, true, Scope.READ)) {
            assertEquals(401, status(ask(admin, null, request("GET", "/v1/gateway"))));
            assertEquals(200, status(ask(admin, "rsa", request("GET", "/v1/gateway"))));
            String token = "Authorization: Bearer ops-token\r\n";
            assertEquals(200, status(ask(admin, "rsa", request("POST", "/v1/reload", token))));
            String wrong = "Authorization: Bearer wrong\r\n";
            assertEquals(401, status(ask(admin, "rsa", request("GET", "/v1/gateway", wrong))));
        }
    }

    /** Who begins a handshake and stops holds a place no longer than who sends half a request: a newcomer takes it. */
    @Test
    void handshake_neverFinished_losesItsPlace() throws Exception {
        try (AdminFixture admin = start(tls(TlsSettings.Provider.AUTO, ClientAuth.NONE), true);
                Socket one = admin.connect();
                Socket two = admin.connect();
                Socket three = admin.connect();
                Socket four = admin.connect()) {
            for (Socket each : List.of(one, two, three, four)) {
                each.getOutputStream().write(new byte[] {22, 3, 1, 2});
                each.getOutputStream().flush();
            }
            assertEquals(200, status(ask(admin, null, request("GET", "/healthz"))));
        }
    }

    @Test
    void requests_sentAheadInOneRecord_areAllAnswered() throws Exception {
        String one = "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
        int many = 16_000 / one.length();
        try (AdminFixture admin = start(tls(TlsSettings.Provider.AUTO, ClientAuth.NONE), true)) {
            String answers = ask(admin, null, one.repeat(many) + request("GET", "/healthz"));
            assertEquals(many + 1, answers.split("HTTP/1.1 200 ", -1).length - 1);
        }
    }

    @Test
    void reload_anotherCertificate_isOfNewConnections() throws Exception {
        TlsSettings tls = tls(TlsSettings.Provider.AUTO, ClientAuth.NONE);
        TlsSettings other = new TlsSettings(
                tls.provider(),
                List.of(new CertificateFiles(
                        CertificateFiles.DEFAULT, fixture("rsa.pem"), fixture("rsa.key"), null, List.of())),
                tls.oldest(),
                List.of(),
                ClientAuth.NONE,
                null);
        try (AdminFixture admin = start(tls, true);
                SSLSocket before = (SSLSocket) secured(admin, null)) {
            assertEquals("CN=ec", subject(before));
            assertEquals(List.of(), admin.secured.reload(Map.of("admin", other)));
            try (SSLSocket after = (SSLSocket) secured(admin, null)) {
                assertEquals("CN=rsa", subject(after));
            }
            before.getOutputStream().write(request("GET", "/healthz").getBytes(StandardCharsets.US_ASCII));
            assertEquals(200, status(AdminFixture.readAll(before)));
        }
    }

    private static String subject(SSLSocket socket) throws Exception {
        X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName();
    }

    @Test
    void start_certificateOfAnotherKey_namesTheKeyOfTheConfiguration() throws Exception {
        TlsSettings bad = new TlsSettings(
                TlsSettings.Provider.AUTO,
                List.of(new CertificateFiles(
                        CertificateFiles.DEFAULT, fixture("ec.pem"), fixture("stranger.key"), null, List.of())),
                TlsSettings.Version.V1_2,
                List.of(),
                ClientAuth.NONE,
                null);
        String refusal =
                assertThrows(UncheckedIOException.class, () -> start(bad, true)).getMessage();
        assertTrue(refusal.contains("admin.tls.key-file"), refusal);
    }

    @Test
    void change_withCertificate_isAuditedWithItsSubject() throws Exception {
        try (LogCapture audit = new LogCapture(Audit.NAME);
                AdminFixture admin = start(tls(TlsSettings.Provider.AUTO, ClientAuth.REQUIRED), false, Scope.OPERATE)) {
            audit.level(Level.INFO);
            assertEquals(200, status(ask(admin, "rsa", request("POST", "/v1/reload"))));
            assertEquals(List.of("POST /v1/reload by certificate/CN=rsa from 127.0.0.1: 200"), audit.messages());
        }
    }
}
