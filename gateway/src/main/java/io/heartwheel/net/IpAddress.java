package io.heartwheel.net;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * IP addresses as the bytes they are: 4 of IPv4, 16 of IPv6, none where nothing is known. An IPv4 address that is written as an IPv6 one
 * ({@code ::ffff:a.b.c.d}) is the IPv4 address it stands for, everywhere. No name is ever looked up. Any thread.
 */
public final class IpAddress {
    /** Not known. */
    public static final byte[] NOWHERE = new byte[0];

    /** How an IPv4 address begins that is written as an IPv6 one. */
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int GROUPS = 8;
    /** Longest text of an address: eight groups, the last two of them an IPv4 address. */
    private static final int MAX_TEXT = 45;

    private static final Pattern DECIMAL = Pattern.compile("0|[1-9][0-9]{0,2}");
    private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");

    private IpAddress() {}

    /**
     * Number of a source: the whole of an IPv4 address, or so many leading bits of an IPv6 one. IPv4 addresses lie where no IPv6 prefix is given out
     * ({@code 0:ffff::/32}).
     *
     * @param address 4 or 16 bytes
     * @param v6PrefixBits 1..64
     */
    public static long source(byte[] address, int v6PrefixBits) {
        ByteBuffer bytes = ByteBuffer.wrap(address);
        return address.length == V4_BYTES
                ? 0xFFFF_0000_0000L | (bytes.getInt() & 0xFFFF_FFFFL)
                : bytes.getLong() & -1L << (Long.SIZE - v6PrefixBits);
    }

    /** Hash of a source, which nobody can foresee who does not know the seed. */
    public static int hash(long source, long seed) {
        long h = (source ^ seed) * 0x9E3779B97F4A7C15L;
        h = (h ^ (h >>> 32)) * 0xBF58476D1CE4E5B9L;
        return (int) (h >>> 32);
    }

    /** The address a text stands for, neither in brackets nor with a zone; null if it is none. */
    public static byte @Nullable [] parse(String text) {
        if (text.length() > MAX_TEXT) {
            return null;
        }
        byte[] address = text.indexOf(':') < 0 ? v4(text) : v6(text);
        return address == null ? null : plain(address);
    }

    /** Four decimal numbers without leading zeros: some readers take 010 for eight. */
    private static byte @Nullable [] v4(String text) {
        String[] parts = text.split("\\.", -1);
        byte[] address = new byte[V4_BYTES];
        for (int i = 0; i < parts.length; i++) {
            int value = i < V4_BYTES && DECIMAL.matcher(parts[i]).matches() ? Integer.parseInt(parts[i]) : -1;
            if (value < 0 || value > 255) {
                return null;
            }
            address[i] = (byte) value;
        }
        return parts.length == V4_BYTES ? address : null;
    }

    /** RFC 4291 section 2.2: groups, of which {@code ::} stands for one or more of zeros. */
    private static byte @Nullable [] v6(String text) {
        int gap = text.indexOf("::");
        byte[] head = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        byte[] tail = gap < 0 ? NOWHERE : groups(text.substring(gap + 2), true);
        if (head == null || tail == null) {
            return null;
        }
        int told = head.length + tail.length;
        if (gap < 0 ? told != V6_BYTES : told > V6_BYTES - 2) {
            return null;
        }
        byte[] address = Arrays.copyOf(head, V6_BYTES);
        System.arraycopy(tail, 0, address, V6_BYTES - tail.length, tail.length);
        return address;
    }

    /** @param last whether they end the address: the last of them may then be an IPv4 address */
    private static byte @Nullable [] groups(String text, boolean last) {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_TEXT);
        String[] parts = text.isEmpty() ? new String[0] : text.split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            byte[] dotted = last && i == parts.length - 1 ? v4(parts[i]) : null;
            if (dotted != null) {
                bytes.put(dotted);
            } else if (GROUP.matcher(parts[i]).matches()) {
                bytes.putShort((short) Integer.parseInt(parts[i], 16));
            } else {
                return null;
            }
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** The address of a socket's end; of no length if it has none. */
    public static byte[] of(@Nullable SocketAddress end) {
        return end instanceof InetSocketAddress inet && inet.getAddress() != null
                ? plain(inet.getAddress().getAddress())
                : NOWHERE;
    }

    /**
     * IPv4 in its own form.
     *
     * @param address 4 or 16 bytes, not changed
     */
    public static byte[] plain(byte[] address) {
        int marked = MAPPED.length;
        return address.length == V6_BYTES && Arrays.equals(address, 0, marked, MAPPED, 0, marked)
                ? Arrays.copyOfRange(address, marked, V6_BYTES)
                : address;
    }

    /** As people read it, IPv6 without brackets and as short as RFC 5952 has it; {@code unknown} for one of no length. */
    public static String text(byte[] address) {
        return switch (address.length) {
            case 0 -> "unknown";
            case V4_BYTES ->
                (address[0] & 0xFF) + "." + (address[1] & 0xFF) + "." + (address[2] & 0xFF) + "." + (address[3] & 0xFF);
            case V6_BYTES -> v6Text(address);
            default -> throw new IllegalArgumentException("address of " + address.length + " bytes: need 4 or 16");
        };
    }

    /** The longest run of zeros, the first of several, is left out if it is more than one group. */
    private static String v6Text(byte[] address) {
        ByteBuffer bytes = ByteBuffer.wrap(address);
        int from = 0;
        int most = 1;
        for (int i = 0, run = 0; i < GROUPS; i++) {
            run = bytes.getShort(2 * i) == 0 ? run + 1 : 0;
            if (run > most) {
                most = run;
                from = i + 1 - run;
            }
        }
        StringBuilder text = new StringBuilder(MAX_TEXT);
        for (int i = 0; i < GROUPS; i++) {
            boolean skipped = most > 1 && i >= from && i < from + most;
            if (!skipped) {
                text.append(i > 0 && text.charAt(text.length() - 1) != ':' ? ":" : "")
                        .append(Integer.toHexString(bytes.getShort(2 * i) & 0xFFFF));
            } else if (i == from) {
                text.append("::");
            }
        }
        return text.toString();
    }

    /** A socket's end with its port: {@code 0.0.0.0:7070}, {@code [::]:7070}. */
    public static String text(InetSocketAddress end) {
        return text(of(end), end.getPort());
    }

    /**
     * With its port behind it, IPv6 in brackets.
     *
     * @param port 0 if it is not known; it is left out then
     */
    public static String text(byte[] address, int port) {
        String host = text(address);
        String bracketed = host.indexOf(':') < 0 ? host : "[" + host + "]";
        return port == 0 ? bracketed : bracketed + ":" + port;
    }
}
