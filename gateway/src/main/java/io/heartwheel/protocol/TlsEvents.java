package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.TlsFailure;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.Session;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a TLS handshake: agreed on, or the cause of its failure. A channel that ended before the handshake did is neither.
 *
 * <p>Event loop of the connection only.
 */
final class TlsEvents {
    private TlsEvents() {}

    /** The handshake has ended. */
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
            boolean resumed = TlsInfo.isResumed(tls, sessionContext.wallMillis().getAsLong(), nanos);
            sessionContext.observer().secured(TlsInfo.version(tls), resumed, nanos);
        }
    }

    /** The handshake failed, or a record behind it: once, closes with what is known of the cause, and lets an alert of ours arrive. */
    static void failed(Session connection, ChannelPipeline pipeline, Throwable cause) {
        if (connection.state() == ConnectionState.CLOSED) {
            return;
        }
        TlsFailure failure = TlsInfo.failureOf(cause);
        connection.sessionContext().observer().tlsFailed(failure);
        if (failure != TlsFailure.NOT_TLS && failure != TlsFailure.PEER_ALERT) {
            AlertLinger.install(pipeline);
        }
        CertificateRefused refused = CertificateRefused.in(cause);
        if (refused == null) {
            connection.close(CloseReason.TLS_FAILED, failure.text());
        } else {
            Evidence.Certificate shown = refused.shown();
            connection.certificateRefused(
                    failure.text() + ": " + shown.problem().text(), shown);
        }
    }
}
