package io.heartwheel.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages on a byte stream, and their checksums. */
final class FramingTest {

    private static final int[][] JT808 = {{0x7e, 2}, {0x7d, 1}};

    /** What the framing finds in these bytes, whether they come at once or one by one. */
    private static List<String> found(Framing framing, String hex) {
        List<String> atOnce = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        while (framing.next(in)) {
            atOnce.add(ByteBufUtil.hexDump(in, framing.at(), framing.length()));
        }
        List<String> oneByOne = new ArrayList<>();
        ByteBuf dripping = Unpooled.buffer();
        for (byte next : ByteBufUtil.decodeHexDump(hex)) {
            dripping.writeByte(next);
            while (framing.next(dripping)) {
                oneByOne.add(ByteBufUtil.hexDump(dripping, framing.at(), framing.length()));
            }
        }
        assertEquals(atOnce, oneByOne);
        return atOnce;
    }

    private static String written(Framing framing, String hex) {
        ByteBuf out = Unpooled.buffer(4);
        framing.begin(out);
        int from = out.writerIndex();
        out.writeBytes(ByteBufUtil.decodeHexDump(hex));
        framing.end(out, from);
        return ByteBufUtil.hexDump(out);
    }

    @Test
    void delimiter_escaped_isReadAsWritten() {
        Framing framing = new Framing.Delimiter(new byte[] {0x7e}, true, 0x7d, JT808, 64);
        assertEquals("7e307d02087d01557e", written(framing, "307e087d55"));
        assertEquals(List.of("307e087d55", "01"), found(framing, "7e307d02087d01557e7e7e017e7e02"));
        assertThrows(WireException.class, () -> found(framing, "7e307d037e"));
        assertThrows(WireException.class, () -> found(framing, "7e307d7e"));
        assertThrows(WireException.class, () -> found(framing, "7e" + "00".repeat(66)));
    }

    @Test
    void delimiter_ofSeveralBytes_standsBehindMessages() {
        Framing framing = new Framing.Delimiter(new byte[] {'$', '#'}, false, -1, new int[0][], 64);
        assertEquals("01242323".length(), written(framing, "0124").length());
        assertEquals(List.of("0124", "", "2323"), found(framing, "0124" + "2423" + "2423" + "2323" + "2423"));
        assertFalse(framing.carriesBinary());
    }

    @Test
    void length_everyPlace_isUnderstood() {
        assertEquals(List.of("0003010203", "0000"), found(new Framing.Length(0, 2, false, 0, 64), "00030102030000"));
        assertEquals(List.of("aa050001"), found(new Framing.Length(1, 2, true, -4, 64), "aa050001"));
        assertEquals(List.of("030102"), found(new Framing.Length(0, 1, false, -1, 64), "030102"));
        assertThrows(WireException.class, () -> found(new Framing.Length(0, 2, false, -4, 64), "0001"));
        assertThrows(WireException.class, () -> found(new Framing.Length(0, 4, false, 0, 64), "ffffffff"));
    }

    @Test
    void lines_bothEnds_areUnderstood() {
        assertEquals(List.of("41", "", "42"), found(new Framing.Lines(true, 64), "410d0a0a420a"));
        assertEquals("410d0a", written(new Framing.Lines(true, 64), "41"));
        assertEquals("410a", written(new Framing.Lines(false, 64), "41"));
    }

    @Test
    void cutShort_everyFraming_isNoMessageHoweverMuchDripsBehind() {
        List<Framing> all = List.of(
                new Framing.Delimiter(new byte[] {0x7e}, true, 0x7d, JT808, 64),
                new Framing.Length(0, 1, false, 0, 512),
                new Framing.Lines(true, 64));
        for (Framing framing : all) {
            ByteBuf out = Unpooled.buffer();
            framing.begin(out);
            int from = out.writerIndex();
            out.writeBytes(new byte[] {2, 4, 5});
            framing.end(out, from);
            framing.cutShort(out, from);
            out.writeZero(framing.mayFollow());
            assertFalse(framing.next(out), () -> framing.getClass().getSimpleName());
            assertTrue(framing.mayFollow() > 3);
        }
    }

    /** The check values of the catalogue of parametrised CRC algorithms. */
    @ParameterizedTest
    @CsvSource({
        "XOR, 31",
        "SUM8, dd",
        "SUM16, 1dd",
        "CRC16_MODBUS, 4b37",
        "CRC16_ARC, bb3d",
        "CRC16_CCITT, 29b1",
        "CRC16_XMODEM, 31c3",
        "CRC16_KERMIT, 2189",
        "CRC16_X25, 906e",
        "CRC32, cbf43926"
    })
    void checksum_ofNineDigits_isTheCataloguesCheckValue(Checksum sum, String check) {
        ByteBuf digits = Unpooled.copiedBuffer("x123456789", StandardCharsets.US_ASCII);
        assertEquals(check, Long.toHexString(sum.of(digits, 1, 10)));
    }
}
