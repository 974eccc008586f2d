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
                || (message != null && !remedy(message).isEmpty());
        return own ? OWN_FAILURE : NOT_ACCEPTED;
    }

    /** What mends a limit of this machine that a message tells of; empty when it tells of none. */
    public static String remedy(String message) {
        if (message.contains("Too many open files")) {
            return "no descriptor was left: ulimit -n, LimitNOFILE of a systemd unit, or fs.file-max";
        }
        if (message.contains("Cannot assign requested address") || message.contains("Address already in use")) {
            return "no local port was left, or --source names an address of another machine: come from more addresses (--source), widen net.ipv4.ip_local_port_range, or"
                    + " have ports in TIME_WAIT used again (net.ipv4.tcp_tw_reuse=1)";
        }
        return message.contains("No buffer space available") || message.contains("Cannot allocate memory")
                ? "no memory for sockets was left: fewer devices, or net.ipv4.tcp_mem"
                : "";
    }

    /** What an exception on an open channel means. */
    static ConnectionEnd ofFailure(Throwable cause) {
        // a TLS alert comes wrapped as what a decoder threw
        return cause instanceof IOException || cause.getCause() instanceof SSLException ? RESET : VIOLATION;
    }
}
