package io.heartwheel.outlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transaction;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A runner whose time, chance and receiver are the test's. */
class OutletRunnerTest {
    private static final long START = 1_767_225_600_000L;
    private static final Set<EventKind> ALL = EnumSet.allOf(EventKind.class);

    private MemoryStore store = new MemoryStore();
    private final FakeOutlet outlet = new FakeOutlet();
    private OutletRunner runner;
    private long nowMillis = START;
    /** Of the wall clock alone. */
    private long clockStepMillis;

    private double random = 1;
    /** A file without which the outlet cannot be opened; null: none is missing. */
    private String missing;

    /** Takes what it is given, and fails as it was told to. */
    private static final class FakeOutlet implements Outlet {
        final List<OutletEvent> taken = new ArrayList<>();
        final List<Integer> attempts = new ArrayList<>();
        final Deque<OutletException> failures = new ArrayDeque<>();
        final List<Integer> sizes = new ArrayList<>();
        boolean unsettled;
        IOException idleFailure;

        @Override
        public boolean isSettled() {
            return !unsettled;
        }

        @Override
        public long idle() throws IOException {
            IOException failure = idleFailure;
            idleFailure = null;
            if (failure != null) {
                throw failure;
            }
            return NOT_AGAIN;
        }

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
        return runner(wanted, outlet);
    }

    private OutletRunner runner(Set<EventKind> wanted, Outlet to) throws StoreException {
        OutletSettings settings = new OutletSettings("main", wanted, new OutletSettings.Console());
        return new OutletRunner(
                settings,
                () -> open(to),
                store,
                "a",
                () -> nowMillis + clockStepMillis,
                () -> nowMillis * 1_000_000 + Long.MAX_VALUE,
                () -> random);
    }

    private Outlet open(Outlet to) throws IOException {
        if (missing != null) {
            throw new NoSuchFileException(missing);
        }
        return to;
    }

    private void append(int records, String json) throws StoreException {
        Transaction transaction = new Transaction();
        for (int i = 0; i < records; i++) {
            add(transaction, EventKind.DATA.number(), json);
        }
        store.commit(transaction);
    }

    /** Delivers what there is, and compares all that was taken. */
    private void assertDelivered(String... ids) throws InterruptedException {
        settle();
        assertEquals(List.of(ids), outlet.ids());
    }

    private void rewind(Rewind to) throws Exception {
        runner.rewind(to);
        settle();
    }

    private void drop(long upTo) {
        store.drop(upTo);
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
    private long settle() throws InterruptedException {
        return settle(runner);
    }

    private static long settle(OutletRunner runner) throws InterruptedException {
        long wait = 0;
        while (wait == 0) {
            wait = runner.step();
        }
        return wait;
    }

    // ------------------------------------------------------------------ delivery

    @BeforeEach
    void open() throws StoreException {
        runner = runner(ALL);
    }

    @Test
    void deliver_all_inOrderAndCursorMoves() throws Exception {
        append(EventKind.CONNECTED, EventKind.DATA);
        append(EventKind.DISCONNECTED);
        assertDelivered("1", "2", "3");
        assertEquals("d", outlet.taken.get(0).device());
        assertEquals("{\"event\":\"connected\"}", new String(outlet.taken.get(0).json(), StandardCharsets.UTF_8));
        OutletStatus status = runner.status();
        assertEquals(OutletState.RUNNING, status.state());
        assertEquals(3, status.cursor());
        assertEquals(0, status.lagEvents());
        assertEquals(3, status.delivered());
        assertEquals(3, store.least(false));
    }

    @Test
    void deliver_filtered_passesOverTheRestAndMovesTheCursor() throws Exception {
        runner = runner(Set.of(EventKind.DATA));
        append(EventKind.CONNECTED, EventKind.DATA, EventKind.GAP, EventKind.DISCONNECTED);
        settle();

        assertEquals(List.of("2", "3"), outlet.ids(), "a gap is delivered in any case");
        assertEquals(4, runner.status().cursor());
    }

    @Test
    void deliver_manyEvents_comeInBoundedChunks() throws Exception {
        append(2_500, "{}");
        settle();

        assertEquals(List.of(2_048, 452), outlet.sizes);
        assertEquals(2_500, outlet.taken.size());
    }

    @Test
    void deliver_largeEvents_areBoundedInBytes() throws Exception {
        append(5, "x".repeat(600_000));
        settle();

        assertEquals(List.of(2, 2, 1), outlet.sizes);
    }

    @Test
    void deliver_typeOfALaterVersion_isSkippedAndCounted() throws Exception {
        store.append(200, "d", "{}");
        append(EventKind.DATA);
        assertDelivered("2");
        assertEquals(1, runner.status().skipped());
    }

    @Test
    void start_cursorStored_goesOnThereAndMayRepeat() throws Exception {
        store = new MemoryStore();
        append(EventKind.CONNECTED, EventKind.DATA);
        settle(runner(ALL));
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
        append(EventKind.DATA);
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            outlet.failures.add(failure());
        }
        while (!outlet.failures.isEmpty()) {
            long wait = settle();
            waits.add(wait);
            append(EventKind.DATA);
            assertEquals(OutletState.RETRYING, runner.status().state());
            assertEquals(wait, runner.status().nextAttemptMillis());
            nowMillis += wait;
        }
        settle();

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
        append(EventKind.DATA);
        random = 0.25;
        outlet.failures.add(failure());
        assertEquals(50, settle());
    }

