package io.heartwheel.transport.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CertificateProblem;
import io.heartwheel.event.Evidence;
import io.heartwheel.protocol.CertificateRefused;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCertificateException;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceTrustTest {
    private static DeviceTrust trust(boolean boring) {
        return DeviceTrust.in(List.of(Fixtures.x509("ca.pem")), boring);
    }

    private static Evidence.Certificate refused(X509Certificate leaf) {
        CertificateException refusal = assertThrows(
                CertificateException.class, () -> trust(false).checkClientTrusted(new X509Certificate[] {leaf}, "EC"));
        return assertInstanceOf(CertificateRefused.class, refusal).shown();
    }

    @Test
    void check_ofTheAuthority_isBelieved() throws Exception {
        trust(true).checkClientTrusted(new X509Certificate[] {Fixtures.x509("ec.pem")}, "EC");
        assertEquals(1, trust(true).getAcceptedIssuers().length);
    }

    @Test
    void check_stranger_isOfNoAuthority() {
        Evidence.Certificate shown = refused(Fixtures.x509("stranger.pem"));
        X509Certificate stranger = Fixtures.x509("stranger.pem");
        assertEquals(CertificateProblem.UNKNOWN_AUTHORITY, shown.problem());
        assertEquals(stranger.getSubjectX500Principal().getName(), shown.subject());
        assertEquals(stranger.getIssuerX500Principal().getName(), shown.issuer());
        assertEquals(stranger.getSerialNumber().toString(16), shown.serial());
    }

    @Test
    void check_changedAfterItWasSigned_hasABadSignature() throws Exception {
        byte[] bytes = Fixtures.x509("ec.pem").getEncoded();
        bytes[bytes.length - 1] = (byte) (bytes[bytes.length - 1] ^ 1);
        X509Certificate changed = (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        assertEquals(CertificateProblem.BAD_SIGNATURE, refused(changed).problem());
    }

    @Test
    void check_forBoringSsl_carriesACodeAndTheReason() {
        assertTrue(OpenSsl.isAvailable());
        CertificateException refusal = assertThrows(CertificateException.class, () -> trust(true)
                .checkClientTrusted(new X509Certificate[] {Fixtures.x509("stranger.pem")}, "EC"));
        assertInstanceOf(OpenSslCertificateException.class, refusal);
        assertInstanceOf(CertificateRefused.class, refusal.getCause());
    }
}
