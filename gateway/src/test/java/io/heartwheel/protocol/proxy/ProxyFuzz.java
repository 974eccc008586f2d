package io.heartwheel.protocol.proxy;

import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Any bytes of a balancer: the same result byte by byte as whole, nothing taken of an incomplete header, never more than the longest. */
public final class ProxyFuzz {
    private ProxyFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String whole = outcome(input, input.length);
        String byteByByte = outcome(input, 1);
        if (!whole.equals(byteByByte)) {
            throw new AssertionError("whole: " + whole + ", byte by byte: " + byteByByte);
        }
        byte[] address = IpAddress.parse(new String(input, StandardCharsets.ISO_8859_1));
        if (address != null && !Arrays.equals(address, IpAddress.parse(IpAddress.text(address)))) {
            throw new AssertionError("an address becomes " + IpAddress.text(address));
        }
    }

    private static String outcome(byte[] bytes, int piece) {
        ByteBuf in = Unpooled.buffer();
        try {
            for (int at = 0; at < bytes.length; at += piece) {
                in.writeBytes(bytes, at, Math.min(piece, bytes.length - at));
                ProxyHeader header = ProxyHeader.read(in);
                if (header != null) {
                    return header.outcome() + " of " + in.readerIndex() + " bytes";
                }
                if (in.readerIndex() != 0 || in.readableBytes() > ProxyHeader.MAX_V2_BYTES + 16) {
                    throw new AssertionError("waits with " + in);
                }
            }
            return "waits";
        } catch (ProtocolViolation violation) {
            return violation.reason().label();
        }
    }
}
