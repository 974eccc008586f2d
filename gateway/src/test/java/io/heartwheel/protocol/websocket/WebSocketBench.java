package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.protocol.Connection;
import io.heartwheel.session.Credentials;
import io.heartwheel.session.Directory;
import io.heartwheel.session.ExpiryInbox;
import io.heartwheel.session.LivenessPolicy;
import io.heartwheel.session.LivenessSettings;
import io.heartwheel.session.LoopScope;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.TimingWheel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** One event loop of tests: a clock that is moved by hand, a wheel turned by hand, and everything that leaves is written down. */
final class WebSocketBench {
    static final int MAX_PAYLOAD = 4096;
    static final WebSocketSettings PLAIN = new WebSocketSettings("/ws", List.of(), List.of(), 8 << 10, false);
    static final WebSocketSettings COMPRESSED = new WebSocketSettings("/ws", List.of(), List.of(), 8 << 10, true);

    /** A connection that ended. */
    record Ended(String protocol, CloseReason reason, boolean established) {}

    final List<ConnectionEvent> events = new ArrayList<>();
    final List<Ended> ended = new ArrayList<>();
    final LoopStats stats = new LoopStats();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final TimingWheel wheel;
    final LoopScope scope;
    long nowNanos;
    boolean echoes;
    private long lastSessionId;

    WebSocketBench() {
        this(LivenessSettings.defaults(), Credentials.ANYBODY, new SessionRegistry(() -> 1_700_000_000_000_000L));
    }

    WebSocketBench(LivenessSettings liveness, Credentials credentials, Directory directory) {
        // the clock crosses its greatest value in every test that waits
        nowNanos = Long.MAX_VALUE - 1_000_000_000L;
        wheel = new TimingWheel(20_000_000L, 4096, 1024, nowNanos);
        SessionObserver observer = new SessionObserver() {
            @Override
            public void closed(
                    String protocol, CloseReason reason, boolean established, long latenessNanos, long silentNanos) {
                ended.add(new Ended(protocol, reason, established));
            }
        };
        ExpiryInbox.Loop loop = new ExpiryInbox.Loop() {
            @Override
            public void execute(Runnable task) {
                tasks.add(task);
            }

            @Override
            public void executeAfterReads(Runnable task) {
                tasks.add(task);
            }
        };
        scope = new LoopScope(
                wheel,
                new LivenessPolicy(liveness),
                directory,
                credentials,
                new Notes(),
                observer,
                stats,
                new ExpiryInbox(loop, () -> nowNanos, observer),
                () -> nowNanos,
                () -> 1_700_000_000_000L);
    }

    // ------------------------------------------------------------------ connections

    /** A channel with the handshake in its pipeline. */
    EmbeddedChannel accept(WebSocketSettings settings) {
        EmbeddedChannel channel = new EmbeddedChannel();
        WebSocketEntrance.install(channel, scope, MAX_PAYLOAD, settings, ++lastSessionId, nowNanos);
        return channel;
    }

    /** A plain connection after its 101, which is read off. */
    EmbeddedChannel plain() {
        return upgraded(PLAIN, "/ws/dev-1");
    }

    /** An established connection of {@code heartwheel.v1}, its 101 and WELCOME read off. */
    EmbeddedChannel frames() {
        EmbeddedChannel channel = upgraded(PLAIN, "/ws", "Sec-WebSocket-Protocol: heartwheel.v1");
        channel.writeInbound(ClientFrame.binary(HELLO).bytes());
        List<ServerFrame> welcome = ServerFrame.drain(channel);
        if (welcome.size() != 1 || welcome.get(0).payload()[0] != 2) {
            throw new AssertionError("no WELCOME: " + welcome);
        }
        return channel;
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

    /** The smallest HELLO of the protocol document's vectors. */
    static final byte[] HELLO =
            java.util.HexFormat.of().parseHex("0100001948570100000000000000000000000000056465762d31000000");

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
            if (each.getValue() instanceof Connection connection) {
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

    // ------------------------------------------------------------------ time

    /** Time passes, in steps of a tick; what is due is done. */
    void pass(Duration time) {
        long stepNanos = 20_000_000L;
        for (long left = time.toNanos(); left > 0; left -= stepNanos) {
            nowNanos += Math.min(left, stepNanos);
            wheel.advance(nowNanos, 1024);
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
        }
    }

    List<ConnectionEvent.Message> messages() {
        return events.stream()
                .filter(ConnectionEvent.Message.class::isInstance)
                .map(ConnectionEvent.Message.class::cast)
                .toList();
    }

    /** The reason of the only connection that ended. */
    CloseReason reason() {
        if (ended.size() != 1) {
            throw new AssertionError("need one end: " + ended);
        }
        return ended.get(0).reason();
    }

    private final class Notes implements EventSink {
        @Override
        public void publish(ConnectionEvent event) {
            events.add(event);
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            events.add(message);
            if (echoes) {
                reply.send(message.messageId(), message.text(), message.payload());
            }
            reply.accepted();
        }

        @Override
        public void close() {}
    }
}
