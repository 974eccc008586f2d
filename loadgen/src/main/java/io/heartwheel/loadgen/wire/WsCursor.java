package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/**
 * Cursor over the frames that a WebSocket server sent (RFC 6455, section 5); neither copies nor allocates.
 * One cursor serves all connections of an event loop; not safe for several threads.
 */
public final class WsCursor {

    public static final int CONTINUATION = 0x0;
    public static final int TEXT = 0x1;
    public static final int BINARY = 0x2;
    public static final int CLOSE = 0x8;
    public static final int PING = 0x9;
    public static final int PONG = 0xA;

    private static final int PROTOCOL_ERROR = 1002;
    private static final int TOO_BIG = 1009;

    private int opcode;
    private boolean last;
    private int payloadAt;
    private int payloadLength;

    /**
     * Moves to the next frame if it is wholly there.
     *
     * @param in bytes from the server; the reader index moves behind the frame, or stays when it is incomplete
     * @param limit largest payload taken, bytes
     * @return false when more bytes are needed
     * @throws WireException for what RFC 6455 forbids a server
     */
    public boolean next(ByteBuf in, int limit) {
        int readable = in.readableBytes();
        if (readable < 2) {
            return false;
        }
        int at = in.readerIndex();
        int first = in.getUnsignedByte(at);
        int second = in.getUnsignedByte(at + 1);
        checkFirstBytes(first, second);
        int header = second == 126 ? 4 : second == 127 ? 10 : 2;
        if (readable < header) {
            return false;
        }
        long length = header == 2 ? second : header == 4 ? in.getUnsignedShort(at + 2) : in.getLong(at + 2);
        if ((header == 4 && length < 126) || (header == 10 && length >= 0 && length < 65_536)) {
            throw new WireException(
                    PROTOCOL_ERROR, "length " + length + " in " + (header - 2) + " bytes: need the fewest");
        }
        if (length < 0 || length > limit) {
            throw new WireException(TOO_BIG, "WebSocket frame of " + length + " bytes: at most " + limit);
        }
        if (readable - header < length) {
            return false;
        }
        opcode = first & 0x0F;
        last = (first & 0x80) != 0;
        payloadAt = at + header;
        payloadLength = (int) length;
        in.readerIndex(payloadAt + payloadLength);
        return true;
    }

    private static void checkFirstBytes(int first, int second) {
        int code = first & 0x0F;
        if ((first & 0x70) != 0) {
            throw new WireException(PROTOCOL_ERROR, "RSV bits 0x" + Integer.toHexString(first & 0x70) + ": need 0");
        }
        if ((code > BINARY && code < CLOSE) || code > PONG) {
            throw new WireException(PROTOCOL_ERROR, "opcode 0x" + Integer.toHexString(code));
        }
        if ((second & 0x80) != 0) {
            throw new WireException(PROTOCOL_ERROR, "a masked frame from the server");
        }
        if (code >= CLOSE && (second > 125 || (first & 0x80) == 0)) {
            throw new WireException(PROTOCOL_ERROR, "a control frame that is long or in fragments");
        }
    }

    /** The opcode, one of the constants. */
    public int opcode() {
        return opcode;
    }

    /** Whether FIN is set. */
    public boolean last() {
        return last;
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
