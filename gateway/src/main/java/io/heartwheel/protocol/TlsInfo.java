package io.heartwheel.protocol;

import io.heartwheel.event.TlsFailure;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Facts of a connection's TLS, with either provider. On the channel's loop, once a handshake. */
final class TlsInfo {
    private TlsInfo() {}

    /** {@code 1.2} or {@code 1.3}. */
    static String version(SslHandler tls) {
        return switch (tls.engine().getSession().getProtocol()) {
            case "TLSv1.3" -> "1.3";
            case "TLSv1.2" -> "1.2";
            default -> "other";
        };
    }

    /**
     * Whether the handshake went on with an earlier session. The JDK does not tell; but a session keeps the time of its birth, which is then before
     * that of the connection.
     *
     * @param wallMillis now, milliseconds since 1970
     * @param nanosSinceAccept age of the connection
     */
    static boolean isResumed(SslHandler tls, long wallMillis, long nanosSinceAccept) {
        SSLEngine engine = tls.engine();
        if (engine instanceof ReferenceCountedOpenSslEngine boring) {
            long ssl = boring.sslPointer();
            return ssl != 0 && SSL.isSessionReused(ssl);
        }
        return engine.getSession().getCreationTime() < wallMillis - TimeUnit.NANOSECONDS.toMillis(nanosSinceAccept) - 1;
    }

    /** What kind of failure this is. Providers tell it in words only: of BoringSSL its names of reasons, of the JDK its sentences. */
    static TlsFailure failureOf(Throwable failure) {
        if (CertificateRefused.in(failure) != null) {
            return TlsFailure.CERTIFICATE_BAD;
        }
        boolean bad = false;
        for (Throwable at = failure; at != null; at = next(at)) {
            if (at instanceof NotSslRecordException) {
                return TlsFailure.NOT_TLS;
            }
            bad |= at instanceof CertificateException || at instanceof java.security.cert.CertPathValidatorException;
            TlsFailure told = told(String.valueOf(at.getMessage()).toUpperCase(Locale.ROOT));
            if (told != null) {
                return told;
            }
        }
        return bad ? TlsFailure.CERTIFICATE_BAD : TlsFailure.MALFORMED;
    }

    private static @Nullable Throwable next(Throwable at) {
        return at.getCause() == at ? null : at.getCause();
    }

    private static @Nullable TlsFailure told(String words) {
        if (holds(
                words,
                "PEER_DID_NOT_RETURN_A_CERTIFICATE",
                "EMPTY CLIENT CERTIFICATE CHAIN",
                "EMPTY CERTIFICATE CHAIN")) {
            return TlsFailure.CERTIFICATE_MISSING;
        }
        if (holds(words, "CERTIFICATE_VERIFY_FAILED", "PKIX PATH", "BAD_SIGNATURE")) {
            return TlsFailure.CERTIFICATE_BAD;
        }
        if (holds(
                words,
                "HTTP_REQUEST",
                "HTTPS_PROXY_REQUEST",
                "WRONG_VERSION_NUMBER",
                "UNSUPPORTED OR UNRECOGNIZED SSL MESSAGE")) {
            return TlsFailure.NOT_TLS;
        }
        if (holds(words, "UNSUPPORTED_PROTOCOL", "PROTOCOL VERSION", "REQUESTED PROTOCOL")) {
            return TlsFailure.VERSION;
        }
        if (holds(words, "NO_SHARED_CIPHER", "NO CIPHER SUITES IN COMMON", "NO_SHARED_GROUP", "NO_COMMON_SIGNATURE")) {
            return TlsFailure.CIPHER;
        }
        if (holds(words, "_ALERT_", "RECEIVED FATAL ALERT", "RECEIVED CLOSE_NOTIFY")) {
            return TlsFailure.PEER_ALERT;
        }
        return null;
    }

    private static boolean holds(String words, String... parts) {
        for (String part : parts) {
            if (words.contains(part)) {
                return true;
            }
        }
        return false;
    }
}
