package io.heartwheel.loadgen.workers;

import io.netty.util.NetUtil;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;

/**
 * IPv4 addresses that connections may come from. Those that end in .0 and .255 are passed over: in most networks they are
 * nobody's.
 *
 * <pre>
 *   127.1.0.0/16              127.1.0.1 .. 127.1.0.254, 127.1.1.1 .. 127.1.255.254
 *   10.0.0.5-10.0.0.9         five
 *   10.0.0.5                  one
 * </pre>
 *
 * @param first lowest address as an unsigned number
 * @param last highest, itself included
 */
public record SourceRange(long first, long last) {

    private static final long TOP = 0xFFFF_FFFFL;
    private static final int OCTET = 256;
    /** Usable addresses of a block of 256. */
    private static final int USABLE = OCTET - 2;

    private static final String ACCEPTED =
            "need an IPv4 range like 127.1.0.0/16, 10.0.0.5-10.0.0.9 or 10.0.0.5 with an address not ending in .0 or .255";

    /** Checks that there is an address to use. */
    public SourceRange {
        if (first < 0 || last > TOP || first > last || usableBelow(last + 1) == usableBelow(first)) {
            throw new IllegalArgumentException("source = " + text(first) + "-" + text(last) + ": " + ACCEPTED);
        }
    }

    /** What is taken for loopback targets when nothing is said: 127.1.0.1 and all above it. */
    public static SourceRange loopback() {
        return new SourceRange(number("127.1.0.1"), number("127.255.255.254"));
    }

    /**
     * Reads one of the three forms.
     *
     * @throws IllegalArgumentException telling the forms
     */
    public static SourceRange parse(String text) {
        try {
            int slash = text.indexOf('/');
            int dash = text.indexOf('-');
            if (slash >= 0) {
                int bits = Integer.parseInt(text.substring(slash + 1));
                if (bits < 8 || bits > 32) {
                    throw new NumberFormatException("prefix");
                }
                long size = 1L << (32 - bits);
                long start = number(text.substring(0, slash)) / size * size;
                return new SourceRange(start, start + size - 1);
            }
            return dash < 0
                    ? new SourceRange(number(text), number(text))
                    : new SourceRange(number(text.substring(0, dash)), number(text.substring(dash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("source = " + text + ": " + ACCEPTED, e);
        }
    }

    /** How many addresses there are. */
    public long count() {
        return usableBelow(last + 1) - usableBelow(first);
    }

    /** Whether all of them are loopback addresses. */
    public boolean isLoopback() {
        return first >> 24 == 127 && last >> 24 == 127;
    }

    /**
     * The address with this number, dotted.
     *
     * @param index 0..{@link #count} - 1
     */
    public String at(long index) {
        if (index < 0 || index >= count()) {
            throw new IllegalArgumentException("source number = " + index + ": need 0.." + (count() - 1));
        }
        long among = usableBelow(first) + index;
        return text(among / USABLE * OCTET + among % USABLE + 1);
    }

    /** Addresses one behind the other, from this number on. */
    public List<String> block(long from, int many) {
        return LongStream.range(from, from + many).mapToObj(this::at).toList();
    }

    @Override
    public String toString() {
        return first == last ? text(first) : text(first) + "-" + text(last);
    }

    /** How many usable addresses are lower than this one. */
    private static long usableBelow(long address) {
        return address / OCTET * USABLE + Math.max(0, Math.min(address % OCTET - 1, USABLE));
    }

    private static String text(long address) {
        return NetUtil.intToIpAddress((int) address);
    }

    private static long number(String dotted) {
        if (!NetUtil.isValidIpV4Address(dotted.strip())) {
            throw new NumberFormatException("address");
        }
        return ByteBuffer.wrap(NetUtil.createByteArrayFromIpAddressString(dotted.strip()))
                        .getInt()
                & TOP;
    }
}
