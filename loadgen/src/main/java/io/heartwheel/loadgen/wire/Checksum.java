package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.util.Locale;

/** Checksums of home-made and industrial protocols, by the names that the catalogue of CRC algorithms gives them. Stateless. */
public enum Checksum {
    /** All bytes exclusive-ored. */
    XOR(1),
    /** All bytes added, modulo 256. */
    SUM8(1),
    /** All bytes added, modulo 65,536. */
    SUM16(2),
    /** CRC-16/MODBUS. */
    CRC16_MODBUS(2, 0x8005, 0xFFFF, true, 0),
    /** CRC-16/ARC, also called CRC-16 and IBM. */
    CRC16_ARC(2, 0x8005, 0, true, 0),
    /** CRC-16/IBM-3740, often called CCITT-FALSE. */
    CRC16_CCITT(2, 0x1021, 0xFFFF, false, 0),
    /** CRC-16/XMODEM. */
    CRC16_XMODEM(2, 0x1021, 0, false, 0),
    /** CRC-16/KERMIT. */
    CRC16_KERMIT(2, 0x1021, 0, true, 0),
    /** CRC-16/IBM-SDLC, also called X.25; GT06 and other trackers. */
    CRC16_X25(2, 0x1021, 0xFFFF, true, 0xFFFF),
    /** CRC-32/ISO-HDLC, of zip and Ethernet. */
    CRC32(4, 0x04C11DB7, 0xFFFF_FFFFL, true, 0xFFFF_FFFFL);

    private static final int BYTE_BITS = 8;
    private static final int TABLE = 256;

    private final int bytes;
    private final long init;
    private final long last;
    private final boolean reflected;
    private final long[] table;

    Checksum(int bytes) {
        this(bytes, 0, 0, true, 0);
    }

    Checksum(int bytes, long polynomial, long init, boolean reflected, long last) {
        this.bytes = bytes;
        this.init = init;
        this.last = last;
        this.reflected = reflected;
        this.table = new long[TABLE];
        for (int value = 0; value < TABLE; value++) {
            long crc = value;
            for (int bit = 0; bit < BYTE_BITS; bit++) {
                crc = crc >>> 1 ^ (crc & 1) * reversed(polynomial);
            }
            table[value] = crc;
        }
    }

    private long reversed(long sum) {
        return Long.reverse(sum) >>> (Long.SIZE - BYTE_BITS * bytes);
    }

    /** How many bytes it has. */
    public int bytes() {
        return bytes;
    }

    /** Its name in a description: lower case with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The checksum of these bytes. One that is not reflected is reckoned so too: what goes in and comes out is turned round. */
    public long of(ByteBuf in, int from, int until) {
        long sum = init;
        for (int at = from; at < until; at++) {
            int next =
                    reflected ? in.getUnsignedByte(at) : Integer.reverse(in.getByte(at)) >>> (Integer.SIZE - BYTE_BITS);
            sum = switch (this) {
                case XOR -> sum ^ next;
                case SUM8, SUM16 -> sum + next;
                default -> sum >>> BYTE_BITS ^ table[(int) (sum ^ next) & 0xFF];
            };
        }
        long mask = (1L << (BYTE_BITS * bytes)) - 1;
        return ((reflected ? sum : reversed(sum)) ^ last) & mask;
    }
}
