package io.heartwheel.protocol;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/**
 * An end that does not eat its own last words. Closing a socket with unread bytes in it resets the connection, and so does a peer that writes to
 * a closed one; the reset may overtake our last frame, and a WebSocket peer, which answers a close frame, would see one at every close. So our
 * side of the stream ends first, what still comes is read and dropped by the handlers in place, and the socket closes when the peer ends its own
 * side, {@value #MILLIS} ms later at the latest.
 *
 * <pre>
 *   last frame, FIN --&gt;        &lt;-- rest of what the peer had to say, FIN        close
 * </pre>
 */
public final class Linger {
    private static final int MILLIS = 1_000;

    private Linger() {}

    /** Ends the channel once its last bytes were written, and {@value #MILLIS} ms from now whether they were or not. Event loop only. */
    public static void after(ChannelFuture written) {
        Channel channel = written.channel();
        written.addListener((ChannelFutureListener) Linger::finish);
        channel.config().setAutoRead(true);
        channel.eventLoop().schedule(() -> channel.close(), MILLIS, TimeUnit.MILLISECONDS);
    }

    private static void finish(ChannelFuture written) {
        Channel channel = written.channel();
        if (!written.isSuccess()) {
            channel.close();
        } else if (channel instanceof DuplexChannel duplex && channel.pipeline().get(SslHandler.class) == null) {
            // TLS says its own good-bye when it closes, and can do so only while it may write
            duplex.shutdownOutput();
        }
    }
}
