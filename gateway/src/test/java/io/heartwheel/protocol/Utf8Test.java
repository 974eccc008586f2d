package io.heartwheel.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The incremental check of UTF-8, against the JDK's decoder of whole text. */
class Utf8Test {
    private static final int ROUNDS = 6_000;

    @Test
    void check_everyTwoBytes_agreesWithTheDecoder() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                assertAgrees(new byte[] {(byte) first, (byte) second}, "");
            }
        }
    }

    @Test
    void check_everyCodePoint_isWellFormedInEverySplit() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x1_0000 ? 7 : 97) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                assertAgrees(Character.toString(point).getBytes(StandardCharsets.UTF_8), "");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c080",
                "c1bf",
                "e08080",
                "e09fbf",
                "eda080",
                "edbfbf",
                "f0808080",
                "f08fbfbf",
                "f4908080",
                "f5808080",
                "ff",
                "80",
                "c3",
                "e282",
                "f09f98",
                "c328",
                "e28228",
                "e2c3a9",
                "f09f98c3a9",
                "6162c3",
                "fe",
                "f8a1a1a1a1"
            })
    void check_knownIllFormed_isRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        assertEquals(false, Utf8.isWellFormed(in, 0, bytes.length));
        assertAgrees(bytes, "");
    }

    @Test
    void check_randomAndMutated_agreesWithTheDecoderInEverySplit() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = round % 3 == 0 ? garbage(random) : text(random);
            if (round % 3 == 2 && bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            assertAgrees(bytes, "seed " + seed + ", round " + round + ": ");
        }
    }

    private static byte[] garbage(Random random) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** ASCII in runs long enough for the fast way, and characters of every length. */
    private static byte[] text(Random random) {
        StringBuilder text = new StringBuilder();
        int pieces = random.nextInt(6);
        for (int i = 0; i < pieces; i++) {
            if (random.nextBoolean()) {
                text.append("abcdefghijklmnopqrst", 0, random.nextInt(20));
            } else {
                int[] bounds = {0x80, 0x800, 0x1_0000, 0x11_0000};
                int point = random.nextInt(bounds[random.nextInt(bounds.length)]);
                boolean surrogate = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
                text.appendCodePoint(surrogate ? 'x' : point);
            }
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void assertAgrees(byte[] bytes, String what) {
        boolean wellFormed = decodes(bytes);
        // not at the beginning of its buffer
        ByteBuf in = Unpooled.wrappedBuffer(new byte[] {-1}, bytes, new byte[] {-1});
        for (int split = 0; split <= bytes.length; split++) {
            int state = Utf8.check(Utf8.COMPLETE, in, 1, split);
            state = Utf8.check(state, in, 1 + split, bytes.length - split);
            int at = split;
            assertEquals(
                    wellFormed,
                    state == Utf8.COMPLETE,
                    () -> what + HexFormat.of().formatHex(bytes) + " split at " + at);
            assertEarliest(bytes, split, in, what);
        }
    }

    /** What no continuation can save is refused at once: the decoder says so of the same front. */
    private static void assertEarliest(byte[] bytes, int front, ByteBuf in, String what) {
        boolean refused = Utf8.check(Utf8.COMPLETE, in, 1, front) == Utf8.MALFORMED;
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var result = decoder.decode(
                ByteBuffer.wrap(Arrays.copyOf(bytes, front)), java.nio.CharBuffer.allocate(front + 1), false);
        // the decoder may wait for more where we know already; it never refuses what we would take
        if (result.isMalformed()) {
            assertEquals(true, refused, () -> what + HexFormat.of().formatHex(bytes) + " front " + front);
        }
    }

    private static boolean decodes(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException illFormed) {
            return false;
        }
    }
}
