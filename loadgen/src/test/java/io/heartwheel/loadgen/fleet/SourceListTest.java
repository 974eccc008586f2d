package io.heartwheel.loadgen.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SourceListTest {

    private static final List<String> THREE = List.of("127.1.0.1", "127.1.0.2", "127.1.0.3");

    @Test
    void of_noAddresses_leavesItToTheKernel() {
        assertNull(new SourceList(List.of(), Slice.whole(10)).of(3, 0));
    }

    @Test
    void of_severalAddresses_eachHasAnEqualRunOfTheSlice() {
        Slice slice = new Slice(1_000, 300, 5_000, 2, 10);
        Map<String, Integer> devices = new TreeMap<>();
        SourceList sources = new SourceList(THREE, slice);
        for (int i = 1_000; i < 1_300; i++) {
            InetSocketAddress source = sources.of(i, 0);
            assertEquals(0, source.getPort());
            devices.merge(source.getHostString(), 1, Integer::sum);
        }
        assertEquals(Map.of("127.1.0.1", 100, "127.1.0.2", 100, "127.1.0.3", 100), devices);
    }

    @Test
    void of_largestFleet_doesNotOverflow() {
        SourceList sources = new SourceList(THREE, Slice.whole(2_000_000_000));
        assertEquals("127.1.0.3", sources.of(1_999_999_999, 0).getHostString());
    }

    @Test
    void of_afterAHop_isAnother() {
        SourceList sources = new SourceList(THREE, Slice.whole(9));
        for (int i = 0; i < 9; i++) {
            assertNotEquals(sources.of(i, 0), sources.of(i, 1));
            assertEquals(sources.of(i, 0), sources.of(i, 3));
        }
        SourceList one = new SourceList(List.of("127.1.0.1"), Slice.whole(9));
        assertEquals("127.1.0.1", one.of(0, 0).getHostString());
        assertNull(one.of(0, 1));
        assertEquals("127.1.0.1", one.of(0, 2).getHostString());
    }

    @Test
    void list_whatIsNoAddress_isRefused() {
        for (String text : new String[] {"localhost", "127.0.0.256", "", "127.0.0.1:80"}) {
            assertThrows(IllegalArgumentException.class, () -> new SourceList(List.of(text), Slice.whole(1)), text);
        }
    }

    @Test
    void slice_noPartOfTheWhole_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Slice(0, 0, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Slice(1, 1, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Slice(-1, 1, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Slice(0, 1, 1, 1, 1));
    }
}
