package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Frames as a gateway reads and writes them, sections 2 and 3 of the wire document: what a device sends to values, and what a
 * gateway sends to bytes. Allocates. Stateless: any thread.
 */
public final class GatewayCodec {

    private static final int RESERVED = 0;

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
            case FrameType.AUTH -> renewal(payload);
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
            return new Frame.Hello(
                    payload.readUnsignedByte(),
                    payload.readUnsignedInt(),
                    payload.readLong(),
                    FrameCodec.text(payload, payload.readUnsignedByte()),
                    FrameCodec.text(payload, payload.readUnsignedShort()),
                    FrameCodec.text(payload, payload.readUnsignedByte()));
        } catch (IndexOutOfBoundsException e) {
            throw new WireException(CloseCodes.MALFORMED, "HELLO ends inside a field");
        }
    }

    private static Frame renewal(ByteBuf payload) {
        if (!payload.isReadable()) {
            throw new WireException(CloseCodes.MALFORMED, "AUTH without a token");
        }
        return new Frame.Renewal(FrameCodec.text(payload, payload.readableBytes()));
    }

    /**
     * Writes a frame of a gateway, header and all.
     *
     * @param extension bytes behind the fields of WELCOME, ACK, GOAWAY and AUTH, which a device ignores; else none
     * @throws IllegalArgumentException for a frame that a gateway does not send
     */
    public static void encode(Frame frame, byte[] extension, ByteBuf out) {
        int type = type(frame);
        ByteBuf payload = out.alloc().heapBuffer();
        try {
            payload(frame, payload);
            payload.writeBytes(extension);
            Frames.header(out, type, flags(frame), payload.readableBytes());
            out.writeBytes(payload);
        } finally {
            payload.release();
        }
    }

    private static int type(Frame frame) {
        if (frame instanceof Frame.Welcome) {
            return FrameType.WELCOME;
        } else if (frame instanceof Frame.Ping) {
            return FrameType.PING;
        } else if (frame instanceof Frame.Pong) {
            return FrameType.PONG;
        } else if (frame instanceof Frame.Data) {
            return FrameType.DATA;
        } else if (frame instanceof Frame.Ack) {
            return FrameType.ACK;
        } else if (frame instanceof Frame.Goaway) {
            return FrameType.GOAWAY;
        } else if (frame instanceof Frame.Close) {
            return FrameType.CLOSE;
        } else if (frame instanceof Frame.AuthAnswer) {
            return FrameType.AUTH;
        }
        throw new IllegalArgumentException("frame = " + frame + ": need one that a gateway sends");
    }

    private static int flags(Frame frame) {
        return frame instanceof Frame.Data data
                ? (data.ackWanted() ? FrameType.FLAG_ACK : 0) | (data.text() ? FrameType.FLAG_TEXT : 0)
                : 0;
    }

    private static void payload(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Welcome welcome) {
            out.writeByte(FrameCodec.VERSION).writeByte(RESERVED);
            out.writeInt((int) welcome.intervalMillis()).writeShort(welcome.graceHundredths());
            out.writeLong(welcome.sessionId()).writeLong(welcome.epoch()).writeInt((int) welcome.payloadLimit());
        } else if (frame instanceof Frame.Ping ping) {
            out.writeBytes(ping.payload().duplicate());
        } else if (frame instanceof Frame.Pong pong) {
            out.writeBytes(pong.payload().duplicate());
        } else if (frame instanceof Frame.Data data) {
            out.writeLong(data.id()).writeBytes(data.payload().duplicate());
        } else if (frame instanceof Frame.Ack ack) {
            out.writeLong(ack.id()).writeByte(ack.status());
        } else if (frame instanceof Frame.Goaway goaway) {
            byte[] host = goaway.host().getBytes(StandardCharsets.UTF_8);
            out.writeShort(goaway.code());
            out.writeInt((int) goaway.retryMinMillis()).writeInt((int) goaway.retryMaxMillis());
            out.writeByte(host.length).writeBytes(host);
        } else if (frame instanceof Frame.Close close) {
            out.writeShort(close.code()).writeBytes(close.text().getBytes(StandardCharsets.UTF_8));
        } else if (frame instanceof Frame.AuthAnswer answer) {
            out.writeByte(answer.status()).writeInt((int) answer.remainingMillis());
        }
    }
}
