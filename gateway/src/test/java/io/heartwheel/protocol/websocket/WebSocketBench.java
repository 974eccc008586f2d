package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.protocol.Connection;
import io.heartwheel.protocol.OutcomeCounts;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.Directory;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** WebSocket peers on channels without sockets, on the loop of a {@link VirtualGateway}. */
final class WebSocketBench {
    static final int MAX_PAYLOAD = 8_192;
    static final WebSocketSettings PLAIN =
            new WebSocketSettings("/ws", "/healthz", List.of(), List.of(), 8 << 10, false, null);
    static final WebSocketSettings COMPRESSED =
            new WebSocketSettings("/ws", "/healthz", List.of(), List.of(), 8 << 10, true, null);

    /** The smallest HELLO of the protocol document's vectors. */
    static final byte[] HELLO = HexFormat.of().parseHex("0100001948570100000000000000000000000000056465762d31000000");

    /** What makes a request one of {@code heartwheel.v1}. */
    static final String FRAMES = "Sec-WebSocket-Protocol: heartwheel.v1";

    /** What makes a request one of {@code heartwheel.json.v1}. */
    static final String JSON = "Sec-WebSocket-Protocol: heartwheel.json.v1";

    final VirtualGateway gateway;
    final SessionContext sessionContext;
    boolean echoes;
    private long lastSessionId;

    WebSocketBench() {
        this(LivenessSettings.defaults(), AuthPolicy.ANYBODY, null);
    }

    /** @param directory null for the gateway's own */
    WebSocketBench(LivenessSettings liveness, AuthPolicy credentials, @Nullable Directory<Session> directory) {
        // the clock crosses its greatest value in every test that waits
        gateway = new VirtualGateway(Long.MAX_VALUE - 1_000_000_000L, liveness, credentials);
        plainRequests = new PlainRequests(gateway::now);
        SessionContext inner = gateway.sessionContext;
        SessionContext echoing = FakeSession.publishingTo(new Echo(inner.sink()), inner);
        sessionContext = directory == null ? echoing : FakeSession.claimingFrom(directory, echoing);
    }

    /** Where requests come from. */
    Forwarded forwarded = notForwarded();

    /** Who counts requests that ask for no WebSocket. */
    final PlainRequests plainRequests;

    /** Nobody is believed. */
    static Forwarded notForwarded() {
        return new Forwarded(null, new OutcomeCounts<>(ForwardedOutcome.class), (channel, address) -> {});
    }

    // ------------------------------------------------------------------ connections

    /** A channel with the handshake in its pipeline. */
    EmbeddedChannel accept(WebSocketSettings settings) {
        EmbeddedChannel channel = new EmbeddedChannel();
        UpgradeConnection.install(
                channel,
                sessionContext,
                MAX_PAYLOAD,
                settings,
                forwarded,
                plainRequests,
                ++lastSessionId,
                gateway.now());
        return channel;
    }

    /** A plain connection after its 101, which is read off. */
    EmbeddedChannel plain() {
        return upgraded(PLAIN, "/ws/dev-1");
    }

    /** A connection of {@code heartwheel.v1} after its 101. */
    EmbeddedChannel framesBeforeHello() {
        return upgraded(PLAIN, "/ws", FRAMES);
    }

    /** An established connection of {@code heartwheel.v1}, its 101 and WELCOME read off. */
    EmbeddedChannel frames() {
        EmbeddedChannel channel = framesBeforeHello();
        channel.writeInbound(ClientFrame.binary(HELLO).bytes());
        List<ServerFrame> welcome = ServerFrame.drain(channel);
        if (welcome.size() != 1 || welcome.get(0).payload()[0] != 2) {
            throw new AssertionError("no WELCOME: " + welcome);
        }
        return channel;
    }

    /** An established connection of {@code heartwheel.json.v1}, its 101 and welcome read off. */
    EmbeddedChannel json() {
        return upgraded(PLAIN, "/ws/dev-1", JSON);
    }

    EmbeddedChannel upgraded(WebSocketSettings settings, String target, String... headers) {
        EmbeddedChannel channel = accept(settings);
        channel.writeInbound(request(target, headers));
        String answer = text(channel);
        if (!answer.startsWith("HTTP/1.1 101 ")) {
            throw new AssertionError(answer);
        }
        return channel;
    }

    static ByteBuf request(String target, String... headers) {
        StringBuilder text = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: gateway.example:7080\r\n"
                + "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return bytes(text.append("\r\n").toString());
    }

    static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    /** Everything sent so far, as text. */
    static String text(EmbeddedChannel channel) {
        StringBuilder all = new StringBuilder();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            all.append(out.toString(StandardCharsets.ISO_8859_1));
            out.release();
        }
        return all.toString();
    }

    /** The one handler that is left in the pipeline. */
    static Connection connection(EmbeddedChannel channel) {
        Connection found = null;
        for (Map.Entry<String, ChannelHandler> each : channel.pipeline()) {
            if (found == null && each.getValue() instanceof Connection connection) {
                found = connection;
            } else {
                throw new AssertionError("left in the pipeline: " + each.getValue());
            }
        }
        if (found == null) {
            throw new AssertionError("no connection in the pipeline");
        }
        return found;
    }

    // ------------------------------------------------------------------ what happened

    List<ConnectionEvent.Message> messages() {
        return gateway.events.stream()
                .filter(ConnectionEvent.Message.class::isInstance)
                .map(ConnectionEvent.Message.class::cast)
                .toList();
    }

    /** How the only connection that ended did so. */
    VirtualGateway.Closed closed() {
        if (gateway.closed.size() != 1) {
            throw new AssertionError("need one close: " + gateway.closed);
        }
        return gateway.closed.get(0);
    }

    CloseReason reason() {
        return closed().reason();
    }

    private final class Echo implements EventSink {
        private final EventSink inner;

        Echo(EventSink inner) {
            this.inner = inner;
        }

        @Override
        public void publish(Fact event) {
            inner.publish(event);
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            inner.publish(message, reply);
            answer(message, reply);
        }

        @Override
        public boolean publishOrWait(ConnectionEvent.Message message, Reply reply, Waiter waiter) {
            boolean taken = inner.publishOrWait(message, reply, waiter);
            if (taken) {
                answer(message, reply);
            }
            return taken;
        }

        private void answer(ConnectionEvent.Message message, Reply reply) {
            if (echoes) {
                reply.send(message.messageId(), message.text(), message.payload());
            }
            reply.accepted();
        }

        @Override
        public void forget(Waiter waiter) {
            inner.forget(waiter);
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }
}
