package io.heartwheel.transport;

import static java.util.Objects.requireNonNull;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.ClientAddress;
import io.heartwheel.protocol.Linger;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.frame.FrameConnection;
import io.heartwheel.protocol.frame.Frames;
import io.heartwheel.protocol.proxy.ProxyConnection;
import io.heartwheel.protocol.proxy.ProxyOutcome;
import io.heartwheel.protocol.websocket.Forwarded;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.protocol.websocket.UpgradeConnection;
import io.heartwheel.session.ActivityTraces;
import io.heartwheel.session.SessionContext;
import io.heartwheel.transport.tls.TlsListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
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
    private static final byte[] HTTP_FULL = RetryHint.response(30);

    /** Refused connections that may wait for their peer to read why. */
    private static final int MAX_LINGERING = 256;

    /** Only handler of a connection that was refused: drops what comes until it is closed. */
    private static final ChannelHandler REFUSED = new Refused();

    private final AtomicInteger lingering = new AtomicInteger();
    private final ListenerSettings settings;
    private final @Nullable TlsListener tls;
    private final int listener;
    private final Admission admission;
    private final AtomicLong sessionIds;
    private final DeviceLoops loops;
    private final @Nullable ActivityTraces activityTraces;

    private volatile Wiring wiring;

    /** The terms, made ready for this listener. */
    private record Wiring(
            Map<EventExecutor, SessionContext> contexts,
            @Nullable Networks balancers,
            ConnectionPolicy policy,
            Forwarded forwarded) {}

    DevicePipeline(
            int listener,
            ListenerSettings settings,
            @Nullable TlsListener tls,
            DeviceLoops loops,
            Admission admission,
            AtomicLong sessionIds,
            ConnectionPolicy connectionPolicy,
            @Nullable ActivityTraces activityTraces) {
        this.listener = listener;
        this.settings = settings;
        this.tls = tls;
        this.loops = loops;
        this.admission = admission;
        this.sessionIds = sessionIds;
        this.activityTraces = activityTraces;
        this.wiring = wire(connectionPolicy, settings.balancers());
    }

    private Wiring wire(ConnectionPolicy connectionPolicy, @Nullable Networks balancers) {
        return new Wiring(
                loops.scopesThrough(listener, settings.name(), connectionPolicy),
                balancers,
                connectionPolicy,
                new Forwarded(
                        connectionPolicy.webSocket().forwarded(), admission.forwardedOutcomes(), admission.sources()));
    }

    /** These terms hold for connections accepted from now on, and these balancers are trusted, if this is the listener meant. Any thread. */
    void renew(ConnectionPolicy connectionPolicy, List<ListenerSettings> listeners) {
        Networks balancers = listeners.stream()
                .filter(other -> other.name().equals(settings.name()))
                .findFirst()
                .map(ListenerSettings::balancers)
                .orElse(null);
        wiring = wire(connectionPolicy, balancers);
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
        Networks balancers = wiring.balancers();
        PendingHandshakes room = admission.room(channel.eventLoop());
        if (admission.lacksMemory()) {
            admission.turnAway();
            throw new ProtocolViolation(CloseReason.OVERLOADED, "the gateway is short of memory");
        }
        if (!admission.enter(channel)) {
            String full = "the gateway holds " + admission.limit() + " connections and may hold no more";
            throw new ProtocolViolation(CloseReason.CONNECTION_LIMIT, full);
        }
        if (balancers == null) {
            admit(channel);
        } else if (!balancers.contains(ClientAddress.address(channel))) {
            admission.proxyOutcomes().add(ProxyOutcome.UNTRUSTED);
            throw new ProtocolViolation(CloseReason.PROXY_FAILED, "not from a trusted balancer");
        }
        if (!room.makeRoom(nowNanos)) {
            throw new ProtocolViolation(CloseReason.OVERLOADED, "too many handshakes have just begun");
        }
        if (balancers == null) {
            install(channel, sessionId, nowNanos);
        } else {
            ProxyConnection waiting = new ProxyConnection(sessionContext, this, admission.proxyOutcomes());
            channel.pipeline().addLast(waiting);
            waiting.start(sessionId, nowNanos);
        }
        room.enter(channel);
    }

    /**
     * Whether a newcomer, of whom nothing was read, is refused for where it comes from; then it was counted as that. Not if it has still to tell. For the
     * acceptor's loop.
     */
    boolean refusesOrigin(Channel newcomer) {
        byte[] origin = ClientAddress.address(newcomer);
        Networks balancers = wiring.balancers();
        if (balancers == null) {
            return !forwards(origin) && admission.sources().refuses(origin);
        }
        boolean trusted = balancers.contains(origin);
        if (!trusted) {
            admission.proxyOutcomes().add(ProxyOutcome.UNTRUSTED);
        }
        return !trusted;
    }

    @Override
    public void admit(Channel channel) throws ProtocolViolation {
        byte[] origin = ClientAddress.address(channel);
        if (!forwards(origin) && !ClientAddress.isBalancer(channel)) {
            admission.sources().enter(channel, origin);
        }
    }

    /** Whether a request from there has still to tell where it comes from, and who counts as that. */
    private boolean forwards(byte[] origin) {
        ForwardedSettings later = settings.protocol() == ListenerProtocol.HEARTWHEEL
                ? null
                : wiring.policy().webSocket().forwarded();
        return later != null && later.trusted().contains(origin);
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
        switch (settings.protocol()) {
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
        return requireNonNull(wiring.contexts().get(channel.eventLoop()), "no device loop");
    }

    private void installFrames(Channel channel, long sessionId, long acceptedNanos) {
        FrameConnection connection =
                new FrameConnection(scopeOf(channel), wiring.policy().protocol().maxPayloadBytes());
        channel.pipeline().addLast(connection);
        connection.start(sessionId, acceptedNanos);
    }

    private void installWebSocket(Channel channel, long sessionId, long acceptedNanos) {
        Wiring now = wiring;
        UpgradeConnection.install(
                channel,
                scopeOf(channel),
                now.policy().protocol().maxPayloadBytes(),
                now.policy().webSocket(),
                now.forwarded(),
                admission.plainRequests(),
                sessionId,
                acceptedNanos);
    }

    @Override
    public @Nullable ByteBuf lastWords(Channel channel, CloseReason reason, String text) {
        if (tls != null || settings.protocol() == ListenerProtocol.AUTO || !reason.onWire()) {
            return null;
        }
        return settings.protocol() == ListenerProtocol.WEBSOCKET
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
        channel.pipeline().addLast(REFUSED);
        ChannelFuture written = channel.writeAndFlush(last);
        if (lingering.incrementAndGet() > MAX_LINGERING) {
            // a flood must not hold more descriptors than the limit was set for
            written.addListener(ChannelFutureListener.CLOSE);
        } else {
            Linger.briefly(written);
        }
        channel.closeFuture().addListener(future -> lingering.decrementAndGet());
    }

    @Sharable
    private static final class Refused extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
