package io.heartwheel.outlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.store.Cursors;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transaction;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A runner whose time, chance and receiver are the test's. */
class OutletRunnerTest {
    private static final long START = 1_767_225_600_000L;
    private static final Set<EventKind> ALL = EnumSet.allOf(EventKind.class);

    private final MemoryStore store = new MemoryStore();
    private final Cursors cursors = new Cursors();
    private final FakeOutlet outlet = new FakeOutlet();
    private long nowMillis = START;
    private double random = 1;

    /** Takes what it is given, and fails as it was told to. */
    private static final class FakeOutlet implements Outlet {
        final List<OutletEvent> taken = new ArrayList<>();
        final List<Integer> attempts = new ArrayList<>();
        final Deque<OutletException> failures = new ArrayDeque<>();
        final List<Integer> sizes = new ArrayList<>();

        @Override
        public void deliver(List<OutletEvent> events, int attempt) throws OutletException {
            attempts.add(attempt);
            sizes.add(events.size());
            OutletException failure = failures.poll();
            if (failure != null) {
                throw failure;
            }
            taken.addAll(events);
        }

        List<String> ids() {
            return taken.stream()
                    .map(event -> event.id().substring(MemoryStore.ID.length() + 1))
                    .toList();
        }

        @Override
        public void close() {}
    }

    private OutletRunner runner(Set<EventKind> wanted) throws StoreException {
        return new OutletRunner(
                new OutletSettings("main", wanted, new OutletSettings.Console()),
                outlet,
                store,
                store.reader(),
                cursors,
                "a",
                () -> nowMillis,
                () -> random);
    }

    private void append(EventKind... kinds) throws StoreException {
        Transaction transaction = new Transaction();
        for (EventKind kind : kinds) {
            add(transaction, kind.number(), "{\"event\":\"" + kind.label() + "\"}");
        }
        store.at(nowMillis);
        store.commit(transaction);
    }

    private void add(Transaction to, int type, String json) {
        byte[] key = "d".getBytes(StandardCharsets.UTF_8);
        to.records().add(type, nowMillis, key, ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static OutletException failure() {
        return OutletException.retry("down", OutletException.NOT_SAID, null);
    }

    /** Until there is nothing to do at once. */
    private static long settle(OutletRunner runner) throws InterruptedException {
        long wait = 0;
        while (wait == 0) {
            wait = runner.step();
        }
        return wait;
    }

    // ------------------------------------------------------------------ delivery

    @Test
    void deliver_all_inOrderAndCursorMoves() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.CONNECTED, EventKind.DATA);
        append(EventKind.DISCONNECTED);
        settle(runner);

        assertEquals(List.of("1", "2", "3"), outlet.ids());
        assertEquals("d", outlet.taken.get(0).device());
        assertEquals("{\"event\":\"connected\"}", new String(outlet.taken.get(0).json(), StandardCharsets.UTF_8));
        OutletStatus status = runner.status();
        assertEquals(OutletState.RUNNING, status.state());
        assertEquals(3, status.cursor());
        assertEquals(0, status.lagEvents());
        assertEquals(3, status.delivered());
        assertEquals(3, cursors.least());
    }

    @Test
    void deliver_filtered_passesOverTheRestAndMovesTheCursor() throws Exception {
        OutletRunner runner = runner(Set.of(EventKind.DATA));
        append(EventKind.CONNECTED, EventKind.DATA, EventKind.GAP, EventKind.DISCONNECTED);
        settle(runner);

        assertEquals(List.of("2", "3"), outlet.ids(), "a gap is delivered in any case");
        assertEquals(4, runner.status().cursor());
    }

    @Test
    void deliver_manyEvents_comeInBoundedChunks() throws Exception {
        OutletRunner runner = runner(ALL);
        Transaction transaction = new Transaction();
        for (int i = 0; i < 2_500; i++) {
            add(transaction, EventKind.DATA.number(), "{}");
        }
        store.commit(transaction);
        settle(runner);

        assertEquals(List.of(1_024, 1_024, 452), outlet.sizes);
        assertEquals(2_500, outlet.taken.size());
    }

    @Test
    void deliver_largeEvents_areBoundedInBytes() throws Exception {
        OutletRunner runner = runner(ALL);
        Transaction transaction = new Transaction();
        for (int i = 0; i < 5; i++) {
            add(transaction, EventKind.DATA.number(), "x".repeat(600_000));
        }
        store.commit(transaction);
        settle(runner);

        assertEquals(List.of(2, 2, 1), outlet.sizes);
    }

    @Test
    void deliver_typeOfALaterVersion_isSkippedAndCounted() throws Exception {
        OutletRunner runner = runner(ALL);
        store.append(200, "d", "{}");
        append(EventKind.DATA);
        settle(runner);

        assertEquals(List.of("2"), outlet.ids());
        assertEquals(1, runner.status().skipped());
    }

