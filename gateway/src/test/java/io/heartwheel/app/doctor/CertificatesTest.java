package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.Finding.Grade;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Findings on certificates that the JDK's keytool made. */
class CertificatesTest {
    private static final char[] PASSWORD = "heartwheel".toCharArray();

    @TempDir
    private static Path keysDirectory;

    private static KeyStore keys;

    @TempDir
    Path root;

    @BeforeAll
    static void make() throws Exception {
        Path file = keysDirectory.resolve("keys.p12");
        keytool(file, "ca", "-ext", "bc:c");
        keytool(file, "good", "-signer", "ca", "-ext", "san=dns:localhost");
        keytool(file, "nameless", "-signer", "ca");
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
    }

    private static void keytool(Path file, String alias, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
        command.addAll(List.of("-keystore", file.toString(), "-storetype", "PKCS12", "-alias", alias));
        command.addAll(List.of("-storepass", new String(PASSWORD), "-dname", "CN=" + alias));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "90"));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    private List<Finding> look(List<Certificate> chain, String keyOf, Duration later) throws Exception {
        StringBuilder text = new StringBuilder();
        for (Certificate each : chain) {
            text.append(pem("CERTIFICATE", each.getEncoded()));
        }
        return look(
                text.toString(), pem("PRIVATE KEY", keys.getKey(keyOf, PASSWORD).getEncoded()), later);
    }

    private List<Finding> look(String certificate, String key, Duration later) throws Exception {
        Path certificateFile = Files.writeString(root.resolve("c.pem"), certificate);
        Path keyFile = Files.writeString(root.resolve("k.pem"), key);
        FakeMachine bed = new FakeMachine(root)
                .set("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", certificateFile.toString())
                .set("listeners.tcp.tls.key-file", keyFile.toString());
        bed.now = Instant.now().plus(later);
        return Certificates.of(bed.context(1));
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + type
                + "-----\n";
    }

    private static List<Certificate> chain(String alias) throws Exception {
        return new ArrayList<>(List.of(keys.getCertificateChain(alias)));
    }

    private static void assertOnly(Grade grade, String what, List<Finding> findings) {
        List<Finding> bad = FakeMachine.bad(findings);
        assertEquals(1, bad.size(), bad::toString);
        assertEquals(grade, bad.get(0).grade());
        assertTrue(bad.get(0).what().contains(what), bad::toString);
    }

    @Test
    void of_goodChain_isOkAndTellsItsEnd() throws Exception {
        List<Finding> findings = look(chain("good"), "good", Duration.ZERO);
        assertEquals(List.of(), FakeMachine.bad(findings));
        assertTrue(findings.get(0).what().contains("good until 2"), findings::toString);
        assertTrue(findings.get(0).what().endsWith("chain of 2"), findings::toString);
    }

    @Test
    void of_chainUpsideDown_fails() throws Exception {
        List<Certificate> chain = chain("good");
        Collections.reverse(chain);
        List<Finding> bad = FakeMachine.bad(look(chain, "ca", Duration.ZERO));
        assertTrue(bad.get(0).what().contains("certificate 2 has not signed the one before it"), bad::toString);
        assertEquals(Grade.FAIL, bad.get(0).grade());
    }

    @Test
    void of_aMonthBeforeItsEnd_warnsAndAfterItFails() throws Exception {
        List<Certificate> own = chain("good").subList(0, 1);
        assertEquals(List.of(), FakeMachine.bad(look(own, "good", Duration.ofDays(59))));
        assertOnly(Grade.WARN, "ends in 28 days", look(own, "good", Duration.ofDays(61)));
        assertOnly(Grade.FAIL, "ended", look(own, "good", Duration.ofDays(91)));
        assertOnly(Grade.FAIL, "begins only", look(own, "good", Duration.ofDays(-1)));
    }

    @Test
    void of_certificateWithoutNames_warns() throws Exception {
        assertOnly(Grade.WARN, "names no host", look(chain("nameless"), "nameless", Duration.ZERO));
    }

    @Test
    void of_keyOfAnother_fails() throws Exception {
        assertOnly(
                Grade.FAIL,
                "k.pem: the key is not that of the certificate",
                look(chain("good"), "nameless", Duration.ZERO));
    }

    @Test
    void of_noPem_fails() throws Exception {
        assertOnly(Grade.FAIL, "c.pem", look("not a certificate", "no key", Duration.ZERO));
        assertOnly(Grade.FAIL, "there is no CERTIFICATE block in it", look("", "no key", Duration.ZERO));
    }

    @Test
    void of_brokenKey_fails() throws Exception {
        String certificate = pem("CERTIFICATE", chain("good").get(0).getEncoded());
        assertOnly(
                Grade.FAIL,
                "k.pem: the key is broken, or of another kind than the certificate's",
                look(certificate, pem("PRIVATE KEY", new byte[] {1, 2, 3}), Duration.ZERO));
    }

    /** As tools write them: PKCS #8, SEC 1, PKCS #1, with a passphrase. */
    @ParameterizedTest
    @CsvSource({
        "ec.pem,ec.key,",
        "ec.pem,ec-sec1.key,",
        "rsa.pem,rsa-pkcs1.key,",
        "ec.pem,stranger.key,the key is not that of the certificate",
        "ec.pem,rsa-pkcs1.key,'the key is broken, or of another kind than the certificate''s'",
        "rsa.pem,rsa-encrypted.key,'the key is encrypted, need one without a passphrase'",
        "rsa.pem,rsa-pkcs1-encrypted.key,'the key is encrypted, need one without a passphrase'",
        "rsa.pem,rsa.pem,there is no PRIVATE KEY block in it",
        "ed25519.pem,ed25519.key,'its key is of the kind EdDSA, need RSA or EC'",
    })
    void of_keyInAnyForm_isLookedAtAsAListenerDoes(String certificate, String key, String fault) throws Exception {
        List<String> ofTheKey = FakeMachine.bad(look(fixture(certificate), fixture(key), Duration.ZERO)).stream()
                .map(Finding::what)
                .filter(what -> what.contains("k.pem"))
                .toList();

        String start = "listener tcp, " + root.resolve("c.pem") + ": key " + root.resolve("k.pem") + ": ";
        assertEquals(fault == null ? List.of() : List.of(start + fault), ofTheKey);
    }

    private static String fixture(String name) throws Exception {
        try (InputStream in = CertificatesTest.class.getResourceAsStream("/io/heartwheel/transport/tls/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void boringSsl_missing_isAWarningOnlyWithTls() throws Exception {
        look(chain("good"), "good", Duration.ZERO);
        FakeMachine bed = new FakeMachine(root);
        bed.noBoringSsl = Optional.of("no such library");
        assertEquals(List.of(), FakeMachine.bad(Transports.of(bed.context(1))));
        bed.set("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", root.resolve("c.pem").toString())
                .set("listeners.tcp.tls.key-file", root.resolve("k.pem").toString());
        assertOnly(Grade.WARN, "BoringSSL does not load: no such library", Transports.of(bed.context(1)));
    }
}
