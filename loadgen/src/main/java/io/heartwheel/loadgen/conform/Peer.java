package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.GatewayCodec;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the client, seen from the gateway. Each frame is noted with the time at which it was read, and PING is
 * answered; whatever breaks the wire document ends the case, whichever rule it plays. One thread reads, that of the case
 * writes. What was received is guarded by the monitor of {@link Facts}.
 */
final class Peer implements World.Reader {

    private static final int MOST_RECEIVED = 20_000;
    private static final byte[] EXTENSION = {1, 2, 3, 4, 5};
    private static final byte[] NOTHING = {};

    /** A frame and when it was read; native pings and pongs count as PING and PONG. */
    record Received(long atNanos, Frame frame) {}

    /** How the client left; code 0: without one. */
    record End(int code, String how) {}

    private final Facts facts;
    private final World.Wire wire;
    private final Carrier carrier;
    private final long openedNanos;
    // ---- the reader's
    private final ByteBuf in = Unpooled.buffer();
    private final WsServer ws = new WsServer();
    private final FrameCursor cursor = new FrameCursor();
    /** Nothing is answered any more, as by a gateway that is gone. */
    private volatile boolean mute;

    private volatile boolean closeSent;
    // ---- guarded by facts
    private final List<Received> received = new ArrayList<>();
    private Frame.@Nullable Hello hello;
    private @Nullable End end;

    Peer(Facts facts, World.Wire wire, Carrier carrier) {
        this.facts = facts;
        this.wire = wire;
        this.carrier = carrier;
        this.openedNanos = facts.nanos();
    }

    // ---- what comes

    @Override
    public void received(byte[] bytes, int length) {
        long now = facts.nanos();
        try {
            if (carrier == Carrier.TCP) {
                in.writeBytes(bytes, 0, length);
                while (cursor.next(in, Trial.LIMIT_BYTES)) {
                    take(GatewayCodec.decode(cursor, in), now);
                }
                in.discardReadBytes();
            } else {
                ws.read(bytes, length);
                if (hello() == null) {
                    upgrade(now);
                }
                messages(now);
            }
        } catch (WireException e) {
            facts.violation(e.getMessage() + " (" + CloseCodes.name(e.code()) + ")");
            ws.close();
            breakOff();
        }
    }

    @Override
    public void ended(String how) {
        ws.close();
        left(CloseCodes.NONE, how);
    }

    private void upgrade(long now) {
        WsServer.Upgrade upgrade = ws.upgrade();
        if (upgrade != null) {
            try {
                answer(upgrade.answer());
                note(now, identity(upgrade.request()));
            } finally {
                upgrade.request().release();
            }
        }
    }

