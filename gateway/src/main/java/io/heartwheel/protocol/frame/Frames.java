package io.heartwheel.protocol.frame;

import static io.heartwheel.protocol.frame.FrameType.EXTENDED_HEADER_BYTES;
import static io.heartwheel.protocol.frame.FrameType.HEADER_BYTES;

import io.heartwheel.session.AuthStatus;
import io.heartwheel.session.GoAway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writer of frames. Each method returns a new buffer that the caller owns. Any thread. */
public final class Frames {
    /** What is left longer is told as so much: all that 32 bits hold. */
    public static final long MOST_MILLIS = 0xFFFF_FFFFL;

    static final int VERSION = 1;
    private static final int WELCOME_BYTES = 28;
    private static final int AUTH_BYTES = 5;
    private static final int LARGEST_SHORT_LENGTH = 0xFFFF;

    private Frames() {}

    /** The device is in. */
    public static ByteBuf welcome(
            ByteBufAllocator alloc,
            int intervalMillis,
            int graceHundredths,
            long sessionId,
            long epoch,
            int maxPayloadBytes) {
        return begin(alloc, FrameType.WELCOME, 0, WELCOME_BYTES)
                .writeByte(VERSION)
                .writeByte(0)
                .writeInt(intervalMillis)
                .writeShort(graceHundredths)
                .writeLong(sessionId)
                .writeLong(epoch)
                .writeInt(maxPayloadBytes);
    }

    /** A PING or PONG with nothing in it. */
    public static ByteBuf empty(ByteBufAllocator alloc, int type) {
        return begin(alloc, type, 0, 0);
    }

    /** A PING whose PONG has this number. */
    public static ByteBuf ping(ByteBufAllocator alloc, long number) {
        return begin(alloc, FrameType.PING, 0, Long.BYTES).writeLong(number);
    }

    /** The PONG of this PING. */
    public static ByteBuf pong(ByteBufAllocator alloc, ByteBuf ping, int index, int length) {
        return begin(alloc, FrameType.PONG, 0, length).writeBytes(ping, index, length);
    }

    /** A message. */
    public static ByteBuf data(ByteBufAllocator alloc, long messageId, boolean ack, boolean text, byte[] payload) {
        int flags = (ack ? FrameType.FLAG_ACK : 0) | (text ? FrameType.FLAG_TEXT : 0);
        return begin(alloc, FrameType.DATA, flags, FrameType.MESSAGE_ID_BYTES + payload.length)
                .writeLong(messageId)
                .writeBytes(payload);
    }

    /** What became of a message. */
    public static ByteBuf ack(ByteBufAllocator alloc, long messageId, int status) {
        return begin(alloc, FrameType.ACK, 0, FrameType.MESSAGE_ID_BYTES + 1)
                .writeLong(messageId)
                .writeByte(status);
    }

    /**
     * How long what the device was admitted with is good for.
     *
     * @param leftMillis 0 if it does not expire; what is more than 32 bits hold is told as the most they do
     */
    public static ByteBuf auth(ByteBufAllocator alloc, AuthStatus status, long leftMillis) {
        return begin(alloc, FrameType.AUTH, 0, AUTH_BYTES)
                .writeByte(status.wireCode())
                .writeInt((int) Math.min(leftMillis, MOST_MILLIS));
    }

    /** Leave soon. */
    public static ByteBuf goAway(ByteBufAllocator alloc, int code, GoAway goAway) {
        byte[] host = utf8(goAway.alternateHost(), 255);
        return begin(alloc, FrameType.GOAWAY, 0, 11 + host.length)
                .writeShort(code)
                .writeInt((int) goAway.retryMinMillis())
                .writeInt((int) goAway.retryMaxMillis())
                .writeByte(host.length)
                .writeBytes(host);
    }

    /** The last frame. The text is cut to what fits, between two characters. */
    public static ByteBuf close(ByteBufAllocator alloc, int code, String text) {
        byte[] bytes = utf8(text, FrameType.MAX_CLOSE_TEXT_BYTES);
        return begin(alloc, FrameType.CLOSE, 0, 2 + bytes.length)
                .writeShort(code)
                .writeBytes(bytes);
    }

    /** UTF-8 of the text, cut between two characters to at most so many bytes. */
    public static byte[] utf8(String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxBytes) {
            return bytes;
        }
        int end = maxBytes;
        while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    private static ByteBuf begin(ByteBufAllocator alloc, int type, int flags, int length) {
        if (length <= LARGEST_SHORT_LENGTH) {
            return alloc.ioBuffer(HEADER_BYTES + length)
                    .writeByte(type)
                    .writeByte(flags)
                    .writeShort(length);
        }
        return alloc.ioBuffer(EXTENDED_HEADER_BYTES + length)
                .writeByte(type)
                .writeByte(flags | FrameType.FLAG_EXTENDED)
                .writeShort(0)
                .writeInt(length);
    }
}
