package io.heartwheel.store;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The store as its users see it, over a disk in memory; the keeper does its rounds when the test says so. */
@Timeout(60)
class SegmentStoreTest {
    @TempDir
    Path directory;

    private final MemoryDisk disk = new MemoryDisk(new Random(1));
    private final Transaction transaction = new Transaction();
    private long nowMillis = Records.NOW;

    private SegmentStore open(StoreSettings settings) throws StoreException {
        return SegmentStore.open(new SegmentStore.Built(settings, disk, () -> nowMillis, false));
    }

    private SegmentStore open() throws StoreException {
        return open(Records.settings(directory));
    }

    /** Ends a store as the end of its process does. */
    private void kill(SegmentStore store) {
        disk.cut();
        assertThrows(StoreException.class, store::close);
        disk.goOn();
    }

    private static long damagedIn(SegmentStore store) throws IOException {
        return Records.damagedIn(Records.read(store, 0), 1, store.lastNumber());
    }

    @Test
    void open_newDirectory_isEmpty() throws IOException {
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            assertEquals(0, store.lastNumber());
            assertEquals(1, store.firstNumber());
            assertEquals(0, store.recordBytes());
            assertFalse(store.damage().any());
            assertNull(reader.next(0));
            assertEquals(1, reader.firstSince(0));
            assertEquals(List.of(), reader.rows(new byte[0], 10));
            assertTrue(store.id().matches("[0-9a-f]{16}"));
        }
    }

    @Test
    void next_insideABatch_leavesOutWhatIsKnown() throws IOException {
        try (SegmentStore store = open()) {
            Records.append(store, 5);
            Records.append(store, 5);
            assertEquals(List.of(new Range(4, 5, false), new Range(6, 10, false)), Records.read(store, 3));
            assertEquals(List.of(), Records.read(store, 10));
        }
    }

    @Test
    void open_afterACloseAndAfterAKill_hasItAll() throws IOException {
        SegmentStore store = open();
        Records.fill(store, 2);
        store.close();
        store = open();
        Records.append(store, 7);
        long last = store.lastNumber();
        kill(store);
        store = open();
        assertEquals(last, store.lastNumber());
        assertEquals(0, damagedIn(store));
        assertFalse(store.damage().any());
        Records.append(store, 3);
        assertEquals(0, damagedIn(store));
        store.close();
    }

    @Test
    void firstSince_timesBetweenBatchesAndSegments_findsTheNextBatch() throws IOException {
        nowMillis = 100;
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            Records.append(store, 3);
            nowMillis = 200;
            Records.append(store, 3);
            assertEquals(1, reader.firstSince(100));
            assertEquals(4, reader.firstSince(101));
            assertEquals(7, reader.firstSince(201));
            Records.fill(store, 3);
            nowMillis = 300;
            long next = store.lastNumber() + 1;
            Records.append(store, 3);
            assertEquals(next, reader.firstSince(201));
            assertNotNull(reader.next(0));
        }
    }

    @Test
    void await_commitByAnotherThread_wakes() throws Exception {
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            assertFalse(reader.await(0, 1));
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return reader.await(0, 30_000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Records.append(store, 1);
            assertTrue(waiting.get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void open_secondTimeInThisProcess_namesThisProcess() throws IOException {
        try (SegmentStore store = open()) {
            StoreException refused = assertThrows(StoreException.class, this::open);
            assertEquals(
                    directory + ": in use by process " + ProcessHandle.current().pid(), refused.getMessage());
            Records.append(store, 1);
        }
        open().close();
    }

    /** Point 5: also in a journal that is new, or lost; also when the clock is behind. */
    @Test
    void start_newLostOrClockBehind_numbersOnlyGrow() throws IOException {
        SegmentStore store = open();
        long first = store.start().incarnation();
        assertEquals(Records.NOW / 1_000, first);
        assertEquals(0, store.start().previous());
        Records.add(transaction, 1);
        transaction.epoch(77_000);
        store.commit(transaction);
        store.ended();
        store.close();

        long committedMillis = nowMillis;
        nowMillis -= 3_600_000;
        store = open();
        assertEquals(new Store.Start(first + 1, first, true, 77_000, committedMillis), store.start());
        Records.append(store, 1);
        kill(store);
        disk.remove(StoreState.FILE);
        store = open();
        assertEquals(new Store.Start(first + 2, first + 1, false, 77_000, committedMillis - 3_600_000), store.start());
        assertTrue(
                store.damage().text().contains("journal.state is missing or damaged"),
                store.damage().text());
        kill(store);

        MemoryDisk another = new MemoryDisk(new Random(2));
        nowMillis += 3_600_000 + 5_000;
        store = SegmentStore.open(new SegmentStore.Built(
                Records.settings(directory.resolve("another")), another, () -> nowMillis, false));
        assertTrue(store.start().incarnation() > first + 2);
        store.close();
    }

    /** The name of the state is on the disk before an incarnation is told, also if the process that made it ended before that. */
    @Test
    void open_endedBeforeTheNameOfTheStateWasForced_forcesIt() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            MemoryDisk one = new MemoryDisk(new Random(seed));
            SegmentStore.Built with = new SegmentStore.Built(
                    Records.settings(directory.resolve("seed-" + seed)), one, () -> nowMillis, false);
            one.failPowerIn(3);
            assertThrows(StoreException.class, () -> SegmentStore.open(with));
            one.goOn();
            SegmentStore store = SegmentStore.open(with);
            long told = store.start().incarnation();
            one.cut();
            assertThrows(StoreException.class, store::close);
            one.powerOn();
            store = SegmentStore.open(with);
            assertTrue(store.start().incarnation() > told);
            store.close();
        }
    }

    @Test
    void rows_putAndDeleted_areThoseOfTheLog() throws IOException {
        byte[] one = {0, 1};
        byte[] two = {0, 2};
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            Records.put(store, one, new byte[] {7});
            Records.put(store, two, new byte[] {8});
            assertEquals("1=7 2=8", Records.rows(reader, new byte[0]));
            assertEquals("2=8", Records.rows(reader, one));
            Records.add(transaction, store.lastNumber() + 1);
            transaction.delete(one);
            store.commit(transaction);
            transaction.clear();
            assertEquals("2=8", Records.rows(reader, new byte[0]));
            store.forget(two);
            assertEquals("", Records.rows(reader, new byte[0]));
        }
    }

    @Test
    void keep_passedByAllAndOld_isDropped() throws IOException {
        try (SegmentStore store = open()) {
            store.cursors().open("out", 0);
            Records.fill(store, 3);
            store.keep();
            assertEquals(1, store.firstNumber());
            store.cursors().moveTo("out", store.lastNumber());
            store.keep();
            assertEquals(1, store.firstNumber());
            nowMillis += Duration.ofHours(1).toMillis() + 1;
            Records.append(store, 1);
            store.keep();
            assertEquals(2, store.figures().segments(), "what the next but one is old for");
            assertEquals(disk.usedBytes() - disk.bytes(StoreState.FILE).length, store.recordBytes());
            long first = store.firstNumber();
            assertTrue(first > 1);
            assertEquals(0, Records.damagedIn(Records.read(store, 0), first, store.lastNumber()));
        }
        try (SegmentStore store = open()) {
            assertFalse(store.damage().any());
            assertEquals(store.lastNumber() - 1, store.cursors().open("out", 0));
        }
    }

    /** Point 10: an outlet that answers 410 or is paused holds nothing back above three quarters. */
    @Test
    void keep_pausedOutletAndLittleRoom_holdsNothingBack() throws IOException {
        try (SegmentStore store = open()) {
            store.cursors().open("out", 0);
            Records.fill(store, 14);
            store.keep();
            assertEquals(1, store.firstNumber());
            store.cursors().holds("out", false);
            store.keep();
            assertTrue(store.firstNumber() > 1);
            assertTrue(store.recordBytes() <= Records.MAX_BYTES / 4 * 3);
        }
    }

    /** Point 2: a loss of any size is dropped like all else. */
    @Test
    void lost_moreThanAHundredThousandNumbers_areDroppedAsOne() throws IOException {
        SegmentStore store = open();
        Records.append(store, 10);
        long dropped = 0;
        kill(store);
        StoreState state = StoreState.open(disk);
        state.mark(10_000_000_000L, 0);
        state.close();

        store = open();
        assertEquals(10_000_000_000L - 10, store.damage().lostRecords());
        assertEquals(10_000_000_000L, store.lastNumber());
        store.cursors().open("out", dropped);
        Records.fill(store, 2);
        assertEquals(
                List.of(new Range(6, 10, false), new Range(11, 10_000_000_000L, true)),
                Records.read(store, 5).subList(0, 2));
        assertEquals(10_000_000_000L - 10, store.damage().lostRecords());
        store.cursors().moveTo("out", store.lastNumber());
        nowMillis += Duration.ofHours(2).toMillis();
        Records.append(store, 1);
        store.keep();
        assertTrue(store.firstNumber() > 10_000_000_000L);
        store.close();
    }

    /** Point 3: a journal that is full, or whose limit was lowered, starts and is drained. */
    @Test
    void open_limitLowered_startsAndDrains() throws IOException {
        SegmentStore store =
                open(new StoreSettings(directory, StoreSettings.Sync.ALWAYS, 64 << 20, Duration.ofHours(1)));
        while (store.recordBytes() < 2 << 20) {
            Records.append(store, transaction, 100);
        }
        kill(store);
        store = open();
        assertTrue(store.recordBytes() > Records.MAX_BYTES);
        store.cursors().open("out", 0);
        Records.append(store, 1);
        store.cursors().moveTo("out", store.lastNumber());
        store.keep();
        assertTrue(store.recordBytes() < Records.MAX_BYTES);
        store.close();
    }

    /** Point 4: with every outlet done, a full disk heals: what is dropped needs no room. */
    @Test
    void commit_fullDiskAndEveryOutletDone_healsByDropping() throws IOException {
        try (SegmentStore store = open()) {
            store.cursors().open("out", 0);
            Records.fill(store, 3);
            store.keep();
            disk.limit(disk.usedBytes());
            transaction.clear();
            for (int i = 1; i <= 500; i++) {
                Records.add(transaction, store.lastNumber() + i);
            }
            StoreException full = assertThrows(StoreException.class, () -> store.commit(transaction));
            assertEquals(StoreException.Cause.DISK_FULL, full.kind());
            long last = store.lastNumber();
            assertEquals(0, damagedIn(store));
            store.keep();
            assertEquals(1, store.firstNumber());

            store.cursors().moveTo("out", last);
            for (int i = 0; i < 20 && store.lastNumber() == last; i++) {
                store.keep();
                try {
                    store.commit(transaction);
                } catch (StoreException stillFull) {
                    assertEquals(StoreException.Cause.DISK_FULL, stillFull.kind());
                }
            }
            assertEquals(last + 500, store.lastNumber());
            assertEquals(0, Records.damagedIn(Records.read(store, last), last + 1, last + 500));
        }
    }

    /** Point 6: no commit waits for what the keeper does. */
    @Test
    void commit_whileTheKeeperHangs_returns() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (SegmentStore store = open()) {
            Records.fill(store, 14);
            disk.onDelete = () -> {
                hanging.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
            CompletableFuture<Void> keeper = CompletableFuture.runAsync(store::keep);
            hanging.await();
            long last = store.lastNumber();
            Records.fill(store, 2);
            assertTrue(store.lastNumber() > last);
            end.countDown();
            keeper.get();
        }
    }

    /** Point 6: damage at the head is told, and neither commits nor the drop fail of it. */
    @Test
    void keep_damagedHead_isReadOverAndDropped() throws IOException {
        try (SegmentStore store = open()) {
            store.cursors().open("out", 0);
            Records.fill(store, 14);
            byte[] head = disk.bytes(Segment.name(1));
            new Random(3).nextBytes(head);
            Records.append(store, 1);
            assertTrue(Records.damagedIn(Records.read(store, 0), 1, store.lastNumber()) > 0);
            store.cursors().moveTo("out", store.lastNumber());
            store.keep();
            assertTrue(store.firstNumber() > 1);
        }
    }

    /** Point 7: the start reads the last segment, and of each other its head. */
    @Test
    void open_manySegments_readsOnlyTheLast() throws IOException {
        SegmentStore store = open();
        store.cursors().open("out", 0);
        Records.fill(store, 200);
        kill(store);
        long all = disk.usedBytes();
        disk.readBytes = 0;
        store = open();
        assertTrue(disk.readBytes < 200_000);
        assertTrue(disk.readBytes < all / 50);
        kill(store);
    }

    /** Who is present cannot be noted: then that is told, and the journal goes on. */
    @Test
    void keep_viewFailsForLong_isDroppedWithoutItWhenThereIsLittleRoom() throws IOException {
        Files.createDirectories(directory.resolve(PresenceRows.FILE + "/x"));
        try (SegmentStore store = open()) {
            Records.fill(store, 14);
            store.keep();
            assertEquals(1, store.firstNumber());
            for (int i = 0; i < 20; i++) {
                store.keep();
            }
            assertTrue(store.firstNumber() > 1);
            Files.delete(directory.resolve(PresenceRows.FILE + "/x"));
            Files.delete(directory.resolve(PresenceRows.FILE));
            store.keep();
            assertEquals(0, store.figures().keeperLag());
            assertTrue(store.damage().text().contains("is not known"), store.damage()::text);
        }
    }

    @Test
    void damage_withoutEnd_isCountedInATextThatEnds() {
        Store.Damage damage = Store.Damage.NONE;
        for (int i = 0; i < 10_000; i++) {
            damage = damage.and(1, "record " + i + " cannot be read");
        }
        assertEquals(10_000, damage.lostRecords());
        assertTrue(damage.text().length() < 5_000);
    }

    /** What is on the disk has its numbers, whatever fails behind that: the next commit must not give them again. */
    @Test
    void commit_noMemoryForTheMark_isThereOnce() throws Exception {
        boolean[] fails = {false};
        Disk without = proxy(Disk.class, disk, (method, args, result) -> {
            boolean isState = result instanceof Disk.DiskFile && StoreState.FILE.equals(args[0]);
            return !isState
                    ? result
                    : proxy(Disk.DiskFile.class, result, (of, with, done) -> {
                        if (fails[0] && of.equals("write")) {
                            throw new OutOfMemoryError("by the test");
                        }
                        return done;
                    });
        });
        try (SegmentStore store = SegmentStore.open(
                new SegmentStore.Built(Records.settings(directory), without, () -> nowMillis, false))) {
            fails[0] = true;
            Records.append(store, 2);
            fails[0] = false;
            Records.append(store, 3);
            assertEquals(List.of(new Range(1, 2, false), new Range(3, 5, false)), Records.read(store, 0));
        }
    }

    /** What is done with a result. */
    private interface Then {
        Object apply(String method, Object[] args, Object result);
    }

    private static <T> T proxy(Class<T> type, Object to, Then then) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                return then.apply(method.getName(), args, method.invoke(to, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** A record is known by the id that it was written under, also when it is delivered again under another one. */
    @Test
    void next_afterAnotherStart_hasTheIdItWasWrittenUnder() throws IOException {
        SegmentStore store = open();
        String id = store.id();
        Records.append(store, 1);
        kill(store);
        store = open();
        assertNotEquals(id, store.id());
        Records.append(store, 1);
        try (StoreReader reader = store.reader()) {
            assertEquals(id, reader.next(0).store());
            assertEquals(store.id(), reader.next(1).store());
        }
        store.close();
    }

    /** Numbers are given again: not under the same id. And the rows are those of the log that is there. */
    @Test
    void open_oldCopyAfterAGoodEnd_givesNoIdTwice() throws IOException {
        SegmentStore store = open();
        Records.append(store, 5);
        store.ended();
        store.close();
        Map<String, byte[]> copy = new HashMap<>();
        disk.fileNames().forEach(name -> copy.put(name, disk.bytes(name).clone()));
        Set<String> ids = new HashSet<>();
        for (byte copied = 0; copied < 2; copied++) {
            store = open();
            Records.put(store, new byte[] {0, copied}, new byte[] {copied});
            try (StoreReader reader = store.reader()) {
                assertTrue(ids.add(requireNonNull(reader.next(5)).store()));
                assertEquals(copied == 0 ? "0=0" : "0=0 1=1", Records.rows(reader, new byte[0]));
            }
            assertEquals(0, store.figures().keeperLag());
            store.ended();
            store.close();
            disk.fileNames().forEach(disk::remove);
            copy.forEach(disk::put);
        }
    }

    @Test
    void damage_foundByAReader_isToldOnce() throws IOException {
        try (SegmentStore store = open()) {
            Records.fill(store, 3);
            disk.bytes(Segment.name(1))[10_000] ^= 1;
            AtomicInteger told = new AtomicInteger();
            store.onDamage(told::incrementAndGet);
            List<Range> first = Records.read(store, 0);
            long damaged = Records.damagedIn(first, 1, store.lastNumber());
            assertEquals(40, damaged);
            assertEquals(first, Records.read(store, 0));
            assertEquals(1, told.get());
            assertEquals(40, store.damage().lostRecords());
        }
    }

    @Test
    void read_failsForAWhile_isReadOnceItCan() throws IOException {
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            Records.append(store, 5);
            disk.failOften(1);
            assertThrows(StoreException.class, () -> reader.next(0));
            disk.failOften(0);
            assertEquals(5, reader.next(0).count());
        }
    }

    /** Were the next segment lost, a reader would take what stands behind the end of this one for its records. */
    @Test
    void commit_failsAndTheFileCannotBeCut_isCutByTheKeeper() throws IOException {
        try (SegmentStore store = open()) {
            Records.append(store, 10);
            long committed = store.segments()[0].end;
            Records.add(transaction, 11);
            disk.failOften(1);
            assertThrows(StoreException.class, () -> store.commit(transaction));
            disk.failOften(0);
            assertTrue(disk.bytes(Segment.name(1)).length > committed);
            store.keep();
            assertEquals(committed, disk.bytes(Segment.name(1)).length);
        }
    }

    @Test
    void commit_failsForAWhile_isThereOnce() throws IOException {
        try (SegmentStore store = open()) {
            Records.append(store, 10);
            for (int i = 1; i <= 5; i++) {
                Records.add(transaction, 10 + i);
            }
            disk.failOften(1);
            assertThrows(StoreException.class, () -> store.commit(transaction));
            assertEquals(10, store.lastNumber());
            assertEquals(1, store.figures().failures());
            disk.failOften(0);
            assertEquals(0, damagedIn(store));
            store.commit(transaction);
            assertEquals(0, damagedIn(store));
            assertEquals(15, store.lastNumber());
        }
    }

    @Test
    void open_journalOfAnEarlierVersion_tellsWhatToDo() throws IOException {
        disk.put("journal.db", new byte[100]);
        try (SegmentStore store = open()) {
            assertTrue(
                    store.damage().text().contains("journal.db is of an earlier version"),
                    store.damage().text());
        }
        try (SegmentStore store = open()) {
            assertFalse(store.damage().any());
        }
    }
}
