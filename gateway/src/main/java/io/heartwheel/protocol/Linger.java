package io.heartwheel.protocol;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/**
 * An end that does not eat its own last words. Closing a socket with unread bytes in it resets the connection, and so does a peer that writes to
 * a closed one; the reset may overtake our last frame, and a WebSocket peer, which answers a close frame, would see one at every close. So our
 * side of the stream ends first, what still comes is read and dropped by the handlers in place, and the socket closes when the peer ends its own
 * side, a second later at the latest: a session's entry in the wheel sees to that.
 *
 * <pre>
 *   last frame, FIN --&gt;        &lt;-- rest of what the peer had to say, FIN        close
 * </pre>
 */
public final class Linger {
    private static final int MILLIS = 1_000;

    private Linger() {}

    /** Ends our side once these last bytes were written; the caller bounds the wait for the other. Event loop only. */
    static void begin(ChannelFuture written) {
        written.addListener((ChannelFutureListener) Linger::finish);
        written.channel().config().setAutoRead(true);
    }

    /** For a channel without a session: as above, and closes it {@value #MILLIS} ms from now at the latest. Event loop only. */
    public static void briefly(ChannelFuture written) {
        begin(written);
        Channel channel = written.channel();
        channel.eventLoop().schedule(() -> channel.close(), MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Lets the last frame and the end of the stream leave in one packet, where the transport can: what is written now waits for the end. Event loop only. */
    static void joinWithEnd(Channel channel) {
        if (channel instanceof EpollSocketChannel epoll) {
            epoll.config().setTcpCork(true);
        }
    }

    /**
     * Closes at once if these last bytes are with the kernel already, else as {@link #begin}. Event loop only.
     *
     * @return whether it waits
     */
    static boolean unlessWritten(ChannelFuture written) {
        if (written.isSuccess()) {
            written.channel().close();
            return false;
        }
        begin(written);
        return true;
    }

    private static void finish(ChannelFuture written) {
        Channel channel = written.channel();
        boolean overTls = channel.pipeline().get(SslHandler.class) != null;
        if (written.isSuccess() && overTls) {
            return; // TLS says its own good-bye when it closes, and can do so only while it may write
        }
        if (written.isSuccess() && channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }
}
