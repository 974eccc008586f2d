package io.heartwheel.loadgen.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * Keeps from a device that its channel is active until TLS is agreed on, so that it greets a server it can talk to. Then it leaves the pipeline. A
 * handshake that fails is a connection that was not accepted.
 */
final class TlsGate extends ChannelInboundHandlerAdapter {

    private static final int MOST_CAUSES = 8;

    private final Device device;
    private long connectedNanos;

    TlsGate(Device device) {
        this.device = device;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        connectedNanos = device.loopContext().clock.nanos();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                device.secured(device.loopContext().clock.nanos() - connectedNanos);
                ctx.fireChannelActive();
                ctx.pipeline().remove(this);
            } else {
                device.connectFailed(root(handshake.cause()));
                ctx.close();
            }
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    /** What says why: an engine's own exception says only that there was one. */
    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (int depth = 0; depth < MOST_CAUSES; depth++) {
            Throwable cause = root.getCause();
            if (cause == null) {
                break;
            }
            root = cause;
        }
        return root;
    }
}
