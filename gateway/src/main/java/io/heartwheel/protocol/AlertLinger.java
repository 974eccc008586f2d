package io.heartwheel.protocol;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * Handler that lets the alert of a failed TLS handshake arrive. Netty's handler writes it and closes at once; what the peer has sent behind its certificate
 * then lies
 * unread, and closing resets the connection and overtakes the alert. Stands between the socket and TLS from the failure on: drops what comes, and makes of
 * the first close an end of our side alone. The next close is one; the session's linger sees to that.
 *
 * <pre>
 *   alert, FIN --&gt;        &lt;-- rest of the peer's handshake, FIN        close
 * </pre>
 *
 * <p>Owner: the channel's event loop.
 */
final class AlertLinger extends ChannelDuplexHandler {
    private boolean ended;

    private AlertLinger() {}

    /** From now on, if there is TLS and a channel that can end one side. In the callback of the failure, before Netty's handler goes on with it. */
    static void install(ChannelPipeline pipeline) {
        ChannelHandlerContext tls = pipeline.context(SslHandler.class);
        if (tls != null && pipeline.channel().isActive() && pipeline.channel() instanceof DuplexChannel) {
            pipeline.addBefore(tls.name(), null, new AlertLinger());
        }
    }

    /** Whether it stands there. */
    static boolean isIn(ChannelPipeline pipeline) {
        return pipeline.get(AlertLinger.class) != null;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (ended
                || !(ctx.channel() instanceof DuplexChannel duplex)
                || !ctx.channel().isActive()) {
            ctx.close(promise);
            return;
        }
        ended = true;
        duplex.shutdownOutput();
        ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
    }
}
