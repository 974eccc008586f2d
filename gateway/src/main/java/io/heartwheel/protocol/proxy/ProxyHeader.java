package io.heartwheel.protocol.proxy;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A header as the PROXY protocol of 2020 has it (haproxy.org, {@code proxy-protocol.txt}, sections 2.1 and 2.2).
 *
 * <pre>
 *   v1   PROXY TCP4 203.0.113.7 192.0.2.1 5000 443\r\n             a line of at most 107 bytes
 *        PROXY UNKNOWN ...\r\n
 *   v2   \r\n\r\n\0\r\nQUIT\n | version, command | family | length u16 | addresses | TLVs
 * </pre>
 *
 * The two are told apart by the first byte, and each byte is held against what must stand there as soon as it is here. Of what stands behind the addresses
 * of version 2 only a checksum is looked at (section 2.2.4): with a wrong one nothing in the header can be believed. Other TLVs are passed over, and of a
 * health check ({@code LOCAL}) everything behind its length is.
 *
 * @param outcome what was said
 * @param address of the source, 4 or 16 bytes; of no length unless {@link ProxyOutcome#hasSource}
 * @param port of the source, 0..65535
 */
@SuppressWarnings("ArrayRecordComponent") // read once and handed on; compared by nobody
record ProxyHeader(ProxyOutcome outcome, byte[] address, int port) {
    /** Longest line of version 1 with its end, bytes. */
    static final int MAX_V1_BYTES = 107;
    /** Longest header of version 2, bytes: the largest addresses and more than 3 KiB of TLVs. */
    static final int MAX_V2_BYTES = 4_096;

    private static final byte[] V1_START = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] V2_START = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final int V2_FIXED_BYTES = 16;
    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int UNSPECIFIED = 0x00;
    private static final int TCP_4 = 0x11;
    private static final int TCP_6 = 0x21;
    private static final int UNIX_STREAM = 0x31;
    private static final int CRC32C_TYPE = 0x03;
    private static final int TLV_FIXED_BYTES = 3;
    private static final byte[] NOWHERE = new byte[0];

    /**
     * Takes a header off the front of {@code in}.
     *
     * @return null if it is not whole yet; then nothing was taken
     * @throws ProtocolViolation as soon as it is certain that no header stands there
     */
    static @Nullable ProxyHeader read(ByteBuf in) throws ProtocolViolation {
        if (!in.isReadable()) {
            return null;
        }
        boolean second = in.getByte(in.readerIndex()) == V2_START[0];
        byte[] start = second ? V2_START : V1_START;
        int known = Math.min(start.length, in.readableBytes());
        for (int i = 0; i < known; i++) {
            if (in.getByte(in.readerIndex() + i) != start[i]) {
                throw violation("no PROXY header before anything else");
            }
        }
        return second ? readV2(in) : readV1(in);
    }

    // ------------------------------------------------------------------ version 1

    private static @Nullable ProxyHeader readV1(ByteBuf in) throws ProtocolViolation {
        int most = Math.min(MAX_V1_BYTES, in.readableBytes());
        int end = in.indexOf(in.readerIndex(), in.readerIndex() + most, (byte) '\n');
        if (end < 0) {
            if (most == MAX_V1_BYTES) {
                throw violation("PROXY line longer than " + MAX_V1_BYTES + " bytes");
            }
            return null;
        }
        String line = in.toString(in.readerIndex(), end - in.readerIndex(), StandardCharsets.ISO_8859_1);
        if (!line.endsWith("\r")) {
            throw violation("PROXY line without its end");
        }
        ProxyHeader header = ofLine(line.substring(0, line.length() - 1));
        in.readerIndex(end + 1);
        return header;
    }

    private static ProxyHeader ofLine(String line) throws ProtocolViolation {
        String[] parts = line.split(" ", -1);
        if (parts[1].equals("UNKNOWN")) {
            return new ProxyHeader(ProxyOutcome.UNKNOWN, NOWHERE, 0);
        }
        boolean six = parts[1].equals("TCP6");
        if (!(six || parts[1].equals("TCP4")) || parts.length != 6) {
            throw violation("PROXY line of another form");
        }
        byte[] source = address(parts[2], six);
        address(parts[3], six);
        int port = port(parts[4]);
        port(parts[5]);
        return new ProxyHeader(ProxyOutcome.V1, source, port);
    }

    private static byte[] address(String text, boolean six) throws ProtocolViolation {
        byte[] address = text.indexOf(':') >= 0 == six ? IpAddress.parse(text) : null;
        if (address == null) {
            throw violation("PROXY line with a malformed address");
        }
        return address;
    }

    private static int port(String text) throws ProtocolViolation {
        int port = text.matches("0|[1-9][0-9]{0,4}") ? Integer.parseInt(text) : -1;
        if (port < 0 || port > 65_535) {
            throw violation("PROXY line with a malformed port");
        }
        return port;
    }

    // ------------------------------------------------------------------ version 2

    private static @Nullable ProxyHeader readV2(ByteBuf in) throws ProtocolViolation {
        int at = in.readerIndex();
        if (in.readableBytes() < V2_FIXED_BYTES) {
            return null;
        }
        int length = V2_FIXED_BYTES + in.getUnsignedShort(at + V2_FIXED_BYTES - Short.BYTES);
        if (length > MAX_V2_BYTES) {
            throw violation("PROXY header of " + length + " bytes: need at most " + MAX_V2_BYTES);
        }
        int command = in.getUnsignedByte(at + V2_START.length);
        int family = in.getUnsignedByte(at + V2_START.length + 1);
        if (command != LOCAL && command != PROXY) {
            throw violation("PROXY header of an unknown version or command");
        }
        // what a health check says of addresses is to be passed over, whatever it is
        boolean local = command == LOCAL;
        int needed = local ? 0 : bytesOfAddresses(family);
        if (length < V2_FIXED_BYTES + needed) {
            throw violation("PROXY header too short for its addresses");
        }
        if (in.readableBytes() < length) {
            return null;
        }
        byte[] source = new byte[local ? 0 : bytesOfSource(family)];
        in.getBytes(at + V2_FIXED_BYTES, source);
        int port = source.length == 0 ? 0 : in.getUnsignedShort(at + V2_FIXED_BYTES + 2 * source.length);
        in.readerIndex(at + length);
        if (!local && !isIntact(ByteBufUtil.getBytes(in, at, length), V2_FIXED_BYTES + needed)) {
            return new ProxyHeader(ProxyOutcome.CHECKSUM, NOWHERE, 0);
        }
        ProxyOutcome told = source.length == 0 ? ProxyOutcome.UNKNOWN : ProxyOutcome.V2;
        return new ProxyHeader(local ? ProxyOutcome.LOCAL : told, source, port);
    }

    /**
     * Whether there is no checksum, or a right one: that of the header with zeros in its place.
     *
     * @param header a copy, in which the checksum is overwritten
     * @param tlvs where they begin
     */
    private static boolean isIntact(byte[] header, int tlvs) {
        ByteBuf in = Unpooled.wrappedBuffer(header);
        int value = tlvs + TLV_FIXED_BYTES;
        while (value <= header.length) {
            int length = in.getUnsignedShort(value - Short.BYTES);
            if (in.getByte(value - TLV_FIXED_BYTES) == CRC32C_TYPE) {
                if (length != Integer.BYTES || value + length > header.length) {
                    return false;
                }
                int told = in.getInt(value);
                in.setInt(value, 0);
                CRC32C sum = new CRC32C();
                sum.update(header);
                return told == (int) sum.getValue();
            }
            value += length + TLV_FIXED_BYTES;
        }
        return true;
    }

    /** Both addresses and what stands with them. */
    private static int bytesOfAddresses(int family) throws ProtocolViolation {
        return switch (family) {
            case UNSPECIFIED -> 0;
            case TCP_4 -> 12;
            case TCP_6 -> 36;
            case UNIX_STREAM -> 216;
            default -> throw violation("PROXY header of a family that is no stream");
        };
    }

    private static int bytesOfSource(int family) {
        return family == TCP_4 ? 4 : family == TCP_6 ? 16 : 0;
    }

    private static ProtocolViolation violation(String text) {
        return new ProtocolViolation(CloseReason.PROXY_FAILED, text);
    }
}
