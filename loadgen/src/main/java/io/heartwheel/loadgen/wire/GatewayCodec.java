package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Frames as a gateway reads and writes them, sections 2 and 3 of the wire document: what a device sends to values, and what a
 * gateway sends to bytes. Allocates. Stateless: any thread.
 */
public final class GatewayCodec {

    private static final int MOST_ID = 128;
    private static final int MOST_TOKEN = 4_096;
    private static final int MOST_NAME = 64;
    private static final int RESERVED = 0;
    /** Characters that break a line, or show it in another order than it is written. */
    private static final Pattern TROUBLE =
            Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}\\x{061C}\\x{200E}\\x{200F}\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}]");

    private GatewayCodec() {}

    /**
     * The value of the frame of a device that the cursor stands on.
     *
     * @throws WireException when a device must not send it, or its payload breaks section 3
     */
    public static Frame decode(FrameCursor cursor, ByteBuf in) {
        ByteBuf payload = in.slice(cursor.payloadAt(), cursor.payloadLength());
        return switch (cursor.type()) {
            case FrameType.HELLO -> hello(payload);
            case FrameType.AUTH -> renewal(FrameCodec.text(payload, payload.readableBytes()));
            case FrameType.WELCOME, FrameType.GOAWAY ->
                throw new WireException(CloseCodes.MALFORMED, FrameType.name(cursor.type()) + " from a device");
            default -> FrameCodec.decode(cursor, in);
        };
    }

    private static Frame hello(ByteBuf payload) {
        try {
            if (payload.readableBytes() < 2 || payload.readUnsignedShort() != FrameCodec.MAGIC) {
                throw new WireException(CloseCodes.BAD_MAGIC, "HELLO without its magic: need 4857");
            }
            int version = payload.readUnsignedByte();
            if (version != FrameCodec.VERSION) {
                throw new WireException(CloseCodes.BAD_VERSION, "HELLO of version " + version + ": need 1");
            }
            int features = payload.readUnsignedByte();
            long interval = payload.readUnsignedInt();
            long epoch = payload.readLong();
            String id = deviceId(FrameCodec.text(payload, payload.readUnsignedByte()));
            String token = FrameCodec.text(payload, atMost(payload.readUnsignedShort(), MOST_TOKEN, "token"));
            String name = FrameCodec.text(payload, atMost(payload.readUnsignedByte(), MOST_NAME, "client name"));
            if (TROUBLE.matcher(name).find()) {
                throw new WireException(CloseCodes.MALFORMED, "client name with a character that breaks a line");
            }
            return new Frame.Hello(features, interval, epoch, id, token, name);
        } catch (IndexOutOfBoundsException e) {
            throw new WireException(CloseCodes.MALFORMED, "HELLO ends inside a field");
        }
    }

    /** The device id itself, if it may be one. */
    public static String deviceId(String id) {
        int bytes = id.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MOST_ID || TROUBLE.matcher(id).find()) {
            throw new WireException(
                    CloseCodes.BAD_IDENTITY,
                    "device id of " + bytes + " bytes: need 1..128, no character that breaks a line");
        }
        return id;
    }

    /** AUTH of a device with this token. */
    public static Frame.Renewal renewal(String token) {
        if (token.isEmpty()) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH without a token");
        }
        return new Frame.Renewal(token);
    }

    private static int atMost(int length, int limit, String field) {
        if (length > limit) {
            throw new WireException(CloseCodes.MALFORMED, field + " of " + length + " bytes: at most " + limit);
        }
        return length;
    }

    /**
     * Writes a frame of a gateway, header and all.
     *
     * @param extension bytes behind the fields of WELCOME, ACK, GOAWAY and AUTH, which a device ignores; else none
     * @throws IllegalArgumentException for a frame that a gateway does not send
     */
    public static void encode(Frame frame, byte[] extension, ByteBuf out) {
        ByteBuf payload = out.alloc().heapBuffer();
        try {
            int type = payload(frame, payload);
            payload.writeBytes(extension);
            int flags = frame instanceof Frame.Data data
                    ? (data.ackWanted() ? FrameType.FLAG_ACK : 0) | (data.text() ? FrameType.FLAG_TEXT : 0)
                    : 0;
            Frames.header(out, type, flags, payload.readableBytes());
            out.writeBytes(payload);
        } finally {
            payload.release();
        }
    }

    /** Writes the payload; gives the type. */
    private static int payload(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Welcome welcome) {
            out.writeByte(FrameCodec.VERSION).writeByte(RESERVED);
            out.writeInt((int) welcome.intervalMillis()).writeShort(welcome.graceHundredths());
            out.writeLong(welcome.sessionId()).writeLong(welcome.epoch()).writeInt((int) welcome.payloadLimit());
            return FrameType.WELCOME;
        } else if (frame instanceof Frame.Ping ping) {
            out.writeBytes(ping.payload().duplicate());
            return FrameType.PING;
        } else if (frame instanceof Frame.Pong pong) {
            out.writeBytes(pong.payload().duplicate());
            return FrameType.PONG;
        } else if (frame instanceof Frame.Data data) {
            out.writeLong(data.id()).writeBytes(data.payload().duplicate());
            return FrameType.DATA;
        } else if (frame instanceof Frame.Ack ack) {
            out.writeLong(ack.id()).writeByte(ack.status());
            return FrameType.ACK;
        } else if (frame instanceof Frame.Goaway goaway) {
            byte[] host = goaway.host().getBytes(StandardCharsets.UTF_8);
            out.writeShort(goaway.code());
            out.writeInt((int) goaway.retryMinMillis()).writeInt((int) goaway.retryMaxMillis());
            out.writeByte(host.length).writeBytes(host);
            return FrameType.GOAWAY;
        } else if (frame instanceof Frame.Close close) {
            out.writeShort(close.code()).writeBytes(close.text().getBytes(StandardCharsets.UTF_8));
            return FrameType.CLOSE;
        } else if (frame instanceof Frame.AuthAnswer answer) {
            out.writeByte(answer.status()).writeInt((int) answer.remainingMillis());
            return FrameType.AUTH;
        }
        throw new IllegalArgumentException("frame = " + frame + ": need one that a gateway sends");
    }
}
