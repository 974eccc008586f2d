package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Any answer of a server to an upgrade: accepted, refused, or waited for, and the last not without end. */
public final class HandshakeFuzz {
    private static final int LONGEST_ANSWER = 8_192;

    private HandshakeFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuf in = Unpooled.wrappedBuffer(input);
        try {
            boolean accepted = WsHandshake.accepted(in, input.length % 2 == 0 ? WsHandshake.SUBPROTOCOL : null, 7);
            if (!accepted && in.readableBytes() > LONGEST_ANSWER) {
                throw new AssertionError("waits for more than " + in.readableBytes() + " bytes");
            }
        } catch (WireException refused) {
            if (refused.code() == 0) {
                throw refused;
            }
        }
    }
}
