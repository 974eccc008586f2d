package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Decoder of the frames of a client, RFC 6455 section 5. Strict and early: a fault in the first byte is refused before the second has come.
 *
 * <pre>
 *   header incomplete            leave it unread
 *   control frame incomplete     leave it unread (131 bytes at most)
 *   whole message in one frame   unmask where it lies, hand it on: nothing is allocated
 *   anything else                gather in an {@link MessageAggregator}, made now, dropped with the message
 * </pre>
 *
 * <p>Has no state of its own; loop of the receiver only.
 */
final class WebSocketFrameDecoder {
    private static final int MASKED = 0x80;
    private static final int MASK_BYTES = 4;
    private static final int MAX_CONTROL_BYTES = 125;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;
    private static final int INCOMPLETE = -1;
    private static final byte[] NO_TEXT = new byte[0];

    private WebSocketFrameDecoder() {}

    /** Takes frames off the front of {@code in} until it is empty or the rest has to wait. */
    static void read(FrameHandler to, ByteBuf in, long nowNanos) throws ProtocolViolation {
        boolean goOn = true;
        while (goOn && in.isReadable() && to.takesFrames()) {
            MessageAggregator begun = to.inbound();
            goOn = (begun != null && begun.isInFrame())
                    ? begun.take(to, in, nowNanos)
                    : readFrame(to, begun, in, nowNanos);
        }
    }

    private static boolean readFrame(FrameHandler to, @Nullable MessageAggregator begun, ByteBuf in, long nowNanos)
            throws ProtocolViolation {
        int start = in.readerIndex();
        int first = in.getUnsignedByte(start);
        int opcode = Opcode.of(first);
        requireFirst(to, begun, first, opcode);
        long length = payloadBytes(in, opcode);
        if (length == INCOMPLETE) {
            return false;
        }
        if (!Opcode.isControl(opcode)) {
            requireRoom(to, begun, first, length);
        }
        int header = headerBytes(in.getByte(start + 1) & 0x7F);
        if (in.readableBytes() < header) {
            return false;
        }
        int mask = in.getInt(start + header - MASK_BYTES);
        boolean whole = in.readableBytes() - header >= length;
        if (Opcode.isControl(opcode)) {
            return whole && readControl(to, opcode, in, start + header, (int) length, mask, nowNanos);
        }
        if (whole && begun == null && (first & (Opcode.FIN | Opcode.RSV1)) == Opcode.FIN) {
            readMessage(to, opcode == Opcode.TEXT, in, start + header, (int) length, mask, nowNanos);
            return true;
        }
        MessageAggregator message = begun == null ? new MessageAggregator(opcode, (first & Opcode.RSV1) != 0) : begun;
        to.inbound(message);
        in.skipBytes(header);
        message.begin((first & Opcode.FIN) != 0, header, (int) length, mask);
        return message.take(to, in, nowNanos);
    }

    // ------------------------------------------------------------------ what a header may be

    private static void requireFirst(FrameHandler to, @Nullable MessageAggregator begun, int first, int opcode)
            throws ProtocolViolation {
        if (!Opcode.mayBegin(first)) {
            throw unfit(first, opcode);
        }
        boolean data = opcode == Opcode.TEXT || opcode == Opcode.BINARY;
        if ((first & Opcode.RSV1) != 0 && !(data && to.inflates())) {
            throw Violations.malformed("RSV1 set where nothing gives it a meaning");
        }
        if (data) {
            if (begun != null) {
                throw Violations.malformed("a new message inside of a fragmented one");
            }
            to.requireTaken(opcode);
        } else if (opcode == Opcode.CONTINUATION && begun == null) {
            throw Violations.malformed("a continuation of no message");
        }
    }

    private static ProtocolViolation unfit(int first, int opcode) {
        if ((first & Opcode.RESERVED) != 0) {
            return Violations.malformed("reserved bits set");
        }
        return Opcode.isKnown(opcode)
                ? Violations.malformed("a fragmented control frame")
                : Violations.malformed("opcode " + opcode);
    }

