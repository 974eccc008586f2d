package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/** Unsigned numbers of 1 to 8 bytes, big endian or little. Pure functions. */
public final class Numbers {

    private static final int BYTE_BITS = 8;

    private Numbers() {}

    /** Reads one; 8 bytes are taken for signed. */
    public static long get(ByteBuf in, int at, int bytes, boolean little) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << BYTE_BITS | in.getUnsignedByte(at + (little ? bytes - 1 - i : i));
        }
        return value;
    }

    /** Overwrites one; what does not fit is cut off at the top. */
    public static void set(ByteBuf out, int at, int bytes, boolean little, long value) {
        for (int i = 0; i < bytes; i++) {
            int shift = BYTE_BITS * (little ? i : bytes - 1 - i);
            out.setByte(at + i, (int) (value >>> shift));
        }
    }
}
