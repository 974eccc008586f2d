package io.heartwheel.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The incremental check of UTF-8, against the JDK's decoder of whole text. */
class Utf8Test {
    @Test
    void check_everyTwoBytes_agreesWithTheDecoder() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                assertAgrees(new byte[] {(byte) first, (byte) second});
            }
        }
    }

    @Test
    void check_everyCodePoint_isWellFormedInEverySplit() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x1_0000 ? 7 : 97) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                assertAgrees(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    static Stream<String> illFormed() {
        return Stream.of(
                ("c080 c1bf e08080 e09fbf eda080 edbfbf f0808080 f08fbfbf f4908080 f5808080 ff 80 c3 e282 f09f98"
                                + " c328 e28228 e2c3a9 f09f98c3a9 6162c3 fe f8a1a1a1a1")
                        .split(" "));
    }

    @ParameterizedTest
    @MethodSource("illFormed")
    void check_knownIllFormed_isRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        assertEquals(false, Utf8.isWellFormed(in, 0, bytes.length));
        assertAgrees(bytes);
    }

    /** Whole and in two pieces; and what no continuation can save is refused at once: the decoder says so of the same front. */
    private static void assertAgrees(byte[] bytes) {
        Utf8Fuzz.fuzzerTestOneInput(bytes);
        // not at the beginning of its buffer
        ByteBuf in = Unpooled.wrappedBuffer(new byte[] {-1}, bytes, new byte[] {-1});
        for (int front = 0; front <= bytes.length; front++) {
            boolean refused = Utf8.check(Utf8.COMPLETE, in, 1, front) == Utf8.MALFORMED;
            var result = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Arrays.copyOf(bytes, front)), CharBuffer.allocate(front + 1), false);
            // the decoder may wait for more where we know already; it never refuses what we would take
            assertTrue(refused || !result.isMalformed(), HexFormat.of().formatHex(bytes));
        }
    }
}