    /** The length in the header, {@link #INCOMPLETE} while it is not all there. */
    private static long payloadBytes(ByteBuf in, int opcode) throws ProtocolViolation {
        int start = in.readerIndex();
        int readable = in.readableBytes();
        if (readable < 2) {
            return INCOMPLETE;
        }
        int second = in.getUnsignedByte(start + 1);
        if ((second & MASKED) == 0) {
            throw Violations.malformed("an unmasked frame");
        }
        int length = second & ~MASKED;
        if (length <= MAX_CONTROL_BYTES) {
            return length;
        }
        if (Opcode.isControl(opcode)) {
            throw Violations.malformed("a control frame of more than " + MAX_CONTROL_BYTES + " bytes");
        }
        if (readable < headerBytes(length) - MASK_BYTES) {
            return INCOMPLETE;
        }
        return length == LENGTH_16 ? length16(in, start + 2) : length64(in, start + 2);
    }

    private static long length16(ByteBuf in, int index) throws ProtocolViolation {
        int length = in.getUnsignedShort(index);
        if (length < LENGTH_16) {
            throw Violations.malformed("a length of 16 bits that is not needed");
        }
        return length;
    }

    private static long length64(ByteBuf in, int index) throws ProtocolViolation {
        long length = in.getLong(index);
        if (length < 0) {
            throw Violations.malformed("a length with its highest bit set");
        }
        if (length <= 0xFFFF) {
            throw Violations.malformed("a length of 64 bits that is not needed");
        }
        return length;
    }

    private static int headerBytes(int length7) {
        if (length7 < LENGTH_16) {
            return 2 + MASK_BYTES;
        }
        return (length7 == LENGTH_64 ? 10 : 4) + MASK_BYTES;
    }

    private static void requireRoom(FrameHandler to, @Nullable MessageAggregator begun, int first, long length)
            throws ProtocolViolation {
        boolean deflated = begun == null ? (first & Opcode.RSV1) != 0 : begun.isDeflated();
        int before = begun == null ? 0 : begun.size();
        if (length > MessageAggregator.most(to, deflated) - before) {
            throw Violations.tooLarge(to.maxMessageBytes());
        }
    }

    // ------------------------------------------------------------------ what it holds

    private static void readMessage(
            FrameHandler to, boolean text, ByteBuf in, int index, int length, int mask, long nowNanos)
            throws ProtocolViolation {
        Masking.unmask(in, index, length, mask);
        if (text) {
            DeviceIds.requireText(in, index, length, "a text message");
        }
        in.readerIndex(index + length);
        to.frameEnded(nowNanos);
        to.message(text, in, index, length, nowNanos);
    }

    private static boolean readControl(
            FrameHandler to, int opcode, ByteBuf in, int index, int length, int mask, long nowNanos)
            throws ProtocolViolation {
        Masking.unmask(in, index, length, mask);
        in.readerIndex(index + length);
        to.frameEnded(nowNanos);
        switch (opcode) {
            case Opcode.PING -> to.ping(in, index, length);
            case Opcode.PONG -> to.pong(in, index, length);
            default -> {
                int code = closeCode(in, index, length);
                to.peerClosed(code, length < 2 ? NO_TEXT : ByteBufUtil.getBytes(in, index + 2, length - 2, true));
            }
        }
        return true;
    }

    private static int closeCode(ByteBuf in, int index, int length) throws ProtocolViolation {
        if (length == 0) {
            return CloseCodes.EMPTY;
        }
        if (length == 1) {
            throw Violations.malformed("a close frame with half a code");
        }
        int code = in.getUnsignedShort(index);
        if (!CloseCodes.mayBeSent(code)) {
            throw Violations.malformed("close code " + code);
        }
        DeviceIds.requireText(in, index + 2, length - 2, "the text of a close frame");
        return code;
    }
}
