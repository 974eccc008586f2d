package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Chance;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;

/**
 * Content of messages: random bytes, the same for the same seed, device and message, so that a message that comes back is compared whole and nothing has to be kept. The
 * first {@value #NAME_BYTES} bytes name the device and the message, scrambled by the seed: so a message is known wherever it comes. Stateless: any thread.
 */
final class Content {

    /** Draws of a device for other things stay below; each message has one of its own. */
    private static final long FIRST_DRAW = 1L << 40;

    private static final long STEP = 0x9E3779B97F4A7C15L;

    /** From so many bytes on a message is known by its content. */
    static final int NAME_BYTES = Long.BYTES;
    /** Beyond the name these bytes, as far as there are so many, must be right too. */
    private static final int CHECKED_BYTES = 2 * Long.BYTES;
    /** Where fewer are there, a message has a smaller number. */
    private static final int MOST_UNCHECKED = 1 << 20;

    private static final int ROUNDS = 4;
    private static final long LOWER = 0xFFFF_FFFFL;
    private static final long NAME_DRAW = 1L << 39;

    private Content() {}

    /** The device above and the message's number below, scrambled by a Feistel network that the seed keys. */
    private static long name(long seed, int device, long id) {
        int left = device;
        int right = (int) id;
        for (int round = 0; round < ROUNDS; round++) {
            int mixed = left ^ (int) Chance.bits(seed, right, NAME_DRAW + round);
            left = right;
            right = mixed;
        }
        return (long) left << Integer.SIZE | (right & LOWER);
    }

    /**
     * Whose message begins here: the device in the upper half, the message's number in the lower one; -1 when it is no
     * message of this run, or shorter than {@value #NAME_BYTES} bytes.
     *
     * @param devices of the run
     */
    static long owner(ByteBuf in, int at, int length, long seed, int devices) {
        if (length < NAME_BYTES) {
            return -1;
        }
        long name = in.getLong(at);
        int left = (int) (name >>> Integer.SIZE);
        int right = (int) name;
        for (int round = ROUNDS - 1; round >= 0; round--) {
            int mixed = right ^ (int) Chance.bits(seed, left, NAME_DRAW + round);
            right = left;
            left = mixed;
        }
        boolean plausible =
                left >= 0 && left < devices && right > 0 && (length >= CHECKED_BYTES || right < MOST_UNCHECKED);
        return plausible && difference(in, at, Math.min(length, CHECKED_BYTES), seed, left, right) < 0
                ? (long) left << Integer.SIZE | right
                : -1;
    }

    private static long key(long seed, int device, long id) {
        return Chance.bits(seed, device, FIRST_DRAW + id);
    }

    /** The next eight bytes; behind the name one multiplication and a few shifts, good enough that no two look alike. */
    private static long word(long name, long key, int number) {
        if (number == 0) {
            return name;
        }
        long z = (key + STEP * (number + 1L)) * 0xBF58476D1CE4E5B9L;
        return z ^ z >>> 29;
    }

    /** Writes a message of this many bytes. */
    static void write(ByteBuf out, long seed, int device, long id, int bytes) {
        long name = name(seed, device, id);
        long key = key(seed, device, id);
        int words = bytes / Long.BYTES;
        for (int number = 0; number < words; number++) {
            out.writeLong(word(name, key, number));
        }
        long last = word(name, key, words);
        for (int rest = bytes % Long.BYTES, shift = 56; rest > 0; rest--, shift -= 8) {
            out.writeByte((int) (last >>> shift));
        }
    }

    private static byte[] bytes(long seed, int device, long id, int bytes) {
        byte[] content = new byte[bytes];
        write(Unpooled.wrappedBuffer(content).clear(), seed, device, id, bytes);
        return content;
    }

    /** CRC-32C of the first bytes of a message. */
    static long checksum(long seed, int device, long id, int bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes(seed, device, id, bytes));
        return sum.getValue();
    }

    /** How many of these bytes are those of the message. */
    static int same(ByteBuf in, int at, int length, long seed, int device, long id) {
        byte[] content = bytes(seed, device, id, length);
        int same = 0;
        for (int i = 0; i < length; i++) {
            same += content[i] == in.getByte(at + i) ? 1 : 0;
        }
        return same;
    }

    /** Offset of the first byte that differs from the message, at most {@code length}; -1 when so many bytes are the same. */
    static int difference(ByteBuf in, int at, int length, long seed, int device, long id) {
        long name = name(seed, device, id);
        long key = key(seed, device, id);
        int words = length / Long.BYTES;
        for (int number = 0; number < words; number++) {
            long differing = in.getLong(at + number * Long.BYTES) ^ word(name, key, number);
            if (differing != 0) {
                return number * Long.BYTES + Long.numberOfLeadingZeros(differing) / Byte.SIZE;
            }
        }
        long last = word(name, key, words);
        for (int offset = words * Long.BYTES, shift = 56; offset < length; offset++, shift -= 8) {
            if (in.getByte(at + offset) != (byte) (last >>> shift)) {
                return offset;
            }
        }
        return -1;
    }
}