    @Test
    void start_cursorStored_goesOnThereAndMayRepeat() throws Exception {
        append(EventKind.CONNECTED, EventKind.DATA);
        settle(runner(ALL));
        Transaction stored = new Transaction();
        cursors.storeInto(stored);
        store.commit(stored);
        append(EventKind.DATA, EventKind.DATA);
        outlet.taken.clear();
        outlet.attempts.clear();
        OutletRunner again = runner(ALL);
        settle(again);
        append(EventKind.DATA);
        settle(again);

        assertEquals(List.of("3", "4", "5"), outlet.ids());
        assertEquals(List.of(2, 1), outlet.attempts, "an earlier process may have delivered the first chunk");
    }

    // ------------------------------------------------------------------ failures

    @Test
    void failure_oneAfterAnother_waitsTwiceAsLongUpToAMinuteAndRepeatsTheSame() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            outlet.failures.add(failure());
        }
        while (!outlet.failures.isEmpty()) {
            long wait = settle(runner);
            waits.add(wait);
            append(EventKind.DATA);
            assertEquals(OutletState.RETRYING, runner.status().state());
            assertEquals(nowMillis + wait, runner.status().nextAttemptEpochMillis());
            nowMillis += wait;
        }
        settle(runner);

        assertEquals(
                List.of(200L, 400L, 800L, 1_600L, 3_200L, 6_400L, 12_800L, 25_600L, 51_200L, 60_000L, 60_000L), waits);
        assertEquals(List.of(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1), outlet.attempts);
        assertEquals(1, outlet.sizes.get(11), "what came later waits behind it");
        assertEquals(11, runner.status().failures());
        assertEquals("down", runner.status().lastError());
        assertEquals(OutletState.RUNNING, runner.status().state());
        assertEquals(12, outlet.taken.size());
    }

    @Test
    void failure_fullJitter_mayComeAtOnce() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        random = 0.25;
        outlet.failures.add(failure());
        assertEquals(50, settle(runner));
    }

    @Test
    void failure_retryAfter_isObeyedUpToTenMinutes() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        outlet.failures.add(OutletException.retry("busy", 5_000, null));
        assertEquals(5_000, settle(runner));
        nowMillis += 5_000;
        outlet.failures.add(OutletException.retry("busy", 86_400_000, null));
        assertEquals(600_000, settle(runner));
    }

    @Test
    void failure_ofTheJournal_isRetried() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        store.failWith(new StoreException(StoreException.Cause.OTHER, "broken"));
        assertEquals(200, settle(runner));
        assertEquals("journal: broken", runner.status().lastError());
        store.failWith(null);
        nowMillis += 200;
        settle(runner);
        assertEquals(List.of("1"), outlet.ids());
        assertEquals(OutletState.RUNNING, runner.status().state());
    }

    @Test
    void status_whileItFails_tellsLagAndAge() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        nowMillis += 7_000;
        append(EventKind.DATA, EventKind.DATA);
        outlet.failures.add(failure());
        settle(runner);

        assertEquals(3, runner.status().lagEvents());
        assertEquals(7_000, runner.status().oldestAgeMillis(nowMillis));
    }

    // ------------------------------------------------------------------ pause and rewind

    @Test
    void pause_thenResume_losesNothing() throws Exception {
        OutletRunner runner = runner(ALL);
        runner.pause();
        append(EventKind.DATA);
        settle(runner);
        assertEquals(OutletState.PAUSED, runner.status().state());
        assertEquals(List.of(), outlet.ids());
        nowMillis += 1_000;
        assertEquals(1_000, runner.status().oldestAgeMillis(nowMillis));
        runner.resume();
        settle(runner);
        assertEquals(List.of("1"), outlet.ids());
    }

    @Test
    void pause_byTheReceiver_lastsUntilResumed() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        outlet.failures.add(OutletException.pause("gone"));
        settle(runner);
        assertEquals(OutletState.PAUSED, runner.status().state());
        nowMillis += 86_400_000;
        settle(runner);
        assertEquals(1, outlet.attempts.size());
        runner.resume();
        settle(runner);
        assertEquals(List.of("1"), outlet.ids());
    }

    @Test
    void resume_whileItWaits_triesAtOnce() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA);
        outlet.failures.add(failure());
        settle(runner);
        runner.resume();
        settle(runner);
        assertEquals(List.of("1"), outlet.ids());
    }

    @Test
    void rewind_toRecordTimeAndStart_deliversAgainAsRepeats() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA, EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA);
        settle(runner);
        outlet.taken.clear();

        runner.rewind(new Rewind(Rewind.To.RECORD, 2));
        settle(runner);
        runner.rewind(new Rewind(Rewind.To.TIME, START + 1));
        settle(runner);
        runner.rewind(Rewind.START);
        settle(runner);

        assertEquals(List.of("2", "3", "3", "1", "2", "3"), outlet.ids());
        assertEquals(List.of(2, 2, 2, 2), outlet.attempts);
        assertThrows(IllegalArgumentException.class, () -> runner.rewind(new Rewind(Rewind.To.RECORD, 5)));
        assertThrows(IllegalArgumentException.class, () -> runner.rewind(new Rewind(Rewind.To.RECORD, 0)));
    }

    @Test
    void rewind_whileItFails_givesUpTheChunk() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA, EventKind.DATA);
        outlet.failures.add(failure());
        settle(runner);
        runner.rewind(new Rewind(Rewind.To.RECORD, 2));
        settle(runner);
        assertEquals(List.of("2"), outlet.ids());
    }

    // ------------------------------------------------------------------ what is missing

    @Test
    void gap_damagedBatch_isToldInItsPlace() throws Exception {
        OutletRunner runner = runner(Set.of(EventKind.DATA));
        append(EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA, EventKind.DATA, EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA);
        store.damage(3);
        settle(runner);

        assertEquals(List.of("1", "2-4", "5"), outlet.ids());
        assertEquals(EventKind.GAP, outlet.taken.get(1).kind());
        assertEquals(
                "{\"event\":\"gap\",\"at\":\"2026-01-01T00:00:02.000Z\",\"from\":\"2026-01-01T00:00:00.000Z\","
                        + "\"to\":\"2026-01-01T00:00:01.000Z\",\"lost\":{\"unknown\":3},\"instance\":\"a\"}",
                new String(outlet.taken.get(1).json(), StandardCharsets.UTF_8));
        assertEquals(5, runner.status().cursor());
    }

    @Test
    void gap_recordsDroppedBelowTheCursor_isTold() throws Exception {
        OutletRunner runner = runner(ALL);
        append(EventKind.DATA, EventKind.DATA);
        append(EventKind.DATA);
        Transaction drop = new Transaction();
        drop.dropUpTo(2);
        store.commit(drop);
        settle(runner);
        assertEquals(List.of("1-2", "3"), outlet.ids());
        outlet.taken.clear();

        runner.rewind(new Rewind(Rewind.To.RECORD, 1));
        settle(runner);
        runner.rewind(Rewind.START);
        settle(runner);
        assertEquals(List.of("1-2", "3", "3"), outlet.ids());
    }

    @Test
    void start_newOutlet_beginsWithTheOldestRecordWithoutAGap() throws Exception {
        append(EventKind.DATA, EventKind.DATA);
        append(EventKind.DATA);
        Transaction drop = new Transaction();
        drop.dropUpTo(2);
        store.commit(drop);
        settle(runner(ALL));
        assertEquals(List.of("3"), outlet.ids());
    }

    // ------------------------------------------------------------------ the thread

    @Test
    void close_whileTheReceiverHangs_endsByInterrupt() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        Outlet hanging = new Outlet() {
            @Override
            public void deliver(List<OutletEvent> events, int attempt) throws InterruptedException {
                inside.countDown();
                new CountDownLatch(1).await();
            }

            @Override
            public void close() {}
        };
        append(EventKind.DATA);
        OutletRunner runner = new OutletRunner(
                new OutletSettings("main", ALL, new OutletSettings.Console()),
                hanging,
                store,
                store.reader(),
                cursors,
                "",
                () -> nowMillis,
                () -> random);
        runner.start();
        assertTrue(inside.await(20, TimeUnit.SECONDS));
        runner.end();
        assertTrue(runner.awaitEnd(20_000));
        assertEquals(OutletState.ENDED, runner.status().state());
        assertEquals(0, runner.status().cursor());
    }

    @Test
    void thread_recordsCome_deliversThem() throws Exception {
        CountDownLatch all = new CountDownLatch(2);
        Outlet counting = new Outlet() {
            @Override
            public void deliver(List<OutletEvent> events, int attempt) {
                events.forEach(event -> all.countDown());
            }

            @Override
            public void close() {}
        };
        OutletRunner runner = new OutletRunner(
                new OutletSettings("main", ALL, new OutletSettings.Console()),
                counting,
                store,
                store.reader(),
                cursors,
                "",
                () -> nowMillis,
                () -> random);
        runner.start();
        append(EventKind.DATA);
        append(EventKind.DATA);
        assertTrue(all.await(20, TimeUnit.SECONDS));
        runner.end();
        assertTrue(runner.awaitEnd(20_000));
        assertNotEquals(OutletState.RUNNING, runner.status().state());
    }
}