    @Test
    void failure_retryAfter_isObeyedUpToTenMinutes() throws Exception {
        append(EventKind.DATA);
        outlet.failures.add(OutletException.retry("busy", 5_000, null));
        assertEquals(5_000, settle());
        nowMillis += 5_000;
        outlet.failures.add(OutletException.retry("busy", 86_400_000, null));
        assertEquals(600_000, settle());
    }

    @Test
    void failure_ofTheJournal_isRetried() throws Exception {
        append(EventKind.DATA);
        store.failWith(new StoreException(StoreException.Cause.OTHER, "broken"));
        assertEquals(200, settle());
        assertEquals("journal: broken", runner.status().lastError());
        store.failWith(null);
        nowMillis += 200;
        assertDelivered("1");
        assertEquals(OutletState.RUNNING, runner.status().state());
    }

    @Test
    void failure_wallClockSetBack_keepsItNoLonger() throws Exception {
        append(EventKind.DATA);
        outlet.failures.add(failure());
        assertEquals(200, settle());
        clockStepMillis = -86_400_000;
        assertEquals(200, runner.status().nextAttemptMillis());
        nowMillis += 200;
        assertDelivered("1");
    }

    @Test
    void open_fileOfItsOwnIsMissing_isToldAndTriedAgain() throws Exception {
        missing = "/etc/secret";
        append(EventKind.DATA);
        assertEquals(200, settle());
        assertEquals("NoSuchFileException: /etc/secret", runner.status().lastError());
        assertEquals(OutletState.RETRYING, runner.status().state());
        assertEquals(START, runner.status().oldestEpochMillis());
        missing = null;
        nowMillis += 200;
        assertDelivered("1");
    }

    // ------------------------------------------------------------------ settled

    @Test
    void cursor_whatIsNotSettled_isNotPassed() throws Exception {
        outlet.unsettled = true;
        append(EventKind.DATA);
        append(EventKind.DATA);
        assertDelivered("1", "2");
        assertEquals(0, runner.status().cursor());
        assertEquals(0, store.least(false));
        outlet.unsettled = false;
        settle();
        assertEquals(2, runner.status().cursor());
    }

    @Test
    void failure_ofWhatIsNotSettled_deliversAllOfItAgain() throws Exception {
        append(EventKind.DATA);
        settle();
        outlet.unsettled = true;
        append(EventKind.DATA);
        settle();
        outlet.idleFailure = new IOException("disk");
        assertEquals(200, settle());
        assertEquals("disk", runner.status().lastError());
        append(EventKind.DATA);
        outlet.failures.add(failure());
        nowMillis += 200;
        settle();
        nowMillis += 400;
        assertDelivered("1", "2", "2", "3");
        outlet.unsettled = false;
        settle();
        assertEquals(3, runner.status().cursor());
    }

