package io.heartwheel.protocol.websocket;

import io.netty.buffer.ByteBuf;

/** Removal of the mask from a payload, RFC 6455 section 5.3, eight bytes at a time. Owner of the buffer only. */
final class Masking {
    private Masking() {}

    /** @param mask the four key bytes, the one that belongs to {@code index} highest */
    static void unmask(ByteBuf in, int index, int length, int mask) {
        if (mask == 0) {
            return;
        }
        long wide = mask & 0xFFFF_FFFFL;
        wide |= wide << Integer.SIZE;
        int end = index + length;
        int at = index;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            in.setLong(at, in.getLong(at) ^ wide);
        }
        for (int shift = Long.SIZE - Byte.SIZE; at < end; at++, shift -= Byte.SIZE) {
            in.setByte(at, in.getByte(at) ^ (int) (wide >>> shift));
        }
    }

    /** The key that belongs to the byte after {@code length} bytes. */
    static int advance(int mask, int length) {
        return Integer.rotateLeft(mask, Byte.SIZE * (length & 3));
    }
}
