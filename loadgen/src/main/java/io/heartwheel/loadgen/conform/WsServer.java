package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.wire.Bytes;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one WebSocket (RFC 6455): the upgrade, masked frames from the client, frames to it. Messages may come in
 * fragments. One thread reads; {@link #frame} is a pure function.
 */
final class WsServer {

    private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_HEAD_BYTES = 16_384;
    private static final int MOST_MESSAGE_BYTES = 1 << 20;
    private static final int MOST_CONTROL_BYTES = 125;
    private static final int KEY_CHARS = 24;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int TOO_BIG = 1009;
    private static final int FIN = 0x80;

    /** A message or control frame of the client. */
    record Message(int opcode, byte[] payload) {}

    /**
     * The client's request.
     *
     * @param target path and query
     * @param protocols that it offers
     * @param authorization the header, or empty
     * @param answer for it
     */
    record Upgrade(String target, List<String> protocols, String authorization, byte[] answer) {}

    private final ByteBuf fragments = Unpooled.buffer();
    private int begun;

    /**
     * Reads the request.
     *
     * @return null when more bytes are needed
     * @throws WireException when it is not what the wire document asks for
     */
    static @Nullable Upgrade upgrade(ByteBuf in, String subprotocol) {
        int end = Bytes.find(in, in.readerIndex(), in.writerIndex(), END_OF_HEAD);
        if (end < 0) {
            if (in.readableBytes() > MOST_HEAD_BYTES) {
                throw bad("a head of more than " + MOST_HEAD_BYTES + " bytes");
            }
            return null;
        }
        String head = in.readCharSequence(end - in.readerIndex(), StandardCharsets.ISO_8859_1)
                .toString();
        in.skipBytes(END_OF_HEAD.length);
        String[] lines = head.split("\r\n", -1);
        String[] request = lines[0].split(" ", -1);
        if (request.length != 3 || !request[0].equals("GET") || !request[2].equals("HTTP/1.1")) {
            throw bad(lines[0] + ": need GET ... HTTP/1.1");
        }
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = Math.max(0, lines[i].indexOf(':'));
            headers.merge(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip(),
                    (one, other) -> one + "," + other);
        }
        need(headers, "upgrade", "websocket");
        need(headers, "connection", "upgrade");
        need(headers, "sec-websocket-version", "13");
        need(headers, "sec-websocket-protocol", subprotocol);
        String key = headers.getOrDefault("sec-websocket-key", "");
        if (key.length() != KEY_CHARS) {
            throw bad("sec-websocket-key = " + key + ": need 16 bytes in Base64");
        }
        String answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: " + WsHandshake.acceptOf(key) + "\r\n"
                + "Sec-WebSocket-Protocol: " + subprotocol + "\r\n\r\n";
        return new Upgrade(
                request[1],
                list(headers, "sec-websocket-protocol"),
                headers.getOrDefault("authorization", ""),
                answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static List<String> list(Map<String, String> headers, String name) {
        return List.of(headers.getOrDefault(name, "").split(" *, *", -1));
    }

    private static void need(Map<String, String> headers, String name, String value) {
        if (list(headers, name).stream().noneMatch(value::equalsIgnoreCase)) {
            throw bad(name + " = " + headers.getOrDefault(name, "") + ": need " + value);
        }
    }

    static WireException bad(String message) {
        return new WireException(CloseCodes.MALFORMED, "upgrade request: " + message);
    }

    /**
     * Takes the next whole message or control frame out of the stream.
     *
     * @return null when more bytes are needed
     * @throws WireException for what RFC 6455 forbids a client
     */
    @Nullable
    Message next(ByteBuf in) {
        while (true) {
            int first = in.isReadable() ? in.getUnsignedByte(in.readerIndex()) : 0;
            byte[] payload = payload(in);
            if (payload == null) {
                return null;
            }
            int opcode = first & 0x0F;
            boolean last = (first & FIN) != 0;
            if (opcode >= WsCursor.CLOSE) {
                if (!last || payload.length > MOST_CONTROL_BYTES) {
                    throw new WireException(PROTOCOL_ERROR, "a control frame that is long or in fragments");
                }
                return new Message(opcode, payload);
            }
            if ((opcode == WsCursor.CONTINUATION) != (begun != 0)) {
                throw new WireException(PROTOCOL_ERROR, "a fragment out of turn");
            }
            fragments.writeBytes(payload);
            begun = opcode == WsCursor.CONTINUATION ? begun : opcode;
            if (last) {
                Message whole = new Message(begun, Arrays.copyOf(fragments.array(), fragments.readableBytes()));
                fragments.clear();
                begun = 0;
                return whole;
            }
        }
    }

    private byte @Nullable [] payload(ByteBuf in) {
        int at = in.readerIndex();
        int readable = in.readableBytes();
        if (readable < 2) {
            return null;
        }
        int second = in.getUnsignedByte(at + 1);
        if ((second & 0x80) == 0) {
            throw new WireException(PROTOCOL_ERROR, "a frame without a mask");
        }
        int coded = second & 0x7F;
        int header = coded == 126 ? 4 : coded == 127 ? 10 : 2;
        if (readable < header + 4) {
            return null;
        }
        long length = header == 2 ? coded : header == 4 ? in.getUnsignedShort(at + 2) : in.getLong(at + 2);
        if (length < 0 || length + fragments.readableBytes() > MOST_MESSAGE_BYTES) {
            throw new WireException(TOO_BIG, "a message of more than " + MOST_MESSAGE_BYTES + " bytes");
        }
        if (readable - header - 4 < length) {
            return null;
        }
        byte[] payload = new byte[(int) length];
        in.getBytes(at + header + 4, payload);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= in.getByte(at + header + i % 4);
        }
        in.readerIndex(at + header + 4 + payload.length);
        return payload;
    }

    /** A frame of the server, without a mask. */
    static byte[] frame(int opcode, boolean last, byte[] payload) {
        ByteBuf out = Unpooled.buffer(payload.length + 10);
        out.writeByte(opcode | (last ? FIN : 0));
        if (payload.length < 126) {
            out.writeByte(payload.length);
        } else if (payload.length < 65_536) {
            out.writeByte(126).writeShort(payload.length);
        } else {
            out.writeByte(127).writeLong(payload.length);
        }
        out.writeBytes(payload);
        return Arrays.copyOf(out.array(), out.readableBytes());
    }
}
