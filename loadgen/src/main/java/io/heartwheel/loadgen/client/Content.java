package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Chance;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;

/**
 * Content of messages: random bytes, the same for the same seed, device and message, so that a message that comes back is compared whole and nothing has to be kept. Stateless: any thread.
 */
final class Content {

    /** Draws of a device for other things stay below; each message has one of its own. */
    private static final long FIRST_DRAW = 1L << 40;

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Content() {}

    private static long key(long seed, int device, long id) {
        return Chance.bits(seed, device, FIRST_DRAW + id);
    }

    /** The next eight bytes; one multiplication and a few shifts, good enough that no two look alike. */
    private static long word(long key, int number) {
        long z = (key + STEP * (number + 1L)) * 0xBF58476D1CE4E5B9L;
        return z ^ z >>> 29;
    }

    /** Writes a message of this many bytes. */
    static void write(ByteBuf out, long seed, int device, long id, int bytes) {
        long key = key(seed, device, id);
        int words = bytes / Long.BYTES;
        for (int number = 0; number < words; number++) {
            out.writeLong(word(key, number));
        }
        long last = word(key, words);
        for (int rest = bytes % Long.BYTES, shift = 56; rest > 0; rest--, shift -= 8) {
            out.writeByte((int) (last >>> shift));
        }
    }

    /** CRC-32C of the first bytes of a message. */
    static long checksum(long seed, int device, long id, int bytes) {
        ByteBuf content = Unpooled.buffer(Math.max(1, bytes));
        write(content, seed, device, id, bytes);
        CRC32C sum = new CRC32C();
        sum.update(content.array(), content.arrayOffset(), bytes);
        return sum.getValue();
    }

    /** Offset of the first byte that differs from the message, at most {@code length}; -1 when so many bytes are the same. */
    static int difference(ByteBuf in, int at, int length, long seed, int device, long id) {
        long key = key(seed, device, id);
        int words = length / Long.BYTES;
        for (int number = 0; number < words; number++) {
            long differing = in.getLong(at + number * Long.BYTES) ^ word(key, number);
            if (differing != 0) {
                return number * Long.BYTES + Long.numberOfLeadingZeros(differing) / Byte.SIZE;
            }
        }
        long last = word(key, words);
        for (int offset = words * Long.BYTES, shift = 56; offset < length; offset++, shift -= 8) {
            if (in.getByte(at + offset) != (byte) (last >>> shift)) {
                return offset;
            }
        }
        return -1;
    }
}
