package io.heartwheel.protocol.websocket;

import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.Utf8;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;

/**
 * A message that comes in pieces: in several frames, or in one that several reads bring. Exists only then. Bytes are unmasked and text is
 * checked as they come; the array grows with what has come, never with what a length claims. Loop only.
 */
final class MessageAggregator {
    private static final byte[] NOTHING = {};
    private static final int LEAST_BYTES = 256;

    private final boolean text;
    private final boolean deflated;
    private byte[] bytes = NOTHING;
    private int size;
    private int utf8 = Utf8.COMPLETE;

    // ---- of the frame under way
    private boolean inFrame;
    private boolean last;
    private int frameBytes;
    private int missingBytes;
    private int mask;

    MessageAggregator(int opcode, boolean deflated) {
        text = opcode == Opcode.TEXT;
        this.deflated = deflated;
    }

    /**
     * A frame of this message begins.
     *
     * @param header bytes of its header, which are taken
     */
    void begin(boolean last, int header, int length, int mask) {
        inFrame = true;
        this.last = last;
        frameBytes = header;
        missingBytes = length;
        this.mask = mask;
    }

    /**
     * Takes what is there of the frame.
     *
     * @return whether it has ended
     */
    boolean take(FrameHandler to, ByteBuf in, long nowNanos) throws ProtocolViolation {
        int length = Math.min(missingBytes, in.readableBytes());
        int index = in.readerIndex();
        Masking.unmask(in, index, length, mask);
        mask = Masking.advance(mask, length);
        if (text && !deflated) {
            utf8 = Utf8.check(utf8, in, index, length);
            if (utf8 == Utf8.MALFORMED) {
                throw Violations.badText();
            }
        }
        reserve(to, length);
        in.readBytes(bytes, size, length);
        size += length;
        frameBytes += length;
        missingBytes -= length;
        if (missingBytes > 0) {
            return false;
        }
        inFrame = false;
        to.frameEnded(nowNanos);
        if (!last) {
            to.sessionContext().stats().fragmentIn();
        } else {
            to.inbound(null);
            to.sessionContext().stats().unfinished(-bytes.length);
            to.message(text, whole(to), nowNanos);
        }
        return true;
    }

    private byte[] whole(FrameHandler to) throws ProtocolViolation {
        if (deflated) {
            byte[] plain = Deflate.ofThisLoop().inflate(bytes, size, to.maxMessageBytes());
            to.sessionContext().stats().inflated(plain.length);
            if (text) {
                DeviceIds.requireText(Unpooled.wrappedBuffer(plain), 0, plain.length, "a text message");
            }
            return plain;
        }
        if (text && utf8 != Utf8.COMPLETE) {
            throw Violations.badText();
        }
        return bytes.length == size ? bytes : Arrays.copyOf(bytes, size);
    }

    private void reserve(FrameHandler to, int more) {
        int needed = size + more;
        if (needed > bytes.length) {
            int roomy = Math.max(needed, Math.max(LEAST_BYTES, 2 * bytes.length));
            int before = bytes.length;
            bytes = Arrays.copyOf(bytes, Math.min(roomy, last ? size + missingBytes : most(to, deflated)));
            to.sessionContext().stats().unfinished(bytes.length - before);
        }
    }

    /** The most bytes that may come of a message. */
    static int most(FrameHandler to, boolean deflated) {
        return deflated ? Deflate.maxDeflatedBytes(to.maxMessageBytes()) : to.maxMessageBytes();
    }

    /** Whether a frame of this message has begun and not ended. */
    boolean isInFrame() {
        return inFrame;
    }

    /** Whether the bytes are compressed. */
    boolean isDeflated() {
        return deflated;
    }

    /** What it takes on the heap, but for the object itself. */
    int memoryBytes() {
        return bytes.length;
    }

    /** Payload bytes so far. */
    int size() {
        return size;
    }

    /** Bytes taken of the frame under way, header and all; 0 if none is. */
    int frameBytes() {
        return inFrame ? frameBytes : 0;
    }
}
