package io.heartwheel.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Pushed messages as a device reads them: whole, wrapped and damaged. */
final class PushMessageTest {

    private static final long NONCE = 0xABCD_1234_5678_9ABCL;
    private static final byte[] MARKER = PushMessage.marker(NONCE);
    private static final PushMessage SENT = new PushMessage(17, 3, 123_456_789_012L, true, true);

    private static byte[] message(int length, boolean text) {
        return PushMessage.of(NONCE, 17, 3, 123_456_789_012L, length, text, 99);
    }

    private static PushMessage read(byte[] bytes) {
        return PushMessage.read(MARKER, Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }

    @Test
    void read_whatWasWritten_isTheSame() {
        for (int length : new int[] {44, 45, 100, 70_000}) {
            assertEquals(SENT, read(message(length, false)));
            assertEquals(SENT, read(message(length, true)));
            assertEquals(length, message(length, true).length);
        }
    }

    @Test
    void of_text_isLettersThatPassEverywhere() {
        String text = new String(message(300, true), StandardCharsets.US_ASCII);
        assertTrue(text.matches("[A-Za-z0-9_-]{300}"), text);
        assertArrayEquals(message(300, false), message(300, false));
    }

    @Test
    void read_atAnOffsetOfALargerBuffer_staysWithinIt() {
        byte[] message = message(60, false);
        ByteBuf in = Unpooled.buffer().writeZero(7).writeBytes(message).writeZero(9);
        assertEquals(SENT, PushMessage.read(MARKER, in, 7, 60));
        assertFalse(PushMessage.read(MARKER, in, 7, 61).intact());
    }

    @Test
    void read_wrappedByTheServer_isFoundAndWhole() {
        byte[] inside = message(80, true);
        byte[] wrapped = ("{\"payload\":\"" + new String(inside, StandardCharsets.US_ASCII) + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
        assertEquals(SENT, read(wrapped));
    }

    @Test
    void read_eachByteBehindTheMarkerChanged_isSeen() {
        byte[] whole = message(60, true);
        for (int i = MARKER.length; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 1;
            PushMessage seen = read(damaged);
            assertNotNull(seen);
            assertFalse(seen.intact(), "byte " + i);
        }
    }

    @Test
    void read_cutOffOrLonger_isSeen() {
        byte[] whole = message(60, true);
        for (int length = MARKER.length; length < whole.length; length++) {
            PushMessage seen = read(Arrays.copyOf(whole, length));
            assertFalse(seen.intact(), "cut to " + length);
            assertEquals(length >= PushMessage.HEADER_BYTES, seen.known(), "cut to " + length);
        }
        assertFalse(read(Arrays.copyOf(whole, 61)).intact());
    }

    @Test
    void read_whatIsNotOfThisRun_isNobodys() {
        byte[] other = PushMessage.of(NONCE + 1, 17, 3, 0, 60, true, 1);
        assertNull(read(other));
        assertNull(read(new byte[0]));
        assertNull(read("no message of ours, but long enough to be one".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void of_shorterThanItsHeader_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> message(43, true));
    }
}
