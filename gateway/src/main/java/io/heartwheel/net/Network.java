package io.heartwheel.net;

import java.nio.ByteBuffer;

/**
 * CIDR network: all addresses that begin alike (RFC 4632, RFC 4291 section 2.3). Immutable; any thread.
 *
 * @param high upper half of the first address, IPv4 in its IPv6 form
 * @param low lower half
 * @param bits how many leading bits count, 0..128; of an IPv4 network 96 and its own
 */
public record Network(long high, long low, int bits) {
    private static final int V4_OFFSET = 96;
    private static final long V4_MARK = 0xFFFF_0000_0000L;

    /** @throws IllegalArgumentException if bits are set behind those that count */
    public Network {
        if (bits < 0 || bits > 128 || (high & ~highMask(bits)) != 0 || (low & ~lowMask(bits)) != 0) {
            throw new IllegalArgumentException("network of " + bits + " bits: need 0..128 and no bit set behind them");
        }
    }

    /**
     * Reads {@code 10.0.0.0/8}, {@code fd00::/8}, or an address alone, which is a network of one.
     *
     * @throws IllegalArgumentException if the text is neither, or bits are set behind those that count
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException("network = " + text + ": need address/bits");
        }
        int most = address.length * Byte.SIZE;
        String digits = slash < 0 ? Integer.toString(most) : text.substring(slash + 1);
        if (!digits.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(digits) > most) {
            throw new IllegalArgumentException("network = " + text + ": need at most " + most + " bits");
        }
        return new Network(high(address), low(address), Integer.parseInt(digits) + 128 - most);
    }

    /** Whether a text can be read as one. */
    public static boolean isNetwork(String text) {
        try {
            parse(text);
            return true;
        } catch (IllegalArgumentException no) {
            return false;
        }
    }

    /**
     * Whether the address lies in it. An IPv6 network, however wide, holds no IPv4 address.
     *
     * @param address 4 or 16 bytes, {@link IpAddress#plain plain}; of no length: no
     */
    public boolean contains(byte[] address) {
        if (address.length == 0 || (address.length == Integer.BYTES && bits < V4_OFFSET)) {
            return false;
        }
        return ((high(address) ^ high) & highMask(bits)) == 0 && ((low(address) ^ low) & lowMask(bits)) == 0;
    }

    /** As it is written: an address alone if it is a network of one. */
    public String text() {
        boolean v4 = bits >= V4_OFFSET && high == 0 && low >>> 32 == V4_MARK >>> 32;
        byte[] address = v4
                ? ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array()
                : ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
        return bits == 128 ? IpAddress.text(address) : IpAddress.text(address) + "/" + (v4 ? bits - V4_OFFSET : bits);
    }

    private static long high(byte[] address) {
        return address.length == 4 ? 0 : ByteBuffer.wrap(address).getLong();
    }

    private static long low(byte[] address) {
        ByteBuffer bytes = ByteBuffer.wrap(address);
        return address.length == 4 ? V4_MARK | (bytes.getInt() & 0xFFFF_FFFFL) : bytes.getLong(Long.BYTES);
    }

    private static long highMask(int bits) {
        return bits >= 64 ? -1L : leading(bits);
    }

    private static long lowMask(int bits) {
        return bits <= 64 ? 0L : leading(bits - 64);
    }

    private static long leading(int bits) {
        return bits == 0 ? 0L : -1L << (64 - bits);
    }
}
