package io.heartwheel.loadgen.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LedgerTest {

    private static Ledger random(SplittableRandom random) {
        Ledger ledger = new Ledger();
        for (Count count : Count.values()) {
            ledger.count(count, random.nextLong(1_000_000));
        }
        for (Timing timing : Timing.values()) {
            for (int i = random.nextInt(200); i > 0; i--) {
                ledger.time(timing, random.nextLong(1L << (10 + random.nextInt(30))));
            }
        }
        for (int i = 0; i < 10; i++) {
            ledger.row("table " + i % 3, "row " + i, 1 + random.nextInt(5));
        }
        return ledger;
    }

    private static void assertSame(Ledger expected, Ledger actual, String told) {
        assertEquals(expected.page().counts(), actual.page().counts(), told);
        assertEquals(expected.tables(), actual.tables(), told);
        for (Timing timing : Timing.values()) {
            assertEquals(expected.of(timing).summary(), actual.of(timing).summary(), told + " " + timing);
        }
    }

    @Test
    void page_writtenAsJsonAndReadBack_isTheSame() throws JsonProcessingException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Ledger ledger = random(new SplittableRandom(seed));
        ObjectMapper json = new ObjectMapper();
        Ledger.Page page = json.readValue(json.writeValueAsString(ledger.page()), Ledger.Page.class);
        Ledger again = new Ledger();
        page.addTo(again);
        assertSame(ledger, again, "seed " + seed);
    }

    @Test
    void add_partsOfAWhole_isTheWhole() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Ledger direct = new Ledger();
        Ledger byPages = new Ledger();
        for (int i = 0; i < 5; i++) {
            Ledger part = random(random);
            direct.add(part);
            part.page().addTo(byPages);
        }
        assertSame(direct, byPages, "seed " + seed);
    }

    @Test
    void row_tooManyNames_areCountedTogether() {
        Ledger ledger = new Ledger();
        for (int i = 0; i < 100; i++) {
            ledger.row("t", "name " + i, 2);
        }
        ledger.row("t", "name 0", 5);
        assertEquals(Ledger.MOST_ROWS + 1, ledger.table("t").size());
        assertEquals(7, ledger.table("t").get("name 0"));
        assertEquals(2 * (100 - Ledger.MOST_ROWS), ledger.table("t").get(Ledger.OTHERS));
        assertEquals(Map.of(), ledger.table("none"));
    }

    @Test
    void resetTimings_counted_staysCounted() {
        Ledger ledger = new Ledger();
        ledger.count(Count.OPENED);
        ledger.time(Timing.CONNECT, 5_000);
        ledger.resetTimings();
        assertEquals(1, ledger.of(Count.OPENED));
        assertEquals(0, ledger.of(Timing.CONNECT).count());
        assertFalse(ledger.page().timings().containsKey("connect"));
    }

    @Test
    void addTo_unknownNames_areLeftOutAndBadHistogramsRefused() {
        Ledger ledger = new Ledger();
        new Ledger.Page(Map.of("opened", 3L, "of_tomorrow", 4L), Map.of("of_tomorrow", "?"), Map.of()).addTo(ledger);
        assertEquals(3, ledger.of(Count.OPENED));
        Ledger.Page bad = new Ledger.Page(Map.of(), Map.of("connect", "????"), Map.of());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> bad.addTo(ledger))
                .getMessage()
                .contains("not readable"));
    }
}
