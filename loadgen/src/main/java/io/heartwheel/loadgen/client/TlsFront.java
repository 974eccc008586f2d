package io.heartwheel.loadgen.client;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;

/**
 * TLS towards one target, shared by all its devices.
 *
 * <pre>
 *   socket &lt;--&gt; SslHandler &lt;--&gt; TlsGate (until secured) &lt;--&gt; Device
 * </pre>
 *
 * <p>Any thread installs; whoever made it closes it when no connection is left.
 */
public final class TlsFront implements AutoCloseable {

    private final SslContext context;
    private final String serverName;

    TlsFront(SslContext context, String serverName) {
        this.context = context;
        this.serverName = serverName;
    }

    /** Puts itself in front of a device that is about to connect. */
    void install(Channel channel, Device device, InetSocketAddress remote, int timeoutMillis) {
        String name = serverName.isEmpty() ? remote.getHostString() : serverName;
        SslHandler handler = context.newHandler(channel.alloc(), name, remote.getPort());
        handler.setHandshakeTimeoutMillis(timeoutMillis);
        channel.pipeline().addLast(handler, new TlsGate(device));
    }

    SslContext context() {
        return context;
    }

    /** Gives the native memory back. */
    @Override
    public void close() {
        ReferenceCountUtil.release(context);
    }
}
