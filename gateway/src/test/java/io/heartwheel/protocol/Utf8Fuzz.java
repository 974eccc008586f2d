package io.heartwheel.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The check of UTF-8, whole and in two pieces, against the JDK's decoder. */
public final class Utf8Fuzz {
    private Utf8Fuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuf in = Unpooled.wrappedBuffer(input);
        boolean good = isGood(input);
        if (Utf8.isWellFormed(in, 0, input.length) != good) {
            throw new AssertionError("the JDK says " + good);
        }
        for (int cut = 0; cut <= input.length; cut++) {
            int state = Utf8.check(Utf8.COMPLETE, in, 0, cut);
            int end = Utf8.check(state, in, cut, input.length - cut);
            if ((end == Utf8.COMPLETE) != good) {
                throw new AssertionError("cut at " + cut + ", the JDK says " + good);
            }
        }
    }

    private static boolean isGood(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