    @Test
    void status_whileItFails_tellsLagAndAge() throws Exception {
        append(EventKind.DATA);
        nowMillis += 7_000;
        append(EventKind.DATA, EventKind.DATA);
        outlet.failures.add(failure());
        settle();

        assertEquals(3, runner.status().lagEvents());
        assertEquals(7_000, runner.status().oldestAgeMillis(nowMillis));
    }

    // ------------------------------------------------------------------ pause and rewind

    @Test
    void pause_thenResume_losesNothing() throws Exception {
        runner.pause();
        append(EventKind.DATA);
        settle();
        assertEquals(OutletState.PAUSED, runner.status().state());
        assertEquals(List.of(), outlet.ids());
        nowMillis += 1_000;
        assertEquals(1_000, runner.status().oldestAgeMillis(nowMillis));
        assertEquals(Long.MAX_VALUE, store.least(true), "the journal may drop what it has not delivered");
        runner.resume();
        assertDelivered("1");
        assertEquals(1, store.least(true));
    }

    @Test
    void pause_byTheReceiver_lastsUntilResumed() throws Exception {
        append(EventKind.DATA);
        outlet.failures.add(OutletException.pause("gone"));
        settle();
        assertEquals(OutletState.PAUSED, runner.status().state());
        nowMillis += 86_400_000;
        settle();
        assertEquals(1, outlet.attempts.size());
        assertEquals(Long.MAX_VALUE, store.least(true));
        runner.resume();
        assertDelivered("1");
    }

    @Test
    void resume_whileItWaits_triesAtOnce() throws Exception {
        append(EventKind.DATA);
        outlet.failures.add(failure());
        settle();
        runner.resume();
        assertDelivered("1");
    }

    @Test
    void rewind_toRecordTimeAndStart_deliversAgainAsRepeats() throws Exception {
        append(EventKind.DATA, EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA);
        settle();
        outlet.taken.clear();

        rewind(new Rewind(Rewind.To.RECORD, 2));
        rewind(new Rewind(Rewind.To.TIME, START + 1));
        runner.rewind(Rewind.START);
        assertDelivered("2", "3", "3", "1", "2", "3");
        assertEquals(List.of(2, 2, 2, 2), outlet.attempts);
        assertThrows(IllegalArgumentException.class, () -> runner.rewind(new Rewind(Rewind.To.RECORD, 5)));
        assertThrows(IllegalArgumentException.class, () -> runner.rewind(new Rewind(Rewind.To.RECORD, 0)));
    }

    @Test
    void rewind_whileTheJournalFails_isTriedAgainAndThenDone() throws Exception {
        append(EventKind.DATA);
        settle();
        store.failWith(new StoreException(StoreException.Cause.OTHER, "broken"));
        runner.rewind(new Rewind(Rewind.To.TIME, 0));
        assertEquals(200, settle());
        nowMillis += 200;
        assertEquals(400, settle());
        store.failWith(null);
        nowMillis += 400;
        assertDelivered("1", "1");
    }

    @Test
    void rewind_whileItFails_givesUpTheChunk() throws Exception {
        append(EventKind.DATA, EventKind.DATA);
        outlet.failures.add(failure());
        settle();
        runner.rewind(new Rewind(Rewind.To.RECORD, 2));
        assertDelivered("2");
    }

    // ------------------------------------------------------------------ what is missing

    @Test
    void gap_damagedBatch_isToldInItsPlace() throws Exception {
        runner = runner(Set.of(EventKind.DATA));
        append(EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA, EventKind.DATA, EventKind.DATA);
        nowMillis += 1_000;
        append(EventKind.DATA);
        store.damage(3);
        assertDelivered("1", "2-4", "5");
        assertEquals(EventKind.GAP, outlet.taken.get(1).kind());
        assertEquals(
                "{\"event\":\"gap\",\"at\":\"2026-01-01T00:00:02.000Z\",\"from\":\"2026-01-01T00:00:00.000Z\","
                        + "\"to\":\"2026-01-01T00:00:01.000Z\",\"lost\":{\"unknown\":3},\"instance\":\"a\"}",
                new String(outlet.taken.get(1).json(), StandardCharsets.UTF_8));
        assertEquals(5, runner.status().cursor());
    }

