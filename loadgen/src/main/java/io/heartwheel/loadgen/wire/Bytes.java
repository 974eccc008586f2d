package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/** Bytes in a buffer: compared, looked for, or taken for unsigned numbers of 1 to 8 bytes. Pure functions. */
public final class Bytes {

    private static final int BYTE_BITS = 8;

    private Bytes() {}

    /** Whether these bytes lie here, and end by then. */
    public static boolean areAt(ByteBuf in, int at, int until, byte[] bytes) {
        if (until - at < bytes.length) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if (in.getByte(at + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    /** Where these bytes lie first, from here on and ending by then; below 0: nowhere. */
    public static int find(ByteBuf in, int from, int until, byte[] bytes) {
        int end = until - bytes.length + 1;
        int at = first(in, from, end, bytes[0]);
        while (at >= 0 && !areAt(in, at, until, bytes)) {
            at = first(in, at + 1, end, bytes[0]);
        }
        return at;
    }

    /** The buffer looks for a byte faster than a loop over it does. */
    private static int first(ByteBuf in, int from, int end, byte wanted) {
        return from < end ? in.indexOf(from, end, wanted) : -1;
    }

    /** Reads a number; 8 bytes are taken for signed. */
    public static long get(ByteBuf in, int at, int bytes, boolean little) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << BYTE_BITS | in.getUnsignedByte(at + (little ? bytes - 1 - i : i));
        }
        return value;
    }

    /** Overwrites a number; what does not fit is cut off at the top. */
    public static void set(ByteBuf out, int at, int bytes, boolean little, long value) {
        for (int i = 0; i < bytes; i++) {
            int shift = BYTE_BITS * (little ? i : bytes - 1 - i);
            out.setByte(at + i, (int) (value >>> shift));
        }
    }
}
