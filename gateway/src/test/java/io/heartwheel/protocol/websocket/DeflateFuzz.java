package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.fuzz.Octets;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Inflating random bytes: a message within its limit, or a reason; and the loop's inflater works afterwards. */
public final class DeflateFuzz {
    private static final byte[] PLAIN = new byte[200];

    private DeflateFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) throws ProtocolViolation {
        Octets octets = new Octets(input);
        int maxBytes = 128 + 16 * octets.next();
        byte[] deflated = octets.rest();
        Deflate deflate = Deflate.ofThisLoop();
        try {
            byte[] plain = deflate.inflate(deflated, deflated.length, maxBytes);
            requireSound(plain.length <= maxBytes, plain.length + " bytes of " + maxBytes);
            byte[] roomy = deflate.inflate(deflated, deflated.length, 2 * maxBytes);
            requireSound(Arrays.equals(plain, roomy), "the limit changed the message");
        } catch (ProtocolViolation violation) {
            requireSound(
                    violation.reason() == CloseReason.TOO_LARGE || violation.reason() == CloseReason.MALFORMED,
                    violation.text());
        }
        ByteBuf out = Unpooled.buffer();
        requireSound(deflate.deflate(ByteBuffer.wrap(PLAIN), out, PLAIN.length), "200 zeros do not get smaller");
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        requireSound(Arrays.equals(PLAIN, deflate.inflate(bytes, bytes.length, 1_000)), "the next message suffers");
    }

    private static void requireSound(boolean sound, String what) {
        if (!sound) {
            throw new AssertionError(what);
        }
    }
}
