package io.heartwheel.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nats.client.Connection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Beside a server that says no more than hello, by TLS. The certificates are those of the tests of processes. */
class NatsClientTest {
    private static final char[] PASSWORD = "heartwheel".toCharArray();

    @TempDir
    Path directory;

    private final KeyStore keys = keys();
    private final CompletableFuture<String> client = new CompletableFuture<>();
    private ServerSocket server;

    private static KeyStore keys() {
        try (InputStream in = NatsClientTest.class.getResourceAsStream("/io/heartwheel/process/keys.p12")) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD);
            return keys;
        } catch (Exception unusable) {
            throw new AssertionError(unusable);
        }
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private String url(String host) {
        return "tls://" + host + ":" + server.getLocalPort();
    }

    /** It shows this certificate, and asks the client for one; null: it knows no TLS. */
    private void serve(String alias) throws Exception {
        SSLContext context = alias == null ? null : context(alias);
        Thread thread = new Thread(
                () -> {
                    while (!server.isClosed()) {
                        try (Socket socket = server.accept()) {
                            greet(socket, context);
                        } catch (IOException gone) {
                            // the client does not like it, or the test is over
                        }
                    }
                },
                "nats-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void greet(Socket plain, SSLContext context) throws IOException {
        String info =
                "INFO {\"server_id\":\"S\",\"version\":\"2.10.27\",\"proto\":1,\"headers\":true,\"max_payload\":1024"
                        + (context == null ? "" : ",\"tls_required\":true") + "}\r\n";
        plain.getOutputStream().write(info.getBytes(StandardCharsets.US_ASCII));
        if (context == null) {
            plain.getInputStream().read();
            return;
        }
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
        secure.setUseClientMode(false);
        secure.setWantClientAuth(true);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(secure.getInputStream(), StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("PING")) {
                client.complete(shown(secure));
                secure.getOutputStream().write("PONG\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    private static String shown(SSLSocket secure) {
        try {
            return secure.getSession().getPeerPrincipal().getName();
        } catch (IOException nothing) {
            return "nobody";
        }
    }

    private SSLContext context(String alias) throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, PASSWORD);
        own.setKeyEntry(alias, keys.getKey(alias, PASSWORD), PASSWORD, keys.getCertificateChain(alias));
        KeyManagerFactory shown = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        shown.init(own, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry("ca", keys.getCertificate("ca"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(shown.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private Path certificate(String alias) throws Exception {
        StringBuilder text = new StringBuilder();
        for (Certificate each : keys.getCertificateChain(alias)) {
            text.append(pem("CERTIFICATE", each.getEncoded()));
        }
        return Files.writeString(directory.resolve(alias + ".crt"), text);
    }

    private Path key(String alias) throws Exception {
        Key key = keys.getKey(alias, PASSWORD);
        return Files.writeString(directory.resolve(alias + ".key"), pem("PRIVATE KEY", key.getEncoded()));
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END " + kind
                + "-----\n";
    }

    private static Connection connect(NatsServers servers) throws Exception {
        return NatsClient.open(servers).connect("test", Duration.ofSeconds(20), options -> options.noReconnect());
    }

    private static String refused(NatsServers servers) {
        return assertThrows(IOException.class, () -> connect(servers)).getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void connect_certificateOfItsHost_isTrusted(String host) throws Exception {
        serve("gateway");
        Path authority = certificate("ca");
        try (Connection connection = connect(new NatsServers(List.of(url(host)), null, authority, null, null))) {
            assertEquals(Connection.Status.CONNECTED, connection.getStatus());
            assertEquals("nobody", client.get());
        }
    }

    @Test
    void connect_certificateOfItsOwn_isShown() throws Exception {
        serve("gateway");
        try (Connection connection = connect(new NatsServers(
                List.of(url("127.0.0.1")), null, certificate("ca"), certificate("device"), key("device")))) {
            assertEquals(Connection.Status.CONNECTED, connection.getStatus());
            assertEquals("CN=device", client.get());
        }
    }

    @Test
    void connect_certificateOfAnotherHost_isRefused() throws Exception {
        serve("other");
        String url = url("127.0.0.1");
        assertEquals(
                "NATS " + url
                        + ": the server's certificate will not do: No subject alternative names matching IP address 127.0.0.1 found",
                refused(new NatsServers(List.of(url), null, certificate("ca"), null, null)));
    }

    @Test
    void connect_anotherAuthority_isNamed() throws Exception {
        serve("gateway");
        String url = url("127.0.0.1");
        Path stranger = certificate("stranger");
        assertEquals(
                "NATS " + url + ": the server's certificate is signed by no authority of " + stranger,
                refused(new NatsServers(List.of(url), null, stranger, null, null)));
        assertEquals(
                "NATS " + url + ": the server's certificate is signed by no authority of the JDK",
                refused(new NatsServers(List.of(url), null, null, null, null)));
    }

    @Test
    void connect_serverWithoutTls_isRefused() throws Exception {
        serve(null);
        String url = url("127.0.0.1");
        assertEquals(
                "NATS " + url + ": IOException: SSL connection wanted by client.",
                refused(new NatsServers(List.of(url), null, certificate("ca"), null, null)));
    }

    @Test
    void open_fileThatWillNotDo_isNamed() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty"), "");
        List<String> url = List.of("tls://h:1");
        for (NatsServers servers : List.of(
                new NatsServers(url, empty, null, null, null),
                new NatsServers(url, null, empty, null, null),
                new NatsServers(url, null, null, empty, key("device")),
                new NatsServers(url, null, null, certificate("device"), empty))) {
            String told = String.valueOf(assertThrows(IOException.class, () -> NatsClient.open(servers))
                    .getMessage());
            assertTrue(told.startsWith(empty + ": "), told);
        }
        String other = String.valueOf(assertThrows(
                        IOException.class,
                        () -> NatsClient.open(new NatsServers(url, null, null, certificate("device"), key("other"))))
                .getMessage());
        assertTrue(other.endsWith("other.key: the key is not that of the certificate"), other);
    }
}
