package io.heartwheel.transport;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** Only handler of a connection that was refused: drops what comes until it is closed. Any loop. */
@Sharable
final class RefusedHandler extends ChannelInboundHandlerAdapter {
    static final RefusedHandler INSTANCE = new RefusedHandler();

    private RefusedHandler() {}

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
