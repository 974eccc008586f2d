package io.heartwheel.protocol;

import io.heartwheel.event.CertificateProblem;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.SafeText;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * Refusal of a device's certificate: whose, and why. It comes through the provider of TLS as the cause of the failed handshake. Its message
 * holds no words of the certificate, which anybody may have written.
 */
@SuppressWarnings("serial") // never serialised
public final class CertificateRefused extends CertificateException {
    /** Longest subject or issuer that is told, bytes of UTF-8. */
    private static final int MAX_NAME_BYTES = 256;
    /** Longest serial number that is told, hexadecimal digits: RFC 5280 section 4.1.2.2 allows 40. */
    private static final int MAX_SERIAL_DIGITS = 64;

    private final Evidence.Certificate shown;

    /** @param leaf the device's own certificate */
    public CertificateRefused(X509Certificate leaf, CertificateProblem problem, CertificateException cause) {
        super(problem.text(), cause);
        shown = new Evidence.Certificate(
                SafeText.of(leaf.getSubjectX500Principal().getName(), MAX_NAME_BYTES),
                SafeText.of(leaf.getIssuerX500Principal().getName(), MAX_NAME_BYTES),
                SafeText.of(leaf.getSerialNumber().toString(16), MAX_SERIAL_DIGITS),
                problem);
    }

    /** The certificate and what is wrong with it. */
    public Evidence.Certificate shown() {
        return shown;
    }

    /** The one that made a handshake fail; null if none did. */
    static @Nullable CertificateRefused in(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof CertificateRefused refused) {
                return refused;
            }
            for (Throwable beside : at.getSuppressed()) {
                CertificateRefused found = beside == at ? null : in(beside);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }
}
