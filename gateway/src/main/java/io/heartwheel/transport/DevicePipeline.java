package io.heartwheel.transport;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.Linger;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.protocol.proxy.ProxyConnection;
import io.heartwheel.protocol.proxy.ProxyCounts;
import io.heartwheel.protocol.websocket.Forwarded;
import io.heartwheel.protocol.websocket.ForwardedCounts;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.protocol.websocket.UpgradePipeline;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.session.ActivityTraces;
import io.heartwheel.session.SessionContext;
import io.heartwheel.transport.tls.TlsListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Pipeline of a device, assembled in one place.
 *
 * <pre>
 *   heartwheel:  [TLS] FrameConnection
 *   websocket:   [TLS] HTTP, upgrade   -- 101 --&gt;  [TLS] WebSocketFrameConnection or PlainConnection
 *   auto:        [TLS] SniffingConnection -- first byte --&gt; one of the above
 * </pre>
 *
 * On a listener behind a balancer each of them begins with a {@link ProxyConnection}, which is gone before TLS begins. A connection that is traced
 * has a {@link TraceHandler} behind TLS. Runs on the channel's own loop.
 */
@Sharable
final class DevicePipeline extends ChannelInitializer<Channel> implements ProxyConnection.Listener {
    private static final byte[] HTTP_FULL =
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 30\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    /** Refused connections that may wait for their peer to read why. */
    private static final int MAX_LINGERING = 256;

    private final AtomicInteger lingering = new AtomicInteger();
    private final ListenerProtocol protocol;
    private final @Nullable TlsListener tls;
    private final ProxyCounts proxyCounts;
    private final ForwardedCounts forwardedCounts;
    private final int listener;
    private final String listenerName;
    private final Admission admission;
    private final AtomicLong sessionIds;
    private final DeviceLoops loops;
    private final @Nullable ActivityTraces activityTraces;

    private volatile Wiring wiring;

    /** The terms, made ready for this listener. */
    private record Wiring(
            Map<EventExecutor, SessionContext> contexts,
            @Nullable ProxySettings proxy,
            int maxPayloadBytes,
            WebSocketSettings webSocket,
            Forwarded forwarded) {}

    DevicePipeline(
            int listener,
            ListenerSettings settings,
            @Nullable TlsListener tls,
            DeviceLoops loops,
            Admission admission,
            AtomicLong sessionIds,
            ProxyCounts proxyCounts,
            ForwardedCounts forwardedCounts,
            ConnectionPolicy connectionPolicy,
            @Nullable ActivityTraces activityTraces) {
        this.listener = listener;
        this.listenerName = settings.name();
        this.protocol = settings.protocol();
        this.tls = tls;
        this.proxyCounts = proxyCounts;
        this.forwardedCounts = forwardedCounts;
        this.loops = loops;
        this.admission = admission;
        this.sessionIds = sessionIds;
        this.activityTraces = activityTraces;
        this.wiring = wire(connectionPolicy, settings.proxy());
    }

    private Wiring wire(ConnectionPolicy connectionPolicy, @Nullable ProxySettings proxy) {
        return new Wiring(
                loops.scopesThrough(listener, listenerName, connectionPolicy),
                proxy,
                connectionPolicy.protocol().maxPayloadBytes(),
                connectionPolicy.webSocket(),
                new Forwarded(connectionPolicy.webSocket().forwarded(), forwardedCounts, admission.gate()));
    }

    /** These terms hold for connections accepted from now on, and these balancers are trusted, if this is the listener meant. Any thread. */
    void renew(ConnectionPolicy connectionPolicy, List<ListenerSettings> listeners) {
        ProxySettings proxy = listeners.stream()
                .filter(other -> other.name().equals(listenerName))
                .findFirst()
                .map(ListenerSettings::proxy)
                .orElse(null);
        wiring = wire(connectionPolicy, proxy);
    }

    @Override
    protected void initChannel(Channel channel) {
        SessionContext sessionContext = scopeOf(channel);
        long sessionId = sessionIds.incrementAndGet();
        try {
            receive(channel, sessionContext, sessionId);
        } catch (ProtocolViolation violation) {
            sessionContext.turnedAway(sessionId, ClientAddress.text(channel), violation.reason(), violation.text());
            refuse(channel, violation);
        }
    }

