package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A check reads files that a listener would only read when it opens, and reports them with all other mistakes. */
class CheckTest {
    /** A file that exists and that nobody may read, not even root. */
    private static final Path CLOSED = Path.of("/proc/sys/vm/compact_memory");

    @TempDir
    private Path directory;

    /** Here, where their paths are short enough to be shown whole. */
    @BeforeEach
    void copyCertificates() throws Exception {
        for (String name : List.of("ec.pem", "ec.key", "rsa.pem", "rsa.key", "rsa-encrypted.key", "stranger.key")) {
            try (InputStream in = getClass().getResourceAsStream("/io/heartwheel/transport/tls/" + name)) {
                Files.copy(in, directory.resolve(name));
            }
        }
    }

    @Test
    void check_filesThatWillNotDo_areToldWithAllOtherMistakes() throws Exception {
        String text =
                """
                heartwheel {
                  wheel.tik = 1ms
                  listeners.tcp.tls {
                    enabled = true, min-version = 1.1, client-auth = required
                    certificate-file = "${d}/ec.pem"
                    key-file = "${d}/stranger.key"
                    client-ca-file = "${d}/ec.key"
                    sni = [
                      { certificate-file = "${d}/rsa.pem"
                        key-file = "${d}/rsa-encrypted.key" }
                      { certificate-file = "${d}/ec.key", key-file = "${d}/none.key" }
                    ]
                  }
                  listeners.websocket.tls {
                    enabled = true, certificate-file = "${d}/rsa.pem"
                    key-file = "${d}/ec.key"
                  }
                }
                """;

        String tls = "heartwheel.listeners.tcp.tls.";
        assertEquals(
                List.of(
                        "heartwheel.wheel.tik: unknown key, did you mean heartwheel.wheel.tick? (gateway.conf:2)",
                        tls + "min-version = 1.1: need 1.2 or 1.3 (gateway.conf:4)",
                        tls + "key-file = ${d}/stranger.key: the key is not that of the certificate (gateway.conf:6)",
                        tls + "client-ca-file = ${d}/ec.key: there is no CERTIFICATE block in it (gateway.conf:7)",
                        tls + "sni[0].key-file = ${d}/rsa-encrypted.key: the key is encrypted, need one without a "
                                + "passphrase (gateway.conf:10)",
                        tls
                                + "sni[1].key-file = ${d}/none.key: need a file that exists and can be read (gateway.conf:11)",
                        tls
                                + "sni[1].certificate-file = ${d}/ec.key: there is no CERTIFICATE block in it (gateway.conf:11)",
                        "heartwheel.listeners.websocket.tls.key-file = ${d}/ec.key: the key is broken, or of another kind "
                                + "than the certificate's (gateway.conf:16)"),
                problems(text));
    }

    @Test
    void check_whatOnlyTheWholeShows_isTold() throws Exception {
        assertEquals(
                List.of(
                        "heartwheel.listeners.tcp.tls.ciphers = [\"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\"]: need one for "
                                + "the EC key of ${d}/ec.pem (gateway.conf:1)"),
                problems(tls("certificate-file = \"${d}/ec.pem\", key-file = \"${d}/ec.key\", "
                        + "ciphers = [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]")));
    }

    @Test
    void check_keyThatThisUserMayNotRead_isToldAsThat() throws Exception {
        String may = ": need a file that can be read; user " + System.getProperty("user.name") + " may not read it ";

        assertEquals(
                List.of(
                        "heartwheel.listeners.tcp.tls.key-file = " + CLOSED + may + "(gateway.conf:1)",
                        "heartwheel.listeners.tcp.tls.sni[0].key-file = " + CLOSED + may + "(gateway.conf:1)"),
                problems(tls("certificate-file = \"${d}/ec.pem\", key-file = \"" + CLOSED
                        + "\", sni = [{ certificate-file = \"${d}/rsa.pem\", key-file = \"" + CLOSED
                        + "\" }]")));
    }

    @Test
    void check_tlsOff_looksIntoNoFile() {
        assertDoesNotThrow(() ->
                check("heartwheel.listeners.tcp.tls { certificate-file = \"/nowhere\", key-file = \"/nowhere\" }"));
    }

    @Test
    void read_filesThatWillNotDo_areLeftToTheListener() {
        String text = tls("certificate-file = \"${d}/ec.pem\", key-file = \"${d}/rsa.key\"");

        assertDoesNotThrow(() -> ConfigLoader.read(write(text), Map.of(), Map.of()));
    }

    @Test
    void check_filesOfMethods_areReadWhole() throws Exception {
        Files.writeString(directory.resolve("tokens"), "a no-hash\nb");
        Files.writeString(directory.resolve("list"), "none");
        String text = "heartwheel { auth { mode = methods, methods = [certificate, tokens]\n"
                + "tokens.file = \"${d}/tokens\", certificate.crl-file = \"${d}/list\" }\n"
                + "listeners.tcp.tls { enabled = true, client-auth = required, client-ca-file = \"${d}/ec.pem\"\n"
                + "certificate-file = \"${d}/ec.pem\", key-file = \"${d}/ec.key\" } }";
        String need =
                ": need DEVICE-ID HASH [HASH] [groups=A,B] [rate-class=NAME] [interval=5s..60s] [NAME=VALUE ...], HASH "
                        + "being sha256:SALT:DIGEST with 32 and 64 hexadecimal digits";

        assertEquals(
                List.of(
                        "heartwheel.auth.certificate.crl-file = ${d}/list: a list in it is broken",
                        "heartwheel.auth.tokens.file = ${d}/tokens: line 1" + need,
                        "heartwheel.auth.tokens.file = ${d}/tokens: line 2" + need),
                problems(text));
        assertDoesNotThrow(() -> ConfigLoader.read(write(text), Map.of(), Map.of()));
    }

    private static String tls(String keys) {
        return "heartwheel.listeners.tcp.tls { enabled = true, " + keys + " }";
    }

    private LoadedConfig check(String text) throws Exception {
        return ConfigLoader.check(write(text), Map.of(), Map.of());
    }

    private List<String> problems(String text) throws Exception {
        return Loading.problems(() -> check(text)).stream()
                .map(problem -> problem.replace(directory.toString(), "${d}"))
                .toList();
    }

    private Path write(String text) throws Exception {
        return Loading.file(directory, text.replace("${d}", directory.toString()));
    }
}
