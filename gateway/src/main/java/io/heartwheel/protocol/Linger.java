package io.heartwheel.protocol;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.Socket;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.TimeUnit;

/**
 * Orderly end of a channel, which does not lose its own last frame. Closing a socket with unread bytes in it resets the connection, and so does a peer that
 * writes to
 * a closed one; the reset may overtake our last frame, and a WebSocket peer, which answers a close frame, would see one at every close. So our
 * side of the stream ends first, what still comes is read and dropped by the handlers in place, and the socket closes when the peer ends its own
 * side, or has been quiet for a second: a session's entry in the wheel sees to that.
 *
 * <pre>
 *   last frame, [close_notify,] FIN --&gt;        &lt;-- rest of what the peer had to say, FIN        close
 * </pre>
 *
 * TLS says its own good-bye behind the last frame and is then taken out: what comes is not deciphered any more. Netty's handler would wait three seconds
 * for a peer that does not read, and warn; here nobody waits but the session.
 */
public final class Linger {
    private static final int MILLIS = 1_000;

    private Linger() {}

    /** Ends our side once these last bytes were written; the caller bounds the wait for the other. Event loop only. */
    static void begin(ChannelFuture written) {
        written.addListener((ChannelFutureListener) Linger::finish);
        readOn(written.channel());
    }

    /** Reads on, unless the peer has ended its stream: asked for that while reading was paused, epoll fails, and the connection would end unanswered. */
    static void readOn(Channel channel) {
        if (!(channel instanceof DuplexChannel duplex && duplex.isInputShutdown())) {
            channel.config().setAutoRead(true);
        }
    }

    /** For a channel without a session: as above, and closes it {@value #MILLIS} ms from now at the latest. Event loop only. */
    public static void briefly(ChannelFuture written) {
        begin(written);
        Channel channel = written.channel();
        channel.eventLoop().schedule(() -> cut(channel), MILLIS, TimeUnit.MILLISECONDS);
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
            close(written.channel());
            return false;
        }
        begin(written);
        return true;
    }

    /** Closes now. TLS says its own good-bye, if the socket takes that at once. Event loop only. */
    static void close(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null && channel.isActive()) {
            tls.closeOutbound();
        }
        cut(channel);
    }

    /** Closes now, without a word. Event loop only. */
    static void cut(Channel channel) {
        ChannelHandlerContext tls = channel.pipeline().context(SslHandler.class);
        if (tls == null) {
            channel.close();
        } else {
            tls.close(); // under it
        }
    }

    private static void finish(ChannelFuture written) {
        Channel channel = written.channel();
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (!written.isSuccess()) {
            cut(channel);
        } else if (tls == null) {
            end(channel);
        } else {
            tls.closeOutbound().addListener((ChannelFutureListener) said -> {
                if (!said.isSuccess()) {
                    cut(channel);
                } else if (channel.isActive()) {
                    channel.pipeline().remove(tls);
                    end(channel);
                }
            });
        }
    }

    private static void end(Channel channel) {
        if (channel instanceof EpollSocketChannel epoll && epoll.fd() instanceof Socket socket) {
            end(epoll, socket);
        } else if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        } else {
            channel.close();
        }
    }

    /** Netty's own end of a stream makes an exception, with its stack, for writes that are not there: a third of what a close allocated. */
    private static void end(EpollSocketChannel channel, Socket socket) {
        try {
            socket.shutdown(false, true);
        } catch (IOException | NotYetConnectedException gone) {
            channel.close();
        }
    }
}
