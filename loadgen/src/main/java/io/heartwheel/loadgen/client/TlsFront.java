package io.heartwheel.loadgen.client;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * TLS towards one target, shared by all its devices.
 *
 * <pre>
 *   socket &lt;--&gt; SslHandler &lt;--&gt; Gate (until secured) &lt;--&gt; Device
 * </pre>
 *
 * <p>Any thread installs; whoever made it closes it when no connection is left.
 */
public final class TlsFront implements AutoCloseable {

    private final SslContext context;
    private final String serverName;
    private final IntFunction<@Nullable SslContext> own;
    /** Contexts of devices that show a certificate of their own; as many as there are such devices. */
    private final Map<Integer, SslContext> contexts = new ConcurrentHashMap<>();

    /** @param own makes the context of the device with a number; null: it has none of its own */
    TlsFront(SslContext context, String serverName, IntFunction<@Nullable SslContext> own) {
        this.context = context;
        this.serverName = serverName;
        this.own = own;
    }

    /** Puts itself in front of a device that is about to connect. */
    void install(Channel channel, Device device, InetSocketAddress remote, int timeoutMillis) {
        String name = serverName.isEmpty() ? remote.getHostString() : serverName;
        SslHandler handler = context(device.index()).newHandler(channel.alloc(), name, remote.getPort());
        handler.setHandshakeTimeoutMillis(timeoutMillis);
        channel.pipeline().addLast(handler, new Gate(device));
    }

    private SslContext context(int index) {
        SslContext known = contexts.get(index);
        if (known == null) {
            known = own.apply(index);
            if (known != null) {
                contexts.put(index, known);
            }
        }
        return known == null ? context : known;
    }

    SslContext context() {
        return context;
    }

    /** Gives the native memory back. */
    @Override
    public void close() {
        contexts.values().forEach(ReferenceCountUtil::release);
        contexts.clear();
        ReferenceCountUtil.release(context);
    }

    /**
     * Handler that keeps from a device that its channel is active until TLS is agreed on, so that the device greets a server
     * it can talk to. Then it leaves the pipeline. A handshake that fails is a connection that was not accepted.
     */
    private static final class Gate extends ChannelInboundHandlerAdapter {

        private static final int MOST_CAUSES = 8;

        private final Device device;
        private long connectedNanos;

        Gate(Device device) {
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
            for (int depth = 0; depth < MOST_CAUSES && root.getCause() != null; depth++) {
                root = root.getCause();
            }
            return root;
        }
    }
}
