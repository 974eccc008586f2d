package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines in and out, and the end of standard error. */
final class LineChannelTest {

    private static LineChannel of(String text, int mostBytes) {
        return new LineChannel(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                new ByteArrayOutputStream(),
                mostBytes);
    }

    @Test
    void read_lines_comeOneByOneAndAnUnfinishedOneIsNone() throws IOException {
        LineChannel lines = of("one\n\nthrée\nhalf", 100);
        assertEquals("one", lines.read());
        assertEquals("", lines.read());
        assertEquals("thrée", lines.read());
        assertNull(lines.read());
    }

    @Test
    void read_lineAtTheLimit_passesAndOneByteMoreDoesNot() throws IOException {
        assertEquals("12345", of("12345\n", 5).read());
        assertThrows(LineChannel.TooLong.class, () -> of("123456\n", 5).read());
        assertThrows(LineChannel.TooLong.class, () -> of("1234567890", 5).read());
    }

    @Test
    void read_endlessLine_isRefusedBeforeItIsKept() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                java.util.Arrays.fill(bytes, from, from + length, (byte) 'x');
                return length;
            }
        };
        assertThrows(
                LineChannel.TooLong.class, () -> new LineChannel(endless, new ByteArrayOutputStream(), 1 << 16).read());
    }

    @Test
    void write_overTheLimit_isRefused() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineChannel lines = new LineChannel(InputStream.nullInputStream(), out, 5);
        lines.write("12345");
        assertThrows(LineChannel.TooLong.class, () -> lines.write("123456"));
        assertEquals("12345\n", out.toString(StandardCharsets.UTF_8));
    }

    /** Random lines through random pieces, long ones among them. */
    @Test
    void read_anyPieces_givesTheSameLines() throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("LineChannelTest seed " + seed);
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        String[] expected = new String[200];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = "x".repeat(random.nextInt(10) == 0 ? random.nextInt(50_000) : random.nextInt(50)) + i;
            text.append(expected[i]).append('\n');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        InputStream pieces = new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(length, 1 + random.nextInt(9_000)));
            }
        };
        LineChannel lines = new LineChannel(pieces, new ByteArrayOutputStream(), 60_000);
        for (String line : expected) {
            assertEquals(line, lines.read(), "seed " + seed);
        }
        assertNull(lines.read());
    }

    @Test
    void tail_muchSaid_keepsTheEnd() {
        String said = "x".repeat(3 * OutputTail.MOST_BYTES) + "\nthe end\n";
        OutputTail tail = new OutputTail(new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8)), "errors");
        String kept = tail.afterTheEnd(10_000);
        assertTrue(kept.endsWith("x\nthe end"), kept);
        assertTrue(kept.length() <= OutputTail.MOST_BYTES, kept);
    }
}
