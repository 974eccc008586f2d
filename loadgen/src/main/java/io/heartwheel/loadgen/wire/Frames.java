package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/** The frames of the heartbeat path, written straight into a buffer: no allocation. Stateless: any thread. */
public final class Frames {

    /** Bytes of a heartbeat on the wire: header and sequence number. */
    public static final int BEAT_BYTES = 8;
    /** Bytes of payload a heartbeat carries: its sequence number, u32. */
    public static final int BEAT_PAYLOAD = 4;

    /** Bytes of an ACK. */
    public static final int ACK_BYTES = 13;

    private Frames() {}

    /** A header in the form the document demands for this length. */
    public static void header(ByteBuf out, int type, int flags, int length) {
        if (length <= 0xFFFF) {
            out.writeByte(type).writeByte(flags).writeShort(length);
        } else {
            out.writeByte(type)
                    .writeByte(flags | FrameType.FLAG_EXTENDED)
                    .writeShort(0)
                    .writeInt(length);
        }
    }

    /** A PING whose payload is the heartbeat's sequence number. */
    public static void beat(ByteBuf out, int sequence) {
        header(out, FrameType.PING, 0, BEAT_PAYLOAD);
        out.writeInt(sequence);
    }

    /** The PONG for the PING the cursor stands on: the same bytes. */
    public static void pong(ByteBuf out, FrameCursor ping, ByteBuf in) {
        header(out, FrameType.PONG, 0, ping.payloadLength());
        out.writeBytes(in, ping.payloadAt(), ping.payloadLength());
    }

    /** All of a DATA frame that wants an ACK but its {@code length} bytes of content. */
    public static void dataHeader(ByteBuf out, long id, int length) {
        header(out, FrameType.DATA, FrameType.FLAG_ACK, length + 8);
        out.writeLong(id);
    }

    /** An ACK; status 0 accepts. */
    public static void ack(ByteBuf out, long id, int status) {
        header(out, FrameType.ACK, 0, 9);
        out.writeLong(id).writeByte(status);
    }

    /** A CLOSE without text. */
    public static void close(ByteBuf out, int code) {
        header(out, FrameType.CLOSE, 0, 2);
        out.writeShort(code);
    }
}
