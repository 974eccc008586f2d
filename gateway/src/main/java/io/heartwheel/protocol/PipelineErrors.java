package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.session.Session;
import io.netty.channel.Channel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exceptions of a pipeline, turned into closes: a fault of TLS, of the network, of memory or of the gateway itself, in this order.
 *
 * <p>Event loop of the connection only.
 */
final class PipelineErrors {
    private static final Logger LOG = LoggerFactory.getLogger(PipelineErrors.class);

    private PipelineErrors() {}

    /** Closes with the reason. A channel that is closed already ends now, unless an alert or a last frame is on its way. */
    static void caught(Session connection, Channel channel, Throwable cause) {
        if (cause instanceof SSLException) {
            TlsEvents.failed(connection, channel.pipeline(), cause);
        } else if (cause instanceof IOException) {
            connection.close(CloseReason.PEER_RESET, "the connection broke");
        } else if (cause instanceof DecoderException && cause.getCause() instanceof SSLException) {
            TlsEvents.failed(connection, channel.pipeline(), cause.getCause());
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
}
