package io.heartwheel.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Check of UTF-8 as it arrives, piece by piece, without decoding it (RFC 3629: no surrogates, no overlong forms, nothing over U+10FFFF).
 *
 * <p>The state between pieces is one int: how many continuation bytes are missing and the range of the next one. Pure functions; any
 * thread.
 *
 * <pre>
 *   bits  17..16      15..8     7..0
 *         missing     highest   lowest allowed next byte
 * </pre>
 */
public final class Utf8 {
    /** Between two characters: where every text begins and must end. */
    public static final int COMPLETE = 0;
    /** The bytes so far are no UTF-8; stays so. */
    public static final int MALFORMED = -1;

    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final int ANY = 0xBF80;

    private Utf8() {}

    /** Whether these readable bytes are one well-formed text. */
    public static boolean isWellFormed(ByteBuf in, int index, int length) {
        return check(COMPLETE, in, index, length) == COMPLETE;
    }

    /**
     * Goes on with a text.
     *
     * @param state {@link #COMPLETE} at the beginning, else what the piece before returned
     * @return the new state, {@link #MALFORMED} at the first byte that can't be
     */
    public static int check(int state, ByteBuf in, int index, int length) {
        int end = index + length;
        int at = index;
        int now = state;
        while (at < end && now != MALFORMED) {
            if (now == COMPLETE && end - at >= Long.BYTES && (in.getLong(at) & HIGH_BITS) == 0) {
                at += Long.BYTES;
            } else {
                now = step(now, in.getUnsignedByte(at));
                at++;
            }
        }
        return now;
    }

    private static int step(int state, int octet) {
        if (state == COMPLETE) {
            return octet < 0x80 ? COMPLETE : lead(octet);
        }
        int lowest = state & 0xFF;
        int highest = (state >>> 8) & 0xFF;
        if (octet < lowest || octet > highest) {
            return MALFORMED;
        }
        int missing = (state >>> 16) - 1;
        return missing == 0 ? COMPLETE : (missing << 16) | ANY;
    }

    private static int lead(int octet) {
        if (octet >= 0xC2 && octet <= 0xDF) {
            return (1 << 16) | ANY;
        }
        if (octet >= 0xE0 && octet <= 0xEF) {
            int lowest = octet == 0xE0 ? 0xA0 : 0x80;
            int highest = octet == 0xED ? 0x9F : 0xBF;
            return (2 << 16) | (highest << 8) | lowest;
        }
        if (octet >= 0xF0 && octet <= 0xF4) {
            int lowest = octet == 0xF0 ? 0x90 : 0x80;
            int highest = octet == 0xF4 ? 0x8F : 0xBF;
            return (3 << 16) | (highest << 8) | lowest;
        }
        return MALFORMED;
    }
}
