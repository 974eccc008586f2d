package io.heartwheel.protocol.proxy;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** A PROXY header: the same result in pieces as whole, never longer than allowed, and nothing behind it is touched. */
public final class ProxyHeaderFuzz {
    private static final int REFUSED = -1;
    private static final int WAITING = 0;

    private ProxyHeaderFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        int whole = taken(input, input.length);
        int most = Math.max(ProxyHeader.MAX_V1_BYTES, ProxyHeader.MAX_V2_BYTES);
        if (whole > most || (whole == WAITING && input.length >= most)) {
            throw new AssertionError(whole + " of " + input.length);
        }
        for (int length = 0; length < input.length; length += 1 + length / 16) {
            int part = taken(input, length);
            boolean settled = part != WAITING;
            if (settled && part != whole) {
                throw new AssertionError(
                        part + " of " + length + ", " + whole + " of all: " + ByteBufUtil.hexDump(input));
            }
        }
    }

    /** How long the header is; less than one if it is none, or not yet. */
    private static int taken(byte[] input, int length) {
        ByteBuf in = Unpooled.wrappedBuffer(input, 0, length);
        try {
            ProxyHeader header = ProxyHeader.read(in);
            int address = header == null ? 0 : header.address().length;
            boolean sound = header == null
                    ? in.readerIndex() == 0
                    : in.readerIndex() > 0 && header.outcome().hasSource() == (address == 4 || address == 16);
            if (!sound) {
                throw new AssertionError(header + " of " + ByteBufUtil.hexDump(input));
            }
            return in.readerIndex();
        } catch (ProtocolViolation violation) {
            if (violation.reason() != CloseReason.PROXY_FAILED
                    || violation.text().isEmpty()) {
                throw new AssertionError(violation);
            }
            return REFUSED;
        }
    }
}
