package io.heartwheel.protocol;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * IP addresses as the bytes they are: 4 of IPv4, 16 of IPv6, none where nothing is known. An IPv4 address that is written as an IPv6 one
 * ({@code ::ffff:a.b.c.d}) is the IPv4 address it stands for, everywhere. No name is ever looked up. Any thread.
 */
public final class IpAddress {
    /** Not known. */
    static final byte[] NOWHERE = new byte[0];

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    /** Longest text of an address: eight groups, the last two of them an IPv4 address. */
    private static final int MAX_TEXT = 45;

    private IpAddress() {}

    /** The address a text stands for, neither in brackets nor with a zone; null if it is none. */
    public static byte @Nullable [] parse(String text) {
        boolean plain = text.length() <= MAX_TEXT && text.chars().allMatch(IpAddress::mayStandInAddress);
        if (!plain || hasLeadingZero(text)) {
            return null;
        }
        byte[] address = NetUtil.createByteArrayFromIpAddressString(text);
        return address == null ? null : plain(address);
    }

    private static boolean mayStandInAddress(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '.' || c == ':';
    }

    /** Some readers take 010 for eight. */
    private static boolean hasLeadingZero(String text) {
        if (text.indexOf('.') < 0) {
            return false;
        }
        String dotted = text.substring(text.lastIndexOf(':') + 1);
        return Arrays.stream(dotted.split("\\.", -1)).anyMatch(part -> part.length() > 1 && part.charAt(0) == '0');
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
        if (address.length != V6_BYTES || address[10] != -1 || address[11] != -1) {
            return address;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return address;
            }
        }
        return Arrays.copyOfRange(address, V6_BYTES - V4_BYTES, V6_BYTES);
    }

    /** As people read it, IPv6 without brackets and as short as RFC 5952 has it; {@code unknown} for one of no length. */
    public static String text(byte[] address) {
        if (address.length == 0) {
            return "unknown";
        }
        try {
            return NetUtil.toAddressString(InetAddress.getByAddress(address));
        } catch (UnknownHostException impossible) {
            throw new IllegalArgumentException("address of " + address.length + " bytes: need 4 or 16", impossible);
        }
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
    static String text(byte[] address, int port) {
        String host = text(address);
        String bracketed = host.indexOf(':') < 0 ? host : "[" + host + "]";
        return port == 0 ? bracketed : bracketed + ":" + port;
    }
}