    @Test
    void gap_recordsDroppedBelowTheCursor_isTold() throws Exception {
        append(EventKind.DATA, EventKind.DATA);
        append(EventKind.DATA);
        drop(2);
        assertDelivered("1-2", "3");
        outlet.taken.clear();

        rewind(new Rewind(Rewind.To.RECORD, 1));
        runner.rewind(Rewind.START);
        assertDelivered("1-2", "3", "3");
    }

    @Test
    void start_newOutlet_beginsWithTheOldestRecordWithoutAGap() throws Exception {
        store = new MemoryStore();
        append(EventKind.DATA, EventKind.DATA);
        append(EventKind.DATA);
        drop(2);
        settle(runner(ALL));
        assertEquals(List.of("3"), outlet.ids());
    }

    // ------------------------------------------------------------------ the thread

    @Test
    void close_whileTheReceiverHangs_endsByInterruptAndRefusesWhatWasOrdered() throws Exception {
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
        runner = runner(ALL, hanging);
        runner.start(new ThreadProgress("outlet"));
        assertTrue(inside.await(20, TimeUnit.SECONDS));
        CompletableFuture<OutletStatus> ordered = runner.rewind(Rewind.START);
        runner.end();
        assertTrue(runner.awaitEnd(20_000));
        assertEquals(OutletState.ENDED, runner.status().state());
        assertEquals(0, runner.status().cursor());
        for (CompletableFuture<OutletStatus> refused : List.of(ordered, runner.rewind(Rewind.START))) {
            assertThrows(ExecutionException.class, () -> refused.get(20, TimeUnit.SECONDS));
        }
    }

    /** Each step is a sign of life: in one step over all that is not wanted a healthy thread would count as standing still. */
    @Test
    void step_muchThatIsNotWanted_isPassedOverInSteps() throws Exception {
        for (int i = 0; i < 20; i++) {
            append(1, "x".repeat(1 << 20));
        }
        runner = runner(EnumSet.of(EventKind.GAP));
        assertEquals(0, runner.step());
        assertEquals(16, runner.status().cursor());
        assertEquals(0, runner.step());
        assertEquals(20, runner.status().cursor());
        assertTrue(runner.step() > 0);
    }

    /** A network file system that does not answer is a receiver like any other. */
    @Test
    void thread_openingHangs_isAtRest() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        ThreadSupervisor threads = new ThreadSupervisor((progress, why) -> {}, () -> {});
        AtomicLong nowNanos = new AtomicLong();
        threads.begin(new TimingWheel(20_000_000L, 64, 100, 0), nowNanos::get);
        OutletSettings settings = new OutletSettings("main", ALL, new OutletSettings.Console());
        Outlet.Opener opener = () -> {
            inside.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new ClosedByInterruptException();
            }
            return outlet;
        };
        runner = new OutletRunner(settings, opener, store, "a", () -> nowMillis, () -> 0, () -> random);
        runner.start(threads.watch("outlet"));
        assertTrue(inside.await(20, TimeUnit.SECONDS));
        for (int second = 1; second < 60; second++) {
            nowNanos.set(second * 1_000_000_000L);
            threads.deadlineNanos(); // the wheel asks for it
        }
        assertEquals(List.of(), threads.problems());
        runner.end();
        assertTrue(runner.awaitEnd(20_000));
    }

    @Test
    void thread_recordsCome_deliversThemUntilItEnds() throws Exception {
        runner.start(new ThreadProgress("outlet"));
        append(EventKind.DATA);
        append(EventKind.DATA);
        while (runner.status().delivered() < 2) {
            Thread.onSpinWait();
        }
        runner.end();
        assertTrue(runner.awaitEnd(20_000));
        assertEquals(List.of("1", "2"), outlet.ids());
        assertEquals(OutletState.ENDED, runner.status().state());
    }
}
