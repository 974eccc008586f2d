package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.Session;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.internal.tcnative.SSL;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events of a pipeline that are no bytes: its exceptions, turned into closes, and the outcome of a TLS handshake, with either provider.
 *
 * <p>Event loop of the connection only.
 */
final class PipelineEvents {
    private static final Logger LOG = LoggerFactory.getLogger(PipelineEvents.class);

    /** Providers tell the kind of a failure in words only: BoringSSL in its names of reasons, the JDK in its sentences. The first that fits counts. */
    private static final List<Map.Entry<TlsFailure, Pattern>> WORDS = List.of(
            words(
                    TlsFailure.CERTIFICATE_MISSING,
                    "PEER_DID_NOT_RETURN_A_CERTIFICATE|EMPTY CLIENT CERTIFICATE CHAIN|EMPTY CERTIFICATE CHAIN"),
            words(TlsFailure.CERTIFICATE_BAD, "CERTIFICATE_VERIFY_FAILED|PKIX PATH|BAD_SIGNATURE"),
            words(
                    TlsFailure.NOT_TLS,
                    "HTTP_REQUEST|HTTPS_PROXY_REQUEST|WRONG_VERSION_NUMBER|UNSUPPORTED OR UNRECOGNIZED SSL MESSAGE"),
            words(TlsFailure.VERSION, "UNSUPPORTED_PROTOCOL|PROTOCOL VERSION|REQUESTED PROTOCOL"),
            words(TlsFailure.CIPHER, "NO_SHARED_CIPHER|NO CIPHER SUITES IN COMMON|NO_SHARED_GROUP|NO_COMMON_SIGNATURE"),
            words(TlsFailure.PEER_ALERT, "_ALERT_|RECEIVED FATAL ALERT|RECEIVED CLOSE_NOTIFY"));

    private PipelineEvents() {}

    private static Map.Entry<TlsFailure, Pattern> words(TlsFailure kind, String words) {
        return Map.entry(kind, Pattern.compile(words, Pattern.CASE_INSENSITIVE));
    }

    /**
     * Closes with the reason: a fault of TLS, of the network, of memory or of the gateway itself, in this order. A channel that is closed already ends now,
     * unless an alert or a last frame is on its way.
     */
    static void caught(Session connection, Channel channel, Throwable cause) {
        if (cause instanceof SSLException) {
            failed(connection, channel.pipeline(), cause);
        } else if (cause instanceof IOException) {
            connection.close(CloseReason.PEER_RESET, "the connection broke");
        } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
            failed(connection, channel.pipeline(), cause.getCause());
        } else if (cause instanceof OutOfMemoryError) {
            connection.close(CloseReason.OVERLOADED, "the gateway has no memory for it");
        } else {
            if (connection.state() != ConnectionState.CLOSED) {
                LOG.error("connection {} of {} failed", channel, connection.protocolName(), cause);
            }
            connection.close(CloseReason.INTERNAL_ERROR, "a fault of the gateway");
        }
        if (channel.isOpen()
                && connection.state() == ConnectionState.CLOSED
                && !(cause instanceof ProtocolViolation)
                && !AlertLinger.isIn(channel.pipeline())) {
            Linger.cut(channel);
        }
    }

    // ------------------------------------------------------------------ TLS

    /** The handshake has ended. A channel that ended before it did is neither agreed on nor a failure. */
    static void happened(Session connection, ChannelPipeline pipeline, SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
            secured(connection, pipeline.get(SslHandler.class));
        } else if (!(handshake.cause() instanceof ClosedChannelException)) {
            failed(connection, pipeline, handshake.cause());
        }
    }

    private static void secured(Session connection, @Nullable SslHandler tls) {
        if (tls != null && connection.state() != ConnectionState.CLOSED) {
            var sessionContext = connection.sessionContext();
            long nowNanos = sessionContext.nanoTime();
            sessionContext.stalls().turned(nowNanos);
            long nanos = nowNanos - connection.openedNanos();
            boolean resumed =
                    isResumed(tls.engine(), sessionContext.wallMillis().getAsLong(), nanos);
            sessionContext.observer().secured(version(tls.engine()), resumed, nanos);
        }
    }

    /** Chain that the peer proved to own, its own certificate first; none without. */
    static List<X509Certificate> peerCertificates(ChannelPipeline pipeline) {
        SslHandler tls = pipeline.get(SslHandler.class);
        if (tls == null || !(tls.engine().getWantClientAuth() || tls.engine().getNeedClientAuth())) {
            return List.of();
        }
        try {
            return Arrays.stream(tls.engine().getSession().getPeerCertificates())
                    .filter(X509Certificate.class::isInstance)
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }

    private static String version(SSLEngine engine) {
        return switch (engine.getSession().getProtocol()) {
            case "TLSv1.3" -> "1.3";
            case "TLSv1.2" -> "1.2";
            default -> "other";
        };
    }

    /**
     * Whether the handshake went on with an earlier session. The JDK does not tell; but a session keeps the time of its birth, which is then before
     * that of the connection.
     */
    private static boolean isResumed(SSLEngine engine, long wallMillis, long nanosSinceAccept) {
        if (engine instanceof ReferenceCountedOpenSslEngine boring) {
            long ssl = boring.sslPointer();
            return ssl != 0 && SSL.isSessionReused(ssl);
        }
        return engine.getSession().getCreationTime() < wallMillis - TimeUnit.NANOSECONDS.toMillis(nanosSinceAccept) - 1;
    }

    /** The handshake failed, or a record behind it: once, closes with what is known of the cause, and lets an alert of ours arrive. */
    static void failed(Session connection, ChannelPipeline pipeline, Throwable cause) {
        if (connection.state() == ConnectionState.CLOSED) {
            return;
        }
        CertificateRefused refused = CertificateRefused.in(cause);
        TlsFailure failure = refused == null ? failureOf(cause) : TlsFailure.CERTIFICATE_BAD;
        connection.sessionContext().observer().tlsFailed(failure);
        if (failure != TlsFailure.NOT_TLS && failure != TlsFailure.PEER_ALERT) {
            AlertLinger.install(pipeline);
        }
        if (refused == null) {
            connection.close(CloseReason.TLS_FAILED, failure.text());
        } else {
            Evidence.Certificate shown = refused.shown();
            connection.certificateRefused(
                    failure.text() + ": " + shown.problem().text(), shown);
        }
    }

    private static TlsFailure failureOf(Throwable failure) {
        TlsFailure otherwise = TlsFailure.MALFORMED;
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof NotSslRecordException) {
                return TlsFailure.NOT_TLS;
            }
            if (at instanceof CertificateException || at instanceof CertPathValidatorException) {
                otherwise = TlsFailure.CERTIFICATE_BAD;
            }
            String message = String.valueOf(at.getMessage());
            for (Map.Entry<TlsFailure, Pattern> kind : WORDS) {
                if (kind.getValue().matcher(message).find()) {
                    return kind.getKey();
                }
            }
        }
        return otherwise;
    }
}
