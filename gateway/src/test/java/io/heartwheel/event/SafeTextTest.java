package io.heartwheel.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SafeTextTest {
    private static final int MOST = 123;

    @Test
    void of_plainText_staysAsItIs() {
        assertEquals(
                "battery low \"10 %\" grüße \uD83D\uDE00",
                SafeText.of("battery low \"10 %\" grüße \uD83D\uDE00", MOST));
        assertEquals("", SafeText.of("", MOST));
    }

    @Test
    void of_whatBreaksOrTurnsALine_isReplaced() {
        String harmful =
                "\u0000\t\r\n\u001b\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ud800";
        assertEquals("a" + "?".repeat(harmful.length()) + "b", SafeText.of("a" + harmful + "b", MOST));
    }

    @Test
    void of_longText_isCutBetweenTwoCharacters() {
        assertEquals("x".repeat(MOST), SafeText.of("x".repeat(MOST + 1), MOST));
        assertEquals("x".repeat(MOST - 1), SafeText.of("x".repeat(MOST - 1) + "é", MOST));
        assertEquals("é".repeat(61), SafeText.of("é".repeat(62), MOST));
        assertEquals("\uD83D\uDE00".repeat(30), SafeText.of("\uD83D\uDE00".repeat(31), MOST));
    }

    @Test
    void decode_malformed_isReplacedAndStaysWithinItsBytes() {
        assertEquals("a\uFFFDb", SafeText.decode(new byte[] {'a', (byte) 0xFF, 'b'}, MOST));
        byte[] broken = new byte[MOST];
        java.util.Arrays.fill(broken, (byte) 0xFF);
        assertEquals("\uFFFD".repeat(41), SafeText.decode(broken, MOST));
    }

    @Test
    void decode_anyBytes_areSafeAndShort() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 10_000; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            String shown = SafeText.decode(bytes, MOST);
            assertTrue(shown.getBytes(StandardCharsets.UTF_8).length <= MOST, () -> "seed " + seed);
            assertFalse(shown.chars().anyMatch(Character::isISOControl), () -> "seed " + seed);
        }
    }
}