    /** What HELLO says elsewhere, from path, query and headers. */
    private static Frame identity(HttpRequest request) {
        QueryStringDecoder target = new QueryStringDecoder(request.uri());
        if (!target.path().equals("/ws") && !target.path().startsWith("/ws/")) {
            throw new WireException(CloseCodes.MALFORMED, "target = " + request.uri() + ": need /ws");
        }
        Map<String, List<String>> query = target.parameters();
        String device = target.path().length() > 4
                ? target.path().substring(4)
                : query.getOrDefault("device", List.of("")).get(0);
        String offered = request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, "");
        String header = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
        String token = offered.contains(WsHandshake.BEARER)
                ? offered.substring(offered.indexOf(WsHandshake.BEARER) + WsHandshake.BEARER.length())
                        .split("[ ,]", 2)[0]
                : header.startsWith("Bearer ")
                        ? header.substring(7)
                        : query.getOrDefault("token", List.of("")).get(0);
        String interval = query.getOrDefault("heartbeat_ms", List.of("0")).get(0);
        try {
            return new Frame.Hello(
                    FrameType.FEATURE_AUTH, Long.parseLong(interval), 0, GatewayCodec.deviceId(device), token, "");
        } catch (NumberFormatException e) {
            throw new WireException(CloseCodes.MALFORMED, "heartbeat_ms = " + interval + ": need milliseconds");
        }
    }

    private void messages(long now) {
        for (WebSocketFrame message = ws.next(); message != null; message = ws.next()) {
            byte[] payload = ByteBufUtil.getBytes(message.content());
            message.release();
            if (message instanceof PingWebSocketFrame) {
                note(now, new Frame.Ping(ByteBuffer.wrap(payload)));
                answer(WsServer.frame(WsCursor.PONG, true, payload));
            } else if (message instanceof PongWebSocketFrame) {
                note(now, new Frame.Pong(ByteBuffer.wrap(payload)));
            } else if (message instanceof CloseWebSocketFrame) {
                nativeClose(payload);
            } else if (message instanceof TextWebSocketFrame) {
                take(JsonFrames.decode(new String(payload, StandardCharsets.UTF_8)), now);
            } else {
                throw new WireException(CloseCodes.MALFORMED, "a binary message: need text");
            }
        }
    }

    private void nativeClose(byte[] payload) {
        int code = payload.length >= 2 ? ByteBuffer.wrap(payload).getShort() & 0xFFFF : CloseCodes.NONE;
        left(code, "a WebSocket close of " + code);
        if (!mute) {
            if (!closeSent) {
                answer(WsServer.frame(WsCursor.CLOSE, true, payload));
            }
            breakOff();
        }
    }

    private void take(Frame frame, long now) {
        if (frame instanceof Frame.Data data && data.payload().remaining() > Trial.LIMIT_BYTES) {
            throw new WireException(
                    CloseCodes.MALFORMED, data.payload().remaining() + " bytes: need at most " + Trial.LIMIT_BYTES);
        }
        if ((hello() == null) != frame instanceof Frame.Hello) {
            throw new WireException(
                    CloseCodes.MALFORMED,
                    hello() == null ? "the first frame is " + frame + ": need HELLO" : "a second HELLO");
        }
        End left = end();
        if (left != null && left.code() != CloseCodes.NONE) {
            throw new WireException(CloseCodes.MALFORMED, frame.getClass().getSimpleName() + " after its CLOSE");
        }
        note(now, frame);
        if (frame instanceof Frame.Ping ping && !mute && !closeSent) {
            send(new Frame.Pong(ping.payload()));
        } else if (frame instanceof Frame.Close close) {
            left(close.code(), "CLOSE " + close.code());
            if (!mute) {
                wire.endOutput();
            }
        }
    }

    private void note(long now, Frame frame) {
        facts.report(() -> {
            if (received.size() >= MOST_RECEIVED) {
                throw new WireException(CloseCodes.MALFORMED, "more than " + MOST_RECEIVED + " frames");
            }
            if (frame instanceof Frame.Hello said) {
                hello = said;
            }
            received.add(new Received(now, frame));
        });
    }

    private void left(int code, String how) {
        facts.report(() -> end = end == null ? new End(code, how) : end);
    }

    // ---- what was seen

    /** When the connection was accepted. */
    long openedNanos() {
        return openedNanos;
    }

    /** Its HELLO, or null before it. */
    Frame.@Nullable Hello hello() {
        return facts.read(() -> hello);
    }

    /** How the client left, or null while it has not. */
    @Nullable
    End end() {
        return facts.read(() -> end);
    }

    /** Everything received until now, HELLO first. */
    List<Received> received() {
        return facts.read(() -> List.copyOf(received));
    }

    /** The frames of a kind that came on this connection, in order. */
    <T extends Frame> List<T> frames(Class<T> kind) {
        return received().stream()
                .map(Received::frame)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    // ---- what the gateway does

    /** Sends frames in one write. */
    void send(Frame... frames) {
        send(false, frames);
    }

    /** Sends frames, with what a later version may add to them. */
    void send(boolean extended, Frame... frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Frame frame : frames) {
            out.writeBytes(whole(bytes(extended, frame)));
        }
        wire.write(out.toByteArray());
    }

    private byte[] bytes(boolean extended, Frame frame) {
        if (carrier == Carrier.JSON) {
            return JsonFrames.encode(frame, extended).getBytes(StandardCharsets.UTF_8);
        }
        ByteBuf out = Unpooled.buffer();
        GatewayCodec.encode(frame, extended && !(frame instanceof Frame.Data) ? EXTENSION : NOTHING, out);
        return ByteBufUtil.getBytes(out);
    }

    private byte[] whole(byte[] frame) {
        return carrier == Carrier.TCP ? frame : WsServer.frame(WsCursor.TEXT, true, frame);
    }

    /** Sends bytes that may be no frame at all; over WebSocket as one message. */
    void sendBytes(byte[] bytes) {
        wire.write(whole(bytes));
    }

    /** Sends a frame byte by byte; over WebSocket in fragments of a byte. */
    void sendPiecemeal(Frame frame) {
        byte[] bytes = bytes(false, frame);
        for (int i = 0; i < bytes.length; i++) {
            byte[] piece = {bytes[i]};
            int opcode = i == 0 ? WsCursor.TEXT : WsCursor.CONTINUATION;
            wire.write(carrier == Carrier.TCP ? piece : WsServer.frame(opcode, i == bytes.length - 1, piece));
        }
    }

    /** Asks for a sign of life, over WebSocket natively. */
    void ping(byte[] payload) {
        if (carrier == Carrier.TCP) {
            send(new Frame.Ping(ByteBuffer.wrap(payload)));
        } else {
            wire.write(WsServer.frame(WsCursor.PING, true, payload));
        }
    }

    /**
     * Sends CLOSE with a code, over WebSocket as the native close frame, and ends the gateway's side.
     *
     * @return a time before it was sent
     */
    long close(int code) {
        long before = facts.nanos();
        closeSent = true;
        if (carrier == Carrier.TCP) {
            send(new Frame.Close(code, "conform"));
            wire.endOutput();
        } else {
            byte[] text = "conform".getBytes(StandardCharsets.UTF_8);
            ByteBuffer payload = ByteBuffer.allocate(2 + text.length).putShort((short) code);
            wire.write(WsServer.frame(WsCursor.CLOSE, true, payload.put(text).array()));
        }
        return before;
    }

    private void answer(byte[] bytes) {
        if (!mute) {
            wire.write(bytes);
        }
    }

    /** Answers nothing from now on, and leaves the connection open. */
    void fallSilent() {
        mute = true;
    }

    /** Ends the connection without a CLOSE. Returns a time before. */
    long breakOff() {
        long before = facts.nanos();
        wire.close();
        return before;
    }

    /** Ends the connection with a reset. Returns a time before. */
    long reset() {
        long before = facts.nanos();
        wire.reset();
        return before;
    }
}
