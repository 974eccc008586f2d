package io.heartwheel.protocol;

import io.heartwheel.event.CloseReason;
import io.heartwheel.session.LoopStats;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * Last frame of a closed connection, and the end of its channel behind it.
 *
 * <pre>
 *   nothing can be said, or there is nothing to say     closes now
 *   a last frame                                        said, then our side of the stream ends ({@link Linger})
 *   messages of the peer are to be answered             said behind the last answer
 *   an alert of TLS is on its way                       left to {@link AlertLinger}
 * </pre>
 *
 * <p>Event loop of the connection only.
 */
final class CloseFrame {
    /** Silent peers of a loop that are waited for after their CLOSE, in case a beat is on its way: it would turn the CLOSE into a reset. */
    private static final int MOST_SILENT_LINGERING = 1_024;

    private CloseFrame() {}

    /** @return true if the channel is left open for a moment, as {@link Connection#closeTransport} tells */
    static boolean say(Connection connection, Channel channel, CloseReason reason, String text) {
        if (AlertLinger.isIn(channel.pipeline())) {
            return true;
        }
        if (mayAnswerFirst(reason) && canSpeak(channel) && connection.answersFirst(reason, text)) {
            connection.context().flush();
            Linger.readOn(channel);
            return true;
        }
        ByteBuf last = canSpeak(channel) ? lastFrame(connection, reason, text) : null;
        if (last == null) {
            if (connection.isUnflushed() && reason == CloseReason.PEER_CLOSED && canSpeak(channel)) {
                connection.context().flush(); // what the peer is owed for what it said before its CLOSE
            }
            Linger.close(channel);
            return false;
        }
        LoopStats stats = connection.sessionContext().stats();
        stats.bytesOut(last.readableBytes());
        if (isSilent(reason) && !connection.answersCloseFrame()) {
            Linger.joinWithEnd(channel);
            if (stats.lingering() >= MOST_SILENT_LINGERING) {
                // thousands are due: nothing of it lies unread, and of a dead peer nothing more is expected
                return Linger.unlessWritten(connection.context().writeAndFlush(last));
            }
            stats.lingers(1);
            channel.closeFuture().addListener(closed -> stats.lingers(-1));
        }
        ChannelFuture written = connection.context().writeAndFlush(last);
        Linger.begin(written);
        if (!written.isDone()) {
            written.addListener(
                    done -> connection.saidAll(connection.sessionContext().nanoTime()));
        }
        return true;
    }

    /** Before TLS is agreed on nothing can be said; a write would wait for the handshake to end, which may be never. */
    private static boolean canSpeak(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return channel.isActive() && (tls == null || tls.handshakeFuture().isSuccess());
    }

    /** The last frame of a connection that closes for this reason; null if nothing is to be said. */
    static @Nullable ByteBuf lastFrame(Connection connection, CloseReason reason, String text) {
        if (reason == CloseReason.PEER_CLOSED) {
            return connection.encodeReturn();
        }
        try {
            boolean isSaid = reason.onWire() && reason != CloseReason.WRITE_STALLED;
            return isSaid ? connection.encodeCloseFrame(reason, text) : null;
        } catch (OutOfMemoryError none) {
            return null; // not even for these few bytes
        }
    }

    /** Whether there is no hurry: nobody is at fault. */
    private static boolean mayAnswerFirst(CloseReason reason) {
        return switch (reason) {
            case PEER_CLOSED, SHUTDOWN, ADMIN_CLOSED, MAX_AGE -> true;
            default -> false;
        };
    }

    /** Says this behind the last answer, if anything, and ends our side of the stream, or the channel of a peer that has left. */
    static void sayBehindAnswers(
            Connection connection, ChannelFuture answered, @Nullable ByteBuf last, boolean peerLeft) {
        Channel channel = answered.channel();
        ChannelFuture written = answered;
        if (last != null) {
            connection.sessionContext().stats().bytesOut(last.readableBytes());
            written = connection.context().writeAndFlush(last);
        }
        if (peerLeft) {
            written.addListener(done -> Linger.cut(channel));
        } else {
            Linger.begin(written);
            written.addListener(
                    done -> connection.saidAll(connection.sessionContext().nanoTime()));
        }
    }

    private static boolean isSilent(CloseReason reason) {
        return reason == CloseReason.HEARTBEAT_TIMEOUT || reason == CloseReason.READ_IDLE;
    }
}
