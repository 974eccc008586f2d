package io.heartwheel.loadgen.client;

import io.netty.channel.ChannelException;
import java.io.IOException;
import java.net.BindException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** End of a connection, as its device saw it. */
public enum ConnectionEnd {
    /** The gateway said CLOSE, or sent a WebSocket close frame. */
    CLOSE,
    /** The gateway ended the stream without a word. */
    END_OF_STREAM,
    /** The connection broke. */
    RESET,
    /** The gateway broke the wire document and the device hung up. */
    VIOLATION,
    /** The gateway did not accept the connection. */
    NOT_ACCEPTED,
    /** The generator's own machine failed: no descriptor, no port. */
    OWN_FAILURE,
    /** The device left as it should. */
    LEFT;

    /** What a failed connect means. */
    public static ConnectionEnd ofConnectFailure(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        boolean own = cause instanceof BindException
                || cause instanceof ChannelException
                || (message != null
                        && (message.contains("Too many open files")
                                || message.contains("Cannot assign requested address")
                                || message.contains("EADDRNOTAVAIL")));
        return own ? OWN_FAILURE : NOT_ACCEPTED;
    }

    /** What an exception on an open channel means. */
    static ConnectionEnd ofFailure(Throwable cause) {
        // a TLS alert comes wrapped as what a decoder threw
        return cause instanceof IOException || cause.getCause() instanceof SSLException ? RESET : VIOLATION;
    }
}
