package io.heartwheel.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heartwheel.AtOnce;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Events;
import io.heartwheel.event.Evidence;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecentClosesTest {
    private final RecentCloses closes = new RecentCloses(new EvidenceSettings(5, 2, 0));

    private static Evidence close(String device, long at) {
        return Events.evidence(device, CloseReason.HEARTBEAT_TIMEOUT, true, at);
    }

    private static RecentCloses.Page page(RecentCloses of, long before, int limit) {
        return of.page(false, evidence -> true, before, limit);
    }

    /** At these times, one after the other. */
    private void close(long... times) {
        for (long at : times) {
            closes.closed(close("d", at));
        }
    }

    @Test
    void page_moreThanThereIsRoomFor_keepsTheNewest() {
        close(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertEquals(
                List.of(11L, 10L, 9L, 8L, 7L),
                times(page(closes, Long.MAX_VALUE, 100).closes()));
    }

    @Test
    void page_cursor_staysValidWhileClosesCome() {
        close(0, 1, 2, 3, 4);
        RecentCloses.Page first = page(closes, Long.MAX_VALUE, 2);
        assertEquals(3L, first.next());
        close(5, 6);

        RecentCloses.Page second = closes.page(false, evidence -> true, first.next(), 2);
        assertEquals(List.of(2L), times(second.closes()));
        assertNull(second.next());
    }

    @Test
    void page_lastIsFull_hasNoNext() {
        close(0, 1, 2, 3);
        assertEquals(2L, page(closes, Long.MAX_VALUE, 2).next());
        assertNull(page(closes, 2, 2).next());
        assertEquals(List.of(), page(closes, 0, 2).closes());
    }

    @Test
    void page_filter_looksOnUntilThereAreEnough() {
        closes.closed(close("a", 1));
        closes.closed(close("b", 2));
        closes.closed(close("a", 3));
        closes.closed(close("b", 4));

        RecentCloses.Page page =
                closes.page(false, evidence -> evidence.identity().deviceId().equals("a"), Long.MAX_VALUE, 1);
        assertEquals(List.of(3L), times(page.closes()));
        assertEquals(2L, page.next());
    }

    @Test
    void closed_floodOfHandshakes_pushesOutNoDevice() {
        closes.closed(close("d", 1));
        for (int i = 0; i < 1_000; i++) {
            closes.closed(Events.evidence("", CloseReason.BAD_MAGIC, false, i));
        }
        assertEquals(1, closes.ofDevice("d", 10).size());
        RecentCloses.Page handshakes = closes.page(true, evidence -> true, Long.MAX_VALUE, 100);
        assertEquals(2, handshakes.closes().size());
    }

    @Test
    void ofDevice_closesAndClaims_areTwoRowsNewestFirst() {
        closes.closed(close("d", 10));
        closes.closed(close("e", 15));
        closes.closed(close("d", 30));
        closes.closed(Events.evidence("d", CloseReason.UNAUTHORIZED, false, 20));
        closes.closed(Events.evidence("d", CloseReason.UNAUTHORIZED, false, 25));

        assertEquals(List.of(30L, 10L), times(closes.ofDevice("d", 10)));
        assertEquals(List.of(30L), times(closes.ofDevice("d", 1)));
        assertEquals(List.of(25L, 20L), times(closes.claiming("d", 10)));
        assertEquals(List.of(), closes.ofDevice("f", 10));
        assertEquals(List.of(), closes.claiming("e", 10));
    }

    @Test
    void ofDevice_wallClockGoesBack_keepsTheOrderOfTheCloses() {
        close(3_600_000, 5);

        assertEquals(List.of(5L, 3_600_000L), times(closes.ofDevice("d", 10)));
    }

    private static List<Long> times(List<Evidence> told) {
        return told.stream().map(Evidence::atEpochMillis).toList();
    }

    @Test
    void closed_noRoomAtAll_forgets() {
        RecentCloses none = new RecentCloses(new EvidenceSettings(0, 0, 0));
        none.closed(close("d", 1));
        assertEquals(List.of(), none.ofDevice("d", 10));
        assertEquals(List.of(), page(none, Long.MAX_VALUE, 10).closes());
    }

    @Test
    void closed_byManyThreads_leavesTheNewestOfEachSlot() throws Exception {
        RecentCloses shared = new RecentCloses(new EvidenceSettings(64, 0, 0));
        AtOnce.run(5, thread -> {
            for (int n = 0; n < 20_000; n++) {
                if (thread == 4) {
                    page(shared, Long.MAX_VALUE, 64);
                    return;
                }
                shared.closed(close("d", n));
            }
        });
        long all = 80_000;
        assertEquals(64, page(shared, Long.MAX_VALUE, 100).closes().size());
        assertEquals(all - 1, page(shared, Long.MAX_VALUE, 1).next());
        assertEquals(all - 63, page(shared, Long.MAX_VALUE, 63).next());
    }
}
