package io.heartwheel.loadgen.conform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.GatewayCodec;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connection of the reference client: frames over TCP, WebSocket or JSON, and its faults in reading them. One thread. */
final class Link {

    private static final int BEYOND_ANY_LIMIT = 1 << 20;
    private static final int KEY = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final VirtualWorld.Stream stream;
    private final Carrier carrier;
    private final @Nullable Fault fault;
    private final ByteBuf raw = Unpooled.buffer();
    private final ByteBuf message = Unpooled.buffer();
    private final WsCursor wsCursor = new WsCursor();
    private final WsWriter writer = new WsWriter(7);
    private final FrameCursor cursor = new FrameCursor();

    Link(VirtualWorld.Stream stream, Carrier carrier, @Nullable Fault fault, Frame.Hello hello) {
        this.stream = stream;
        this.carrier = carrier;
        this.fault = fault;
        if (fault == Fault.SPEAKS_ANOTHER_PROTOCOL) {
            stream.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return;
        } else if (carrier == Carrier.TCP) {
            send(hello);
            return;
        }
        String path = "/ws/" + hello.deviceId() + "?heartbeat_ms=" + hello.intervalMillis();
        String offer = WsServer.SUBPROTOCOL + ", " + WsHandshake.BEARER + hello.token();
        ByteBuf out = Unpooled.buffer();
        WsHandshake.request(out, "127.0.0.1", path, offer, "", KEY);
        stream.send(ByteBufUtil.getBytes(out));
        if (!WsHandshake.accepted(Unpooled.wrappedBuffer(stream.read()), offer, KEY)) {
            throw new WireException(CloseCodes.MALFORMED, "no answer to the upgrade");
        }
    }

    boolean ended() {
        return stream.ended();
    }

    void end() {
        stream.end();
    }

    // ---- to the gateway

    void send(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        if (carrier == Carrier.JSON) {
            out.writeCharSequence(json(frame), StandardCharsets.UTF_8);
        } else if (frame instanceof Frame.Hello hello) {
            FrameCodec.hello(hello, out);
        } else if (frame instanceof Frame.Renewal renewal) {
            FrameCodec.renewal(renewal.token(), out);
        } else {
            GatewayCodec.encode(frame, new byte[0], out);
        }
        if (carrier == Carrier.TCP) {
            stream.send(ByteBufUtil.getBytes(out));
        } else {
            message(WsCursor.TEXT, out);
        }
    }

    /** Leaves with 4000. */
    void close() {
        if (carrier == Carrier.JSON) {
            message(WsCursor.CLOSE, Unpooled.buffer().writeShort(CloseCodes.NORMAL));
        } else {
            send(new Frame.Close(CloseCodes.NORMAL, ""));
        }
    }

    private void message(int opcode, ByteBuf payload) {
        ByteBuf out = Unpooled.buffer();
        writer.begin(out, opcode, payload.readableBytes());
        out.writeBytes(payload);
        writer.end(out);
        stream.send(ByteBufUtil.getBytes(out));
    }

    private static String json(Frame frame) {
        ObjectNode out = JSON.createObjectNode();
        if (frame instanceof Frame.Data data) {
            out.put("type", "data").put("id", Long.toUnsignedString(data.id())).put("ack", data.ackWanted());
            out.put("text", Trial.text(data));
        } else if (frame instanceof Frame.Ack ack) {
            out.put("type", "ack").put("id", Long.toUnsignedString(ack.id()));
        } else if (frame instanceof Frame.Renewal renewal) {
            out.put("type", "auth").put("token", renewal.token());
        } else {
            out.put("type", "ping");
        }
        return out.toString();
    }

    // ---- from the gateway

    /** What has come since the last time. */
    List<Frame> read() {
        List<Frame> frames = new ArrayList<>();
        for (byte[] piece = stream.read(); piece != null; piece = stream.read()) {
            if (fault == Fault.EXPECTS_WHOLE_FRAMES) {
                raw.clear();
            }
            raw.writeBytes(piece);
            if (carrier == Carrier.TCP) {
                frames(raw, frames);
                if (fault == Fault.READS_ONE_FRAME_A_READ) {
                    raw.clear();
                }
            } else {
                messages(frames);
            }
        }
        raw.discardReadBytes();
        return frames;
    }

    private void frames(ByteBuf in, List<Frame> frames) {
        try {
            while (cursor.next(in, BEYOND_ANY_LIMIT)) {
                if (fault == Fault.KNOWS_NO_LONG_FORM && (cursor.flags() & FrameType.FLAG_EXTENDED) != 0) {
                    throw new WireException(CloseCodes.MALFORMED, "a long form");
                }
                if (fault == Fault.REFUSES_EXTENSIONS && cursor.type() == FrameType.ACK && cursor.payloadLength() > 9) {
                    throw new WireException(CloseCodes.MALFORMED, "an ACK of another length");
                }
                frames.add(FrameCodec.decode(cursor, in));
                if (fault == Fault.READS_ONE_FRAME_A_READ) {
                    return;
                }
            }
        } catch (WireException e) {
            if (fault != Fault.SKIPS_GARBAGE) {
                throw e;
            }
            in.clear();
        }
    }

    private void messages(List<Frame> frames) {
        while (wsCursor.next(raw, BEYOND_ANY_LIMIT)) {
            ByteBuf payload = raw.slice(wsCursor.payloadAt(), wsCursor.payloadLength());
            if (wsCursor.opcode() == WsCursor.PING) {
                message(WsCursor.PONG, fault == Fault.PONGS_EMPTY ? Unpooled.EMPTY_BUFFER : payload.duplicate());
            } else if (wsCursor.opcode() == WsCursor.CLOSE) {
                int code = payload.isReadable() ? payload.getUnsignedShort(0) : CloseCodes.NONE;
                message(WsCursor.CLOSE, payload.duplicate());
                frames.add(new Frame.Close(code, ""));
            } else {
                message.writeBytes(payload);
                if (wsCursor.last()) {
                    frames.add(frame(message.toString(StandardCharsets.UTF_8)));
                    message.clear();
                }
            }
        }
    }

    private static Frame frame(String text) {
        try {
            JsonNode in = JSON.readTree(text);
            return switch (in.path("type").asText()) {
                case "welcome" ->
                    new Frame.Welcome(
                            in.get("interval_ms").asLong(),
                            150,
                            0,
                            0,
                            in.get("max_payload").asLong());
                case "data" ->
                    new Frame.Data(
                            id(in),
                            in.path("ack").asBoolean(),
                            in.has("text"),
                            ByteBuffer.wrap(
                                    in.has("text")
                                            ? in.get("text").asText().getBytes(StandardCharsets.UTF_8)
                                            : in.get("base64").binaryValue()));
                case "auth" ->
                    new Frame.AuthAnswer(
                            in.get("status").asInt(), in.get("remaining_ms").asLong());
                case "ack" -> new Frame.Ack(id(in), in.path("status").asInt());
                case "goaway" ->
                    new Frame.Goaway(
                            in.get("code").asInt(),
                            in.get("retry_min_ms").asLong(),
                            in.get("retry_max_ms").asLong(),
                            in.get("host").asText());
                default -> new Frame.Pong(ByteBuffer.allocate(0));
            };
        } catch (IOException | NullPointerException e) {
            throw new WireException(CloseCodes.MALFORMED, "no message: " + text);
        }
    }

    private static long id(JsonNode in) {
        return Long.parseUnsignedLong(in.get("id").asText());
    }
}
