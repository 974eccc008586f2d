package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/**
 * Cursor over the frames of a buffer; neither copies nor allocates: after {@link #next} returned true the fields
 * say which frame it was and where its payload lies. One cursor serves all connections of an event loop.
 *
 * <pre>
 *   | type | flags | length | payload ...        | type | ...
 *                            ^payloadAt  ^+length ^reader index after next()
 * </pre>
 *
 * <p>Not safe for use by several threads.
 */
public final class FrameCursor {

    private static final int SHORT_HEADER = 4;
    private static final int LONG_HEADER = 8;

    private int type;
    private int flags;
    private int payloadAt;
    private int payloadLength;

    /**
     * Moves to the next frame if it is wholly there. The header is judged as soon as it is readable.
     *
     * @param in bytes from the peer; the reader index moves behind the frame, or stays when the frame is incomplete
     * @param dataLimit largest DATA payload in bytes without its id
     * @return false when more bytes are needed
     * @throws WireException for a header that the document forbids; the cursor and the buffer are then of no use
     */
    public boolean next(ByteBuf in, int dataLimit) {
        int readable = in.readableBytes();
        if (readable < SHORT_HEADER) {
            return false;
        }
        int at = in.readerIndex();
        int frameType = in.getUnsignedByte(at);
        int frameFlags = in.getUnsignedByte(at + 1);
        checkTypeAndFlags(frameType, frameFlags);
        long length = in.getUnsignedShort(at + 2);
        int header = SHORT_HEADER;
        if ((frameFlags & FrameType.FLAG_EXTENDED) != 0) {
            if (length != 0) {
                throw new WireException(CloseCodes.MALFORMED, "short length " + length + " beside EXT: need 0");
            }
            if (readable < LONG_HEADER) {
                return false;
            }
            length = in.getUnsignedInt(at + SHORT_HEADER);
            header = LONG_HEADER;
        }
        checkLength(frameType, length, header, dataLimit);
        if (readable - header < length) {
            return false;
        }
        type = frameType;
        flags = frameFlags;
        payloadAt = at + header;
        payloadLength = (int) length;
        in.readerIndex(payloadAt + payloadLength);
        return true;
    }

    private static void checkTypeAndFlags(int type, int flags) {
        if (type < FrameType.HELLO || type > FrameType.AUTH) {
            throw new WireException(CloseCodes.UNKNOWN_TYPE, "frame type " + FrameType.name(type));
        }
        if ((flags & ~(FrameType.FLAG_EXTENDED | FrameType.allowedFlags(type))) != 0) {
            throw new WireException(
                    CloseCodes.MALFORMED, "flags 0x" + Integer.toHexString(flags) + " on " + FrameType.name(type));
        }
    }

    private static void checkLength(int type, long length, int header, int dataLimit) {
        long limit = FrameType.payloadLimit(type, dataLimit);
        if (length > limit) {
            throw new WireException(
                    CloseCodes.TOO_LARGE, FrameType.name(type) + " of " + length + " bytes: at most " + limit);
        }
        if (header == LONG_HEADER && length <= 0xFFFF) {
            throw new WireException(CloseCodes.MALFORMED, "EXT for " + length + " bytes: only over 65535");
        }
    }

    /** Frame type, {@link FrameType#HELLO} to {@link FrameType#AUTH}. */
    public int type() {
        return type;
    }

    /** The flag bits. */
    public int flags() {
        return flags;
    }

    /** Index of the payload's first byte in the buffer last stepped through. */
    public int payloadAt() {
        return payloadAt;
    }

    /** Bytes of payload. */
    public int payloadLength() {
        return payloadLength;
    }
}
