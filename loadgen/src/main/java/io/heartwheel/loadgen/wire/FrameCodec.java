package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Frames that a client writes and reads as values, section 3 of the wire document: HELLO to bytes, and what a gateway sends
 * to values. Allocates; heartbeats go past it through {@link Frames}. Stateless: any thread.
 */
public final class FrameCodec {

    static final int MAGIC = 0x4857;
    static final int VERSION = 1;

    private FrameCodec() {}

    /**
     * The value of the frame the cursor stands on.
     *
     * @throws WireException when the payload breaks section 3
     */
    public static Frame decode(FrameCursor cursor, ByteBuf in) {
        ByteBuf payload = in.slice(cursor.payloadAt(), cursor.payloadLength());
        try {
            return switch (cursor.type()) {
                case FrameType.HELLO -> throw new WireException(CloseCodes.MALFORMED, "HELLO from the gateway");
                case FrameType.WELCOME -> welcome(payload);
                case FrameType.PING -> new Frame.Ping(rest(payload));
                case FrameType.PONG -> new Frame.Pong(rest(payload));
                case FrameType.DATA -> data(cursor.flags(), payload);
                case FrameType.ACK -> new Frame.Ack(payload.readLong(), payload.readUnsignedByte());
                case FrameType.GOAWAY ->
                    new Frame.Goaway(
                            payload.readUnsignedShort(),
                            payload.readUnsignedInt(),
                            payload.readUnsignedInt(),
                            text(payload, payload.readUnsignedByte()));
                case FrameType.AUTH -> new Frame.AuthAnswer(payload.readUnsignedByte(), payload.readUnsignedInt());
                default -> new Frame.Close(payload.readUnsignedShort(), text(payload, payload.readableBytes()));
            };
        } catch (IndexOutOfBoundsException e) {
            throw new WireException(CloseCodes.MALFORMED, FrameType.name(cursor.type()) + " ends inside a field");
        }
    }

    private static Frame welcome(ByteBuf payload) {
        int version = payload.readUnsignedByte();
        if (version != VERSION) {
            throw new WireException(CloseCodes.BAD_VERSION, "version " + version + ": need 1");
        }
        payload.skipBytes(1);
        return new Frame.Welcome(
                payload.readUnsignedInt(),
                payload.readUnsignedShort(),
                payload.readLong(),
                payload.readLong(),
                payload.readUnsignedInt());
    }

    private static Frame data(int flags, ByteBuf payload) {
        boolean text = (flags & FrameType.FLAG_TEXT) != 0;
        long id = payload.readLong();
        byte[] bytes = ByteBufUtil.getBytes(payload);
        if (text) {
            utf8(bytes);
        }
        return new Frame.Data(id, (flags & FrameType.FLAG_ACK) != 0, text, ByteBuffer.wrap(bytes));
    }

    private static ByteBuffer rest(ByteBuf payload) {
        return ByteBuffer.wrap(ByteBufUtil.getBytes(payload));
    }

    static String text(ByteBuf payload, int length) {
        byte[] bytes = new byte[length];
        payload.readBytes(bytes);
        return utf8(bytes);
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new WireException(CloseCodes.BAD_UTF8, "text that is not UTF-8");
        }
    }

    /** Writes a HELLO, header and all. */
    public static void hello(Frame.Hello hello, ByteBuf out) {
        byte[] id = hello.deviceId().getBytes(StandardCharsets.UTF_8);
        byte[] token = hello.token().getBytes(StandardCharsets.UTF_8);
        byte[] name = hello.clientName().getBytes(StandardCharsets.UTF_8);
        Frames.header(out, FrameType.HELLO, 0, 20 + id.length + token.length + name.length);
        out.writeShort(MAGIC).writeByte(VERSION).writeByte(hello.features());
        out.writeInt((int) hello.intervalMillis()).writeLong(hello.lastEpoch());
        out.writeByte(id.length).writeBytes(id);
        out.writeShort(token.length).writeBytes(token);
        out.writeByte(name.length).writeBytes(name);
    }

    /** Writes an AUTH of a device with a newer token, header and all. */
    public static void renewal(String token, ByteBuf out) {
        byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
        Frames.header(out, FrameType.AUTH, 0, bytes.length);
        out.writeBytes(bytes);
    }
}
