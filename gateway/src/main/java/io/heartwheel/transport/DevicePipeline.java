package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.Linger;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.protocol.websocket.WebSocketEntrance;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.LoopScope;
import io.heartwheel.session.Tracks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The whole pipeline of a device, assembled in one place.
 *
 * <pre>
 *   heartwheel:  [TLS] FrameConnection
 *   websocket:   [TLS] HTTP, upgrade   -- 101 --&gt;  [TLS] WebSocketFrameConnection or PlainConnection
 *   auto:        [TLS] SniffingConnection -- first byte --&gt; one of the above
 * </pre>
 *
 * A connection that is traced has a {@link TrackTap} behind TLS. Runs on the channel's own loop.
 */
@Sharable
final class DevicePipeline extends ChannelInitializer<Channel> {
    private static final byte[] HTTP_FULL =
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 30\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    /** Refused connections that may wait for their peer to read why. */
    private static final int MAX_LINGERING = 256;

    private final AtomicInteger lingering = new AtomicInteger();
    private final ListenerProtocol protocol;
    private final @Nullable SslContext tls;
    private final Map<EventExecutor, LoopScope> scopes;
    private final Admission admission;
    private final AtomicLong sessionIds;
    private final int maxPayloadBytes;
    private final WebSocketSettings webSocket;
    private final @Nullable Tracks tracks;

    DevicePipeline(
            ListenerProtocol protocol,
            @Nullable SslContext tls,
            Map<EventExecutor, LoopScope> scopes,
            Admission admission,
            AtomicLong sessionIds,
            ProtocolSettings limits,
            WebSocketSettings webSocket,
            @Nullable Tracks tracks) {
        this.protocol = protocol;
        this.tls = tls;
        this.scopes = scopes;
        this.admission = admission;
        this.sessionIds = sessionIds;
        this.maxPayloadBytes = limits.maxPayloadBytes();
        this.webSocket = webSocket;
        this.tracks = tracks;
    }

    @Override
    protected void initChannel(Channel channel) {
        LoopScope scope = scopeOf(channel);
        if (admission.lacksMemory()) {
            admission.turnAway();
            refuse(channel, scope, CloseReason.OVERLOADED, "the gateway is short of memory");
            return;
        }
        if (!admission.enter(channel)) {
            refuse(
                    channel,
                    scope,
                    CloseReason.CONNECTION_LIMIT,
                    "the gateway holds " + admission.limit() + " connections and may hold no more");
            return;
        }
        if (tls != null) {
            SslHandler handler = tls.newHandler(channel.alloc());
            handler.setHandshakeTimeoutMillis(0); // the session's handshake deadline rules
            channel.pipeline().addLast(handler);
        }
        long sessionId = sessionIds.incrementAndGet();
        long nowNanos = scope.nanoTime();
        if (tracks != null && tracks.chooses(sessionId)) {
            channel.pipeline().addLast(new TrackTap(tracks, sessionId, nowNanos));
        }
        switch (protocol) {
            case HEARTWHEEL -> installFrames(channel, sessionId, nowNanos);
            case WEBSOCKET -> installWebSocket(channel, sessionId, nowNanos);
            case AUTO -> {
                SniffingConnection sniffing =
                        new SniffingConnection(scope, this::installFrames, this::installWebSocket);
                channel.pipeline().addLast(sniffing);
                sniffing.start(sessionId, nowNanos);
            }
        }
    }

    private LoopScope scopeOf(Channel channel) {
        LoopScope scope = scopes.get(channel.eventLoop());
        if (scope == null) {
            throw new IllegalStateException("no device loop: " + channel.eventLoop());
        }
        return scope;
    }

    private void installFrames(Channel channel, long sessionId, long acceptedNanos) {
        FrameConnection connection = new FrameConnection(scopeOf(channel), maxPayloadBytes);
        channel.pipeline().addLast(connection);
        connection.start(sessionId, acceptedNanos);
    }

    private void installWebSocket(Channel channel, long sessionId, long acceptedNanos) {
        LoopScope scope = scopeOf(channel);
        WebSocketEntrance.install(channel, scope, maxPayloadBytes, webSocket, sessionId, acceptedNanos);
    }

    /** No room: says so in the listener's own words, unless TLS would have to be negotiated first, and closes. */
    private void refuse(Channel channel, LoopScope scope, CloseReason reason, String text) {
        scope.observer().closed("handshake", reason, false, -1, 0);
        if (tls != null || protocol == ListenerProtocol.AUTO) {
            channel.close();
            return;
        }
        ByteBuf last = protocol == ListenerProtocol.WEBSOCKET
                ? Unpooled.wrappedBuffer(HTTP_FULL)
                : Frames.close(channel.alloc(), reason.wireCode(), text);
        channel.pipeline().addLast(Refused.INSTANCE);
        ChannelFuture written = channel.writeAndFlush(last);
        if (lingering.incrementAndGet() > MAX_LINGERING) {
            // a flood must not hold more descriptors than the limit was set for
            written.addListener(ChannelFutureListener.CLOSE);
        } else {
            Linger.briefly(written);
        }
        channel.closeFuture().addListener(future -> lingering.decrementAndGet());
    }
}