    private void receive(Channel channel, SessionContext sessionContext, long sessionId) throws ProtocolViolation {
        long nowNanos = sessionContext.nanoTime();
        sessionContext.stalls().turned(nowNanos);
        ProxySettings proxy = wiring.proxy();
        PendingHandshakes room = admission.room(channel.eventLoop());
        if (admission.lacksMemory()) {
            admission.turnAway();
            throw new ProtocolViolation(CloseReason.OVERLOADED, "the gateway is short of memory");
        }
        if (!admission.enter(channel)) {
            String full = "the gateway holds " + admission.limit() + " connections and may hold no more";
            throw new ProtocolViolation(CloseReason.CONNECTION_LIMIT, full);
        }
        if (proxy == null) {
            admit(channel);
        } else if (!proxy.trusted().contains(ClientAddress.address(channel))) {
            proxyCounts.add(ProxyCounts.Outcome.UNTRUSTED);
            throw new ProtocolViolation(CloseReason.PROXY_FAILED, "not from a trusted balancer");
        }
        if (!room.makeRoom(nowNanos)) {
            throw new ProtocolViolation(CloseReason.OVERLOADED, "too many handshakes have just begun");
        }
        if (proxy == null) {
            install(channel, sessionId, nowNanos);
        } else {
            ProxyConnection waiting = new ProxyConnection(sessionContext, this, proxyCounts);
            channel.pipeline().addLast(waiting);
            waiting.start(sessionId, nowNanos);
        }
        room.enter(channel);
    }

    @Override
    public void admit(Channel channel) throws ProtocolViolation {
        byte[] origin = ClientAddress.address(channel);
        ForwardedSettings later = protocol == ListenerProtocol.HEARTWHEEL
                ? null
                : wiring.webSocket().forwarded();
        // of whom a request has still to tell where it comes from, and who counts as that
        boolean asked = later != null && later.trusted().contains(origin);
        if (!asked && !ClientAddress.isBalancer(channel)) {
            admission.gate().enter(channel, origin);
        }
    }

    @Override
    public void install(Channel channel, long sessionId, long acceptedNanos) {
        SessionContext sessionContext = scopeOf(channel);
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
        if (activityTraces != null && activityTraces.chooses(sessionId)) {
            channel.pipeline().addLast(new TraceHandler(activityTraces, sessionId, acceptedNanos));
        }
        switch (protocol) {
            case HEARTWHEEL -> installFrames(channel, sessionId, acceptedNanos);
            case WEBSOCKET -> installWebSocket(channel, sessionId, acceptedNanos);
            case AUTO -> {
                SniffingConnection sniffing =
                        new SniffingConnection(sessionContext, this::installFrames, this::installWebSocket);
                channel.pipeline().addLast(sniffing);
                sniffing.start(sessionId, acceptedNanos);
            }
        }
    }

    private SessionContext scopeOf(Channel channel) {
        SessionContext sessionContext = wiring.contexts().get(channel.eventLoop());
        if (sessionContext == null) {
            throw new IllegalStateException("no device loop: " + channel.eventLoop());
        }
        return sessionContext;
    }

    private void installFrames(Channel channel, long sessionId, long acceptedNanos) {
        FrameConnection connection = new FrameConnection(scopeOf(channel), wiring.maxPayloadBytes());
        channel.pipeline().addLast(connection);
        connection.start(sessionId, acceptedNanos);
    }

    private void installWebSocket(Channel channel, long sessionId, long acceptedNanos) {
        Wiring now = wiring;
        UpgradePipeline.install(
                channel,
                scopeOf(channel),
                now.maxPayloadBytes(),
                now.webSocket(),
                now.forwarded(),
                sessionId,
                acceptedNanos);
    }

    @Override
    public @Nullable ByteBuf lastWords(Channel channel, CloseReason reason, String text) {
        if (tls != null || protocol == ListenerProtocol.AUTO || !reason.onWire()) {
            return null;
        }
        return protocol == ListenerProtocol.WEBSOCKET
                ? Unpooled.wrappedBuffer(HTTP_FULL)
                : Frames.close(channel.alloc(), reason.wireCode(), text);
    }

    /** Not let in: says so in the listener's own words, unless TLS would have to be negotiated first, and closes. */
    private void refuse(Channel channel, ProtocolViolation violation) {
        ByteBuf last = lastWords(channel, violation.reason(), violation.text());
        if (last == null) {
            channel.close();
            return;
        }
        channel.pipeline().addLast(RefusedHandler.INSTANCE);
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
