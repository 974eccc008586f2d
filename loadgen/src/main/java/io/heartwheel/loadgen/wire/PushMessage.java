package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A message that this run pushed to a device, as the device found it. Its first {@value #HEADER_BYTES} bytes are 33 bytes
 * in Base64 for URLs, so that they pass through JSON, a shell and a topic alike; the rest is drawn from the seed.
 *
 * <pre>
 *   bytes   3 "hwp" | 6 nonce of the run | 4 recipient | 4 sequence | 8 intended | 4 length | 4 CRC-32C of all else
 *           `------ marker, 12 letters -'
 * </pre>
 *
 * <p>A server may wrap it into a message of its own: what stands before the marker, and then behind the length, is not
 * looked at.
 *
 * @param recipient number of the device, or {@link #ALL}
 * @param sequence from 1, counted for each recipient
 * @param intendedNanos when it was to be pushed, by the clock of the one who pushed it
 * @param known whether recipient and sequence could be read at all
 * @param intact whether every byte is as it was sent
 */
public record PushMessage(int recipient, int sequence, long intendedNanos, boolean known, boolean intact) {

    /** The recipient of a message to many. */
    public static final int ALL = -1;
    /** Bytes of the header, and so of the smallest message. */
    public static final int HEADER_BYTES = 44;

    private static final int RAW_BYTES = 33;
    private static final int RAW_MARKER_BYTES = 9;
    private static final int CRC_AT = RAW_BYTES - 4;
    private static final int MARKER_BYTES = 12;
    private static final long NONCE_MASK = 0xFFFF_FFFF_FFFFL;
    private static final byte[] LETTERS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    /** What all messages of a run begin with; the lower 48 bits of the nonce count. */
    public static byte[] marker(long nonce) {
        return Arrays.copyOf(letters(raw(nonce, 0, 0, 0, 0)), MARKER_BYTES);
    }

    private static ByteBuffer raw(long nonce, int recipient, int sequence, long intendedNanos, int length) {
        ByteBuffer raw = ByteBuffer.allocate(RAW_BYTES);
        raw.put((byte) 'h').put((byte) 'w').put((byte) 'p');
        raw.putShort((short) (nonce >>> 32)).putInt((int) nonce);
        raw.putInt(recipient).putInt(sequence).putLong(intendedNanos).putInt(length);
        return raw;
    }

    private static byte[] letters(ByteBuffer raw) {
        byte[] bytes = new byte[RAW_BYTES];
        raw.get(0, bytes);
        return Base64.getUrlEncoder().withoutPadding().encode(bytes);
    }

    /**
     * A message of this length.
     *
     * @param length bytes, at least {@value #HEADER_BYTES}
     * @param text whether it is made of letters, digits, {@code -} and {@code _}; else of any bytes
     * @param bits decides the bytes
     */
    public static byte[] of(
            long nonce, int recipient, int sequence, long intendedNanos, int length, boolean text, long bits) {
        if (length < HEADER_BYTES) {
            throw new IllegalArgumentException("length = " + length + " bytes: need at least " + HEADER_BYTES);
        }
        ByteBuffer raw = raw(nonce & NONCE_MASK, recipient, sequence, intendedNanos, length);
        byte[] body = new byte[length - HEADER_BYTES];
        new SplittableRandom(bits).nextBytes(body);
        if (text) {
            for (int i = 0; i < body.length; i++) {
                body[i] = LETTERS[body[i] & 63];
            }
        }
        raw.putInt(CRC_AT, crc(raw, body));
        return ByteBuffer.allocate(length).put(letters(raw)).put(body).array();
    }

    /** The message that lies in these bytes; null when they are none of the run with this marker. */
    public static @Nullable PushMessage read(byte[] marker, ByteBuf in, int at, int length) {
        int from = Bytes.find(in, at, at + length, marker);
        if (from < 0) {
            return null;
        }
        int there = at + length - from;
        byte[] letters = new byte[HEADER_BYTES];
        in.getBytes(from, letters, 0, Math.min(there, HEADER_BYTES));
        ByteBuffer raw;
        try {
            raw = ByteBuffer.wrap(Base64.getUrlDecoder().decode(letters));
        } catch (IllegalArgumentException e) {
            // Cut off, or no such letters: a message of ours, but which one nobody can say.
            return new PushMessage(0, 0, 0, false, false);
        }
        int recipient = raw.getInt(RAW_MARKER_BYTES);
        int sequence = raw.getInt(RAW_MARKER_BYTES + 4);
        long intended = raw.getLong(RAW_MARKER_BYTES + 8);
        int told = raw.getInt(RAW_MARKER_BYTES + 16);
        boolean whole = told >= HEADER_BYTES && (from == at ? told == there : told <= there);
        boolean intact = whole
                && raw.getInt(CRC_AT) == crc(raw, ByteBufUtil.getBytes(in, from + HEADER_BYTES, told - HEADER_BYTES));
        return new PushMessage(recipient, sequence, intended, true, intact);
    }

    private static int crc(ByteBuffer raw, byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(raw.slice(0, CRC_AT));
        crc.update(body);
        return (int) crc.getValue();
    }
}
