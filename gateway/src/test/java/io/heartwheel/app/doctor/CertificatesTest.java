package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.Finding.Grade;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Findings on certificates of a hundred years, at the times that the test sets. */
class CertificatesTest {
    private static final String EC = fixture("ec.pem");
    private static final String CA = fixture("ca.pem");
    private static final String KEY = fixture("ec.key");

    @TempDir
    Path root;

    private static String fixture(String name) {
        try (InputStream in = CertificatesTest.class.getResourceAsStream("/io/heartwheel/transport/tls/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A year after they began. */
    private List<Finding> look(String certificate, String key) throws Exception {
        return look(certificate, key, Instant.now().plus(Duration.ofDays(365)));
    }

    private List<Finding> look(String certificate, String key, Instant now) throws Exception {
        Path certificateFile = Files.writeString(root.resolve("c.pem"), certificate);
        Path keyFile = Files.writeString(root.resolve("k.pem"), key);
        FakeMachine bed = new FakeMachine(root)
                .set("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", certificateFile.toString())
                .set("listeners.tcp.tls.key-file", keyFile.toString());
        bed.now = now;
        return Certificates.of(bed.context(1));
    }

    private static void assertOnly(Grade grade, String what, List<Finding> findings) {
        List<Finding> bad = FakeMachine.bad(findings);
        assertEquals(1, bad.size(), bad::toString);
        assertEquals(grade, bad.get(0).grade());
        assertTrue(bad.get(0).what().contains(what), bad::toString);
    }

    @Test
    void of_goodChain_isOkAndTellsItsEnd() throws Exception {
        List<Finding> findings = look(EC + CA, KEY);
        assertEquals(List.of(), FakeMachine.bad(findings));
        assertTrue(findings.get(0).what().contains("good until 2"), findings::toString);
        assertTrue(findings.get(0).what().endsWith("chain of 2"), findings::toString);
    }

    @Test
    void of_chainUpsideDown_fails() throws Exception {
        List<Finding> bad = FakeMachine.bad(look(CA + EC, KEY));
        assertTrue(bad.get(0).what().contains("certificate 2 has not signed the one before it"), bad::toString);
        assertEquals(Grade.FAIL, bad.get(0).grade());
    }

    @Test
    void of_aMonthBeforeItsEnd_warnsAndAfterItFails() throws Exception {
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(EC.getBytes(StandardCharsets.US_ASCII)));
        Instant end = certificate.getNotAfter().toInstant();
        assertEquals(List.of(), FakeMachine.bad(look(EC, KEY, end.minus(Duration.ofDays(31)))));
        assertOnly(Grade.WARN, "ends in 29 days", look(EC, KEY, end.minus(Duration.ofDays(29))));
        assertOnly(Grade.FAIL, "ended", look(EC, KEY, end.plusSeconds(1)));
        assertOnly(
                Grade.FAIL,
                "begins only",
                look(EC, KEY, certificate.getNotBefore().toInstant().minusSeconds(1)));
    }

    @Test
    void of_certificateWithoutNames_warns() throws Exception {
        assertOnly(Grade.WARN, "names no host", look(fixture("stranger.pem"), fixture("stranger.key")));
    }

    @Test
    void of_keyOfAnother_fails() throws Exception {
        assertOnly(Grade.FAIL, "k.pem: the key is not that of the certificate", look(EC + CA, fixture("stranger.key")));
    }

    @Test
    void of_noPem_fails() throws Exception {
        assertOnly(Grade.FAIL, "c.pem", look("not a certificate", "no key"));
        assertOnly(Grade.FAIL, "there is no CERTIFICATE block in it", look("", "no key"));
    }

    @Test
    void boringSsl_missing_isAWarningOnlyWithTls() throws Exception {
        look(EC, KEY);
        FakeMachine bed = new FakeMachine(root);
        bed.noBoringSsl = Optional.of("no such library");
        assertEquals(List.of(), FakeMachine.bad(Transports.of(bed.context(1))));
        bed.set("listeners.tcp.tls.enabled", "true")
                .set("listeners.tcp.tls.certificate-file", root.resolve("c.pem").toString())
                .set("listeners.tcp.tls.key-file", root.resolve("k.pem").toString());
        assertOnly(Grade.WARN, "BoringSSL does not load: no such library", Transports.of(bed.context(1)));
    }
}
