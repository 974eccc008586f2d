package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.transport.tls.CertificateFiles;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TLS as the operator writes it. */
class TlsRulesTest {
    @TempDir
    private Path directory;

    private Path pem;

    @BeforeEach
    void writeAFile() throws Exception {
        pem = Files.writeString(directory.resolve("a.pem"), "x");
    }

    @Test
    void load_allKeysOfAListener_areTaken() throws Exception {
        TlsSettings tls = listener(
                """
                provider = boringssl, certificate-file = ${p}, key-file = ${p}, ocsp-file = "later.der"
                sni = [
                  { hosts = ["A.example", "*.b.example"], certificate-file = ${p}, key-file = ${p}, ocsp-file = ${p} }
                  { certificate-file = ${p}, key-file = ${p} }
                ]
                min-version = 1.2
                ciphers = [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"]
                client-auth = optional, client-ca-file = ${p}
                """);

        assertEquals(
                new TlsSettings(
                        TlsSettings.Provider.BORINGSSL,
                        List.of(
                                new CertificateFiles("default", pem, pem, Path.of("later.der"), List.of()),
                                new CertificateFiles("sni-1", pem, pem, pem, List.of("a.example", "*.b.example")),
                                new CertificateFiles("sni-2", pem, pem, null, List.of())),
                        TlsSettings.Version.V1_2,
                        List.of("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
                        TlsSettings.ClientAuth.OPTIONAL,
                        pem),
                tls);
    }

    @Test
    void load_oldestVersion_isANumberOrText() throws Exception {
        for (String written : List.of("1.3", "\"1.3\"")) {
            TlsSettings tls = listener("certificate-file = ${p}, key-file = ${p}, min-version = " + written);
            assertEquals(TlsSettings.Version.V1_3, tls.oldest());
        }
    }

    @Test
    void load_tlsOff_isNone() throws Exception {
        assertNull(tls("heartwheel.listeners.tcp.tls { certificate-file = \"/nowhere\", key-file = \"/nowhere\", "
                + "client-auth = required, sni = [{ certificate-file = \"/no\", key-file = \"/no\" }] }"));
    }

    @Test
    void load_tlsOff_wordsAndRangesCountAllTheSame() throws Exception {
        List<String> problems = problems(
                """
                heartwheel.listeners.tcp.tls {
                  provider = openssl
                  min-version = 1.1
                  ciphers = [TLS_RSA_WITH_RC4_128_MD5]
                  client-auth = perhaps
                  sni = [{ hosts = ["a b"], certificate-file = "c", key-file = "k" }]
                }
                """);

        String tls = "heartwheel.listeners.tcp.tls.";
        assertEquals(5, problems.size(), problems::toString);
        assertEquals(tls + "provider = openssl: need auto, boringssl or jdk (gateway.conf:2)", problems.get(0));
        assertTrue(problems.get(2).contains("]: need names of TLS 1.2 ciphers"), problems::toString);
        assertTrue(problems.get(4).endsWith(": need a list of host names, or *. before one (gateway.conf:6)"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sni = 5|sni = 5: need a list of { hosts, certificate-file, key-file, ocsp-file }",
                "sni = [5]|sni[0] = 5: need { hosts, certificate-file, key-file, ocsp-file }",
                "sni = [{ certificate-file = ${p}, key-file = ${p}, host = a }]|sni[0].host = a: unknown key, need hosts, certificate-file, key-file, ocsp-file",
                "sni = [{ certificate-file = ${p}, key-file = \"/no\" }]|sni[0].key-file = /no: need a file that exists and can be read",
                "sni = [{ certificate-file = ${p}, key-file = 7 }]|sni[0].key-file = 7: need a file that exists and can be read",
                "sni = [{ hosts = a.example, certificate-file = ${p}, key-file = ${p} }]|sni[0].hosts = a.example: need a list of host names, or *. before one",
                "sni = [{ hosts = [a.b], certificate-file = ${p}, key-file = ${p} }, { hosts = [A.b], certificate-file = ${p}, key-file = ${p} }]|"
                        + "sni[1].hosts = [\"A.b\"]: need each host once, a.b stands twice",
                "min-version = 1.3, ciphers = [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]|"
                        + "ciphers = [\"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\"]: need [] with min-version = 1.3, whose ciphers are fixed",
                "provider = jdk, ocsp-file = ${p}|ocsp-file = ${p}: need \"\" with provider = jdk, which staples nothing",
                "client-auth = optional|client-ca-file = \"\": need a file",
                "client-auth = required|client-ca-file = \"\": need a file",
            })
    void load_oneMistake_isTold(String written, String said) {
        List<String> problems = problems("heartwheel.listeners.tcp.tls { enabled = true, certificate-file = ${p}, "
                + "key-file = ${p}, " + written + " }");

        assertEquals(1, problems.size(), problems::toString);
        String expected = "heartwheel.listeners.tcp.tls." + said.replace("${p}", pem.toString());
        assertEquals(expected, problems.get(0).replaceFirst(" \\((gateway.conf:1|built-in default)\\)$", ""));
    }

    @Test
    void load_sniWithoutFiles_isToldWhichIsMissing() {
        List<String> problems = problems("heartwheel.listeners.tcp.tls.sni = [{ hosts = [a.example] }]");

        assertEquals(2, problems.size(), problems::toString);
        assertTrue(problems.get(0).endsWith(": need certificate-file (gateway.conf:1)"), problems::toString);
        assertTrue(problems.get(1).endsWith(": need key-file (gateway.conf:1)"), problems::toString);
    }

    @Test
    void load_listenersOfOwnName_takeTheRestFromTheTemplate() throws Exception {
        TlsSettings tls = tls("heartwheel.listeners { mine { bind = \"127.0.0.1:0\", "
                + "tls { enabled = true, certificate-file = ${p}, key-file = ${p} } } }");

        assertEquals(TlsSettings.Provider.AUTO, tls.provider());
        assertEquals(List.of(), tls.ciphers());
    }

    @Test
    void load_upkeep_isTaken() throws Exception {
        Path keys = directory.resolve("keys");
        TlsUpkeepSettings upkeep = load("heartwheel.tls { tickets { key-file = \"" + keys
                        + "\", rotation = 1h }, watch { enabled = false, period = 5s } }")
                .tls();

        assertEquals(
                new TlsUpkeepSettings(
                        new TlsUpkeepSettings.Tickets(true, keys, Duration.ofHours(1)),
                        new TlsUpkeepSettings.Watch(false, Duration.ofSeconds(5))),
                upkeep);
    }

    @Test
    void load_ticketKeys_needTheirDirectoryOnlyWhenEnabled() throws Exception {
        assertEquals(
                List.of(
                        "heartwheel.tls.tickets.key-file = /nowhere/keys: need a file in a directory that exists (gateway.conf:1)"),
                problems("heartwheel.tls.tickets.key-file = \"/nowhere/keys\""));
        TlsUpkeepSettings off = load("heartwheel.tls.tickets { enabled = false, key-file = \"/nowhere/keys\" }")
                .tls();
        assertEquals(Path.of("/nowhere/keys"), off.tickets().keyFile());
    }

    private TlsSettings listener(String keys) throws Exception {
        return tls("heartwheel.listeners.tcp.tls { enabled = true\n" + keys + "\n}");
    }

    private TlsSettings tls(String text) throws Exception {
        return load(text).listeners().get(0).tls();
    }

    private GatewaySettings load(String text) throws Exception {
        return Loading.load(write(text), Map.of(), Map.of());
    }

    private List<String> problems(String text) {
        return Loading.problems(() -> load(text));
    }

    private Path write(String text) throws Exception {
        return Loading.file(directory, text.replace("${p}", '"' + pem.toString() + '"'));
    }
}
