package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;

/**
 * Masked client frames (RFC 6455, section 5.3), one unfragmented message each: {@link #begin}, write the payload, {@link
 * #end}. Masks come from a seeded xorshift: they need not be secret on a test bench, but they must differ, or the
 * gateway's unmasking would go unseen. One writer serves an event loop; not safe for several threads.
 */
public final class WsWriter {

    /** Most bytes a header with mask takes. */
    public static final int LONGEST_HEADER = 14;

    private int random;
    private int payloadAt;
    private int mask;

    /** A writer whose masks follow from the seed. */
    public WsWriter(long seed) {
        int start = (int) (seed ^ seed >>> 32);
        this.random = start == 0 ? 0x9E3779B9 : start;
    }

    /** Writes the header of a frame of exactly {@code length} payload bytes. */
    public void begin(ByteBuf out, int opcode, int length) {
        mask = nextMask();
        out.writeByte(0x80 | opcode);
        if (length < 126) {
            out.writeByte(0x80 | length);
        } else if (length < 65_536) {
            out.writeByte(0x80 | 126).writeShort(length);
        } else {
            out.writeByte(0x80 | 127).writeLong(length);
        }
        out.writeInt(mask);
        payloadAt = out.writerIndex();
    }

    /** Masks what was written since {@link #begin}. */
    public void end(ByteBuf out) {
        int at = payloadAt;
        int end = out.writerIndex();
        for (; end - at >= Integer.BYTES; at += Integer.BYTES) {
            out.setInt(at, out.getInt(at) ^ mask);
        }
        for (int shift = 24; at < end; at++, shift -= 8) {
            out.setByte(at, out.getByte(at) ^ mask >>> shift);
        }
    }

    private int nextMask() {
        int x = random;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        random = x;
        return x;
    }
}
