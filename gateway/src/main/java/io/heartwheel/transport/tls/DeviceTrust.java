package io.heartwheel.transport.tls;

import io.heartwheel.event.CertificateProblem;
import io.heartwheel.net.ClientTls;
import io.heartwheel.protocol.CertificateRefused;
import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.internal.tcnative.CertificateVerifier;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trust in certificates of devices: those are believed that the JDK's PKIX rules allow under the listener's authorities. What this adds is the reason of a
 * refusal, for the evidence of the close and for the alert to the device (RFC 8446 section 6.2):
 *
 * <pre>
 *   unknown authority      unknown_ca
 *   expired, not yet valid certificate_expired
 *   wrong use              unsupported_certificate
 *   anything else          bad_certificate
 * </pre>
 *
 * BoringSSL sends the alert that goes with the code of an {@link OpenSslCertificateException}; the JDK's provider says certificate_unknown to all.
 *
 * <p>Any thread.
 */
final class DeviceTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager rules;
    private final boolean boring;

    private DeviceTrust(X509ExtendedTrustManager rules, boolean boring) {
        this.rules = rules;
        this.boring = boring;
    }

    /** @throws IllegalArgumentException if the authorities will not do */
    static DeviceTrust in(List<X509Certificate> authorities, boolean boring) {
        try {
            for (TrustManager each : ClientTls.trust(authorities).getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager rules) {
                    return new DeviceTrust(rules, boring);
                }
            }
            throw new IllegalArgumentException("this JDK has no rules for certificates");
        } catch (GeneralSecurityException | IOException unusable) {
            throw new IllegalArgumentException(String.valueOf(unusable.getMessage()), unusable);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        try {
            rules.checkClientTrusted(chain, authType, engine);
        } catch (CertificateException cause) {
            throw refused(chain, cause);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        checkClientTrusted(chain, authType, (SSLEngine) null);
    }

    private CertificateException refused(X509Certificate[] chain, CertificateException cause) {
        CertificateProblem problem = problemOf(cause);
        CertificateRefused refused = new CertificateRefused(chain[0], problem, cause);
        return boring ? new OpenSslCertificateException(problem.text(), refused, codeOf(problem)) : refused;
    }

    private static CertificateProblem problemOf(CertificateException refusal) {
        for (Throwable at = refusal; at != null; at = at.getCause()) {
            CertificateProblem told = told(at);
            if (told != null) {
                return told;
            }
        }
        return CertificateProblem.OTHER;
    }

    private static @Nullable CertificateProblem told(Throwable cause) {
        CertPathValidatorException.Reason reason =
                cause instanceof CertPathValidatorException path ? path.getReason() : null;
        if (cause instanceof CertificateExpiredException || reason == BasicReason.EXPIRED) {
            return CertificateProblem.EXPIRED;
        }
        if (cause instanceof CertificateNotYetValidException || reason == BasicReason.NOT_YET_VALID) {
            return CertificateProblem.NOT_YET_VALID;
        }
        if (cause instanceof SignatureException || reason == BasicReason.INVALID_SIGNATURE) {
            return CertificateProblem.BAD_SIGNATURE;
        }
        // the JDK has no type of its own for a key usage that does not fit
        boolean use = String.valueOf(cause.getMessage()).contains("ey usage does not");
        if (use || reason == PKIXReason.INVALID_KEY_USAGE) {
            return CertificateProblem.WRONG_USE;
        }
        return cause instanceof CertPathBuilderException || reason == PKIXReason.NO_TRUST_ANCHOR
                ? CertificateProblem.UNKNOWN_AUTHORITY
                : null;
    }

    private static int codeOf(CertificateProblem problem) {
        return switch (problem) {
            case UNKNOWN_AUTHORITY -> CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
            case EXPIRED, NOT_YET_VALID -> CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED;
            case WRONG_USE -> CertificateVerifier.X509_V_ERR_INVALID_PURPOSE;
            case BAD_SIGNATURE, OTHER -> CertificateVerifier.X509_V_ERR_CERT_REJECTED;
        };
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return rules.getAcceptedIssuers();
    }

    // ------------------------------------------------------------------ of servers: a gateway is none's client

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        rules.checkServerTrusted(chain, authType, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        rules.checkServerTrusted(chain, authType, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        rules.checkServerTrusted(chain, authType);
    }
}
