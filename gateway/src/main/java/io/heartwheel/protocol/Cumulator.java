package io.heartwheel.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Bytes of a frame that has not ended, kept until the rest is read. Both methods take over the bytes they are given, also when there is no memory. Loop only.
 */
final class Cumulator {
    private static final int LEAST_BYTES = 64;

    private Cumulator() {}

    /** The bytes before and these, in the buffer of those before. */
    static ByteBuf append(ByteBuf before, ByteBuf in) {
        try {
            return before.writeBytes(in);
        } catch (OutOfMemoryError none) {
            before.release();
            throw none;
        } finally {
            in.release();
        }
    }

    /** Whole frames that wait for their turn: as they lie, while most of the buffer is still to be read and more can be put behind. */
    static ByteBuf waiting(ByteBufAllocator allocator, ByteBuf in) {
        int left = in.readableBytes();
        return in.readerIndex() <= left && in.maxWritableBytes() >= left ? in : compact(allocator, in, left);
    }

    /** A few bytes must not hold a whole read buffer; growth doubles, so a claimed length alone allocates nothing. */
    static ByteBuf compact(ByteBufAllocator allocator, ByteBuf in, int left) {
        boolean grows = in.maxWritableBytes() >= left;
        if (grows && in.readerIndex() == 0 && in.capacity() - left <= left) {
            return in;
        }
        try {
            return allocator.buffer(Math.max(LEAST_BYTES, left)).writeBytes(in);
        } finally {
            in.release();
        }
    }
}
