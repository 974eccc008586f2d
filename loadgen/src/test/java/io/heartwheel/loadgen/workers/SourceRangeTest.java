package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Addresses to connect from. */
final class SourceRangeTest {

    @Test
    void parse_prefix_passesOverZeroAnd255() {
        SourceRange range = SourceRange.parse("127.1.0.0/16");
        assertEquals(256 * 254, range.count());
        assertEquals("127.1.0.1", range.at(0));
        assertEquals("127.1.0.254", range.at(253));
        assertEquals("127.1.1.1", range.at(254));
        assertEquals("127.1.255.254", range.at(range.count() - 1));
        assertTrue(range.isLoopback());
    }

    @Test
    void parse_prefixOfAnAddressWithin_beginsAtTheNetwork() {
        assertEquals(SourceRange.parse("10.0.0.0/24"), SourceRange.parse("10.0.0.77/24"));
        assertEquals(254, SourceRange.parse("10.0.0.77/24").count());
        assertEquals(1, SourceRange.parse("10.0.0.77/32").count());
    }

    @Test
    void parse_fromTo_holdsBothEnds() {
        SourceRange range = SourceRange.parse("10.0.0.5-10.0.0.9");
        assertEquals(List.of("10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8", "10.0.0.9"), range.block(0, 5));
        assertFalse(range.isLoopback());
        assertEquals("10.0.0.5-10.0.0.9", range.toString());
    }

    @Test
    void parse_oneAddress_isARangeOfOne() {
        assertEquals(List.of("192.168.1.7"), SourceRange.parse("192.168.1.7").block(0, 1));
        assertEquals("192.168.1.7", SourceRange.parse("192.168.1.7").toString());
    }

    @Test
    void parse_wrong_tellsTheForms() {
        for (String wrong : List.of(
                "",
                "x",
                "10.0.0",
                "10.0.0.256",
                "10.0.0.-1",
                "10.0.0.9-10.0.0.5",
                "10.0.0.0",
                "10.0.0.255/32",
                "10.0.0.0/7",
                "10.0.0.0/33",
                "10.0.0.255-10.0.1.0",
                "::1",
                "10.0.0.1/",
                "1.2.3.4-")) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> SourceRange.parse(wrong), wrong);
            assertTrue(e.getMessage().contains("need an IPv4 range like 127.1.0.0/16"), e::getMessage);
        }
    }

    @Test
    void at_outOfRange_isRefused() {
        SourceRange range = SourceRange.parse("10.0.0.5-10.0.0.9");
        assertThrows(IllegalArgumentException.class, () -> range.at(5));
        assertThrows(IllegalArgumentException.class, () -> range.at(-1));
    }

    @Test
    void at_everyIndex_countsLikeOneByOne() {
        for (String text : List.of("10.0.0.250-10.0.2.3", "10.0.0.0-10.0.0.1", "10.0.0.255-10.0.1.1", "10.0.0.0/22")) {
            SourceRange range = SourceRange.parse(text);
            List<String> expected = new ArrayList<>();
            for (long address = range.first(); address <= range.last(); address++) {
                if (address % 256 != 0 && address % 256 != 255) {
                    expected.add("10.0." + address / 256 % 256 + "." + address % 256);
                }
            }
            assertEquals(expected, range.block(0, (int) range.count()), text);
        }
    }

    @Test
    void loopback_default_beginsAt127101() {
        assertEquals(List.of("127.1.0.1", "127.1.0.2"), SourceRange.loopback().block(0, 2));
        assertEquals(
                "127.255.255.254",
                SourceRange.loopback().at(SourceRange.loopback().count() - 1));
    }
}
