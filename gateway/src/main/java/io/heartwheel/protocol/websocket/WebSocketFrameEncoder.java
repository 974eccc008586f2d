package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.protocol.frame.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Encoder of the frames of a server, RFC 6455 section 5: never masked, never fragmented. A new buffer belongs to the caller. Loop only. */
final class WebSocketFrameEncoder {
    private static final int SHORT_HEADER_BYTES = 2;
    private static final int MAX_HEADER_BYTES = 10;
    private static final int MAX_LENGTH_7 = 125;
    private static final int MAX_CONTROL_BYTES = 125;
    private static final int MASK_BYTES = 4;
    private static final int EMPTY_MASKED_BYTES = SHORT_HEADER_BYTES + MASK_BYTES;
    private static final int MASKED_PING = (Opcode.FIN | Opcode.PING) << 8 | 0x80;
    private static final int PONG = (Opcode.FIN | Opcode.PONG) << 8;

    /** Up to here a copy is cheaper than a second buffer for the header. */
    private static final int MAX_COPIED_BYTES = 1024;

    private WebSocketFrameEncoder() {}

    /** A control frame with nothing in it. */
    static ByteBuf empty(ByteBufAllocator alloc, int opcode) {
        return alloc.ioBuffer(SHORT_HEADER_BYTES).writeShort((Opcode.FIN | opcode) << 8);
    }

    /** A ping whose pong has this number. */
    static ByteBuf ping(ByteBufAllocator alloc, long number) {
        return alloc.ioBuffer(SHORT_HEADER_BYTES + Long.BYTES)
                .writeShort((Opcode.FIN | Opcode.PING) << 8 | Long.BYTES)
                .writeLong(number);
    }

    /** The pong of this ping. */
    static ByteBuf pong(ByteBufAllocator alloc, ByteBuf ping, int index, int length) {
        return alloc.ioBuffer(SHORT_HEADER_BYTES + length)
                .writeShort(PONG | length)
                .writeBytes(ping, index, length);
    }

    /**
     * Turns a read buffer that holds one ping and nothing else into its pong.
     *
     * @return whether it did
     */
    static boolean pongInPlace(ByteBuf in) {
        int start = in.readerIndex();
        int length = in.readableBytes() - EMPTY_MASKED_BYTES;
        if (length < 0 || length > MAX_CONTROL_BYTES || in.getUnsignedShort(start) != (MASKED_PING | length)) {
            return false;
        }
        Masking.unmask(in, start + EMPTY_MASKED_BYTES, length, in.getInt(start + SHORT_HEADER_BYTES));
        in.setShort(start + MASK_BYTES, PONG | length);
        in.readerIndex(start + MASK_BYTES);
        return true;
    }

    /**
     * The close frame.
     *
     * @param code the one to send, or {@link CloseCodes#EMPTY}; the text is cut to what fits
     */
    static ByteBuf close(ByteBufAllocator alloc, int code, String text) {
        if (code == CloseCodes.EMPTY) {
            return empty(alloc, Opcode.CLOSE);
        }
        byte[] bytes = Frames.utf8(text, FrameType.MAX_CLOSE_TEXT_BYTES);
        int length = 2 + bytes.length;
        return alloc.ioBuffer(SHORT_HEADER_BYTES + length)
                .writeShort((Opcode.FIN | Opcode.CLOSE) << 8 | length)
                .writeShort(code)
                .writeBytes(bytes);
    }

    /**
     * A text or binary message.
     *
     * @param windowBits of permessage-deflate, 0 without
     */
    static ByteBuf message(ByteBufAllocator alloc, boolean text, byte[] payload, int windowBits) {
        int opcode = text ? Opcode.TEXT : Opcode.BINARY;
        ByteBuf deflated =
                isWorthDeflating(payload.length, windowBits) ? deflated(alloc, opcode, ByteBuffer.wrap(payload)) : null;
        if (deflated != null) {
            return deflated;
        }
        ByteBuf frame = alloc.ioBuffer(MAX_HEADER_BYTES + payload.length);
        return writeHeader(frame, Opcode.FIN | opcode, payload.length).writeBytes(payload);
    }

    /**
     * A message of this payload, which is taken over.
     *
     * @param opcode of text or binary
     * @param windowBits of permessage-deflate, 0 without
     */
    static ByteBuf message(ByteBufAllocator alloc, int opcode, ByteBuf payload, int windowBits) {
        int length = payload.readableBytes();
        ByteBuf deflated = isWorthDeflating(length, windowBits) ? deflated(alloc, opcode, payload.nioBuffer()) : null;
        if (deflated != null) {
            payload.release();
            return deflated;
        }
        int first = Opcode.FIN | opcode;
        if (length > MAX_COPIED_BYTES) {
            return Unpooled.wrappedBuffer(writeHeader(alloc.ioBuffer(MAX_HEADER_BYTES), first, length), payload);
        }
        ByteBuf frame = writeHeader(alloc.ioBuffer(MAX_HEADER_BYTES + length), first, length);
        frame.writeBytes(payload);
        payload.release();
        return frame;
    }

    /** Without context a message never reaches back further than its own length, so a short one fits any window. */
    private static boolean isWorthDeflating(int length, int windowBits) {
        return windowBits != 0 && length >= Deflate.LEAST_DEFLATED_BYTES && length <= 1 << windowBits;
    }

    /** Null if it does not get smaller. */
    private static @Nullable ByteBuf deflated(ByteBufAllocator alloc, int opcode, ByteBuffer payload) {
        int most = payload.remaining() - 1;
        ByteBuf frame = alloc.ioBuffer(MAX_HEADER_BYTES + most);
        frame.setIndex(MAX_HEADER_BYTES, MAX_HEADER_BYTES);
        if (!Deflate.ofThisLoop().deflate(payload, frame, most)) {
            frame.release();
            return null;
        }
        int length = frame.readableBytes();
        int end = frame.writerIndex();
        int start = MAX_HEADER_BYTES - headerBytes(length);
        frame.setIndex(start, start);
        return writeHeader(frame, Opcode.FIN | Opcode.RSV1 | opcode, length).writerIndex(end);
    }

    private static int headerBytes(int length) {
        if (length <= MAX_LENGTH_7) {
            return SHORT_HEADER_BYTES;
        }
        return length <= 0xFFFF ? 4 : MAX_HEADER_BYTES;
    }

    private static ByteBuf writeHeader(ByteBuf out, int first, int length) {
        out.writeByte(first);
        if (length <= MAX_LENGTH_7) {
            return out.writeByte(length);
        }
        return length <= 0xFFFF
                ? out.writeByte(126).writeShort(length)
                : out.writeByte(127).writeLong(length);
    }
}
