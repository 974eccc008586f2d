package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.store.Records.Range;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segments that cannot be opened, cannot be read in part, or are gone while they are written. */
@Timeout(60)
class UnreadableSegmentTest {
    @TempDir
    Path directory;

    private final MemoryDisk disk = new MemoryDisk(new Random(1));

    private SegmentStore open(long maxBytes) throws StoreException {
        StoreSettings settings = new StoreSettings(directory, StoreSettings.Sync.ALWAYS, maxBytes, Duration.ofHours(1));
        return SegmentStore.open(new SegmentStore.Built(settings, disk, () -> Records.NOW, false));
    }

    private SegmentStore open() throws StoreException {
        return open(Records.MAX_BYTES);
    }

    /** As outlets do it: what fails is tried again. */
    private static RecordBatch next(StoreReader reader, long after) throws StoreException {
        for (int i = 1; ; i++) {
            try {
                return reader.next(after);
            } catch (StoreException e) {
                assertTrue(i < LogReader.TRIES, e::toString);
            }
        }
    }

    @Test
    void next_segmentThatCannotBeOpened_isDamagedAfterSomeTries() throws IOException {
        SegmentStore store = open();
        Records.fill(store, 3);
        long second = store.segments()[1].first;
        long third = store.segments()[2].first;
        disk.unopened.add(Segment.name(second));
        store.close();
        store = open();
        try (StoreReader reader = store.reader()) {
            RecordBatch batch = next(reader, second - 1);
            assertTrue(batch.isDamaged());
            assertEquals(third - 1, batch.lastNumber());
            assertEquals(third - second, store.damage().lostRecords());
            assertFalse(next(reader, third - 1).isDamaged());
        }
        store.close();
    }

    /** What heals by itself is no damage: descriptors come back, a disk does. */
    @Test
    void next_nothingCanBeOpened_isTriedAgain() throws IOException {
        try (SegmentStore store = open();
                StoreReader reader = store.reader()) {
            Records.append(store, 3);
            disk.unopened.addAll(List.of(Segment.name(1), StoreState.FILE));
            for (int i = 0; i < 10; i++) {
                assertThrows(StoreException.class, () -> reader.next(0));
            }
            disk.unopened.clear();
            assertEquals(3, next(reader, 0).count());
            assertFalse(store.damage().any());
        }
    }

    /** Nothing is passed over because of a file that is away, refused or not read for as long as an outlet tries some times. */
    @Test
    void next_segmentIsBackInTime_isNoLoss() throws IOException {
        try (SegmentStore store = open()) {
            Records.append(store, 3);
            String name = Segment.name(1);
            byte[] bytes = disk.bytes(name);
            healsInTime(store, () -> disk.unopened.add(name), disk.unopened::clear);
            healsInTime(store, () -> disk.remove(name), () -> disk.put(name, bytes));
            healsInTime(
                    store,
                    () -> {
                        disk.unreadableFrom = 0;
                        disk.unreadableTo = 1_000_000;
                    },
                    () -> disk.unreadableFrom = Long.MAX_VALUE);
            assertFalse(store.damage().any(), store.damage()::text);
        }
    }

    private static void healsInTime(SegmentStore store, Runnable fault, Runnable heal) throws StoreException {
        try (StoreReader reader = store.reader()) {
            fault.run();
            for (int i = 1; i < LogReader.TRIES; i++) {
                assertThrows(StoreException.class, () -> reader.next(0));
            }
            heal.run();
            assertEquals(3, reader.next(0).count());
        }
    }

    /** The newest one cannot be opened, and nothing else says how far it went: none of its numbers is given again, and it is read once it can be. */
    @Test
    void open_lastSegmentCannotBeOpenedAndNoState_goesOnBehindIt() throws IOException {
        SegmentStore store = open();
        Records.append(store, 3);
        store.close();
        disk.unopened.add(Segment.name(1));
        disk.remove(StoreState.FILE);
        store = open();
        assertTrue(store.damage().any());
        long last = store.lastNumber();
        Records.append(store, 2);
        disk.unopened.clear();
        assertEquals(
                List.of(new Range(1, 3, false), new Range(4, last, true), new Range(last + 1, last + 2, false)),
                Records.read(store, 0));
        store.close();
    }

    /** After a power failure the state may know nothing of the newest records, and then nobody else does. */
    @Test
    void open_lastSegmentCannotBeOpenedAndStateIsBehind_tellsOfALoss() throws IOException {
        SegmentStore store = open();
        byte[] state = disk.bytes(StoreState.FILE).clone();
        Records.append(store, 3);
        store.close();
        disk.put(StoreState.FILE, state);
        disk.unopened.add(Segment.name(1));
        store = open();
        assertTrue(store.damage().text().contains("cannot be read to its end"), store.damage()::text);
        store.close();
    }

    /** Whoever reads from an earlier place again and again gets over it too: a rewind to a time, the view of who is present. */
    @Test
    void read_goodPlacesBeforeTheOneThatCannotBeRead_endsAfterSomeTries() throws IOException {
        try (SegmentStore store = open(64 << 20);
                StoreReader reader = store.reader()) {
            while (disk.usedBytes() < 300_000) {
                Records.append(store, 10);
            }
            disk.unreadableFrom = 100_000;
            disk.unreadableTo = 100_001;
            for (int i = 1; i < LogReader.TRIES; i++) {
                assertThrows(StoreException.class, () -> reader.firstSince(Records.NOW + 1));
                store.keep();
            }
            assertEquals(store.lastNumber() + 1, reader.firstSince(Records.NOW + 1));
            store.keep();
            assertEquals(0, store.figures().keeperLag());
        }
    }

    /** Each read may take seconds: a large area takes a few, and what follows is read. */
    @Test
    void next_largeAreaCannotBeRead_isPassedInFewReads() throws IOException {
        try (SegmentStore store = open(64 << 20)) {
            while (disk.usedBytes() < 3_500_000) {
                Records.append(store, 100);
            }
            disk.unreadableFrom = 200_000;
            disk.unreadableTo = 1_000_000;
            long damaged = 0;
            long whole = 0;
            try (StoreReader reader = store.reader()) {
                for (RecordBatch batch = next(reader, 0); batch != null; batch = next(reader, batch.lastNumber())) {
                    damaged += batch.isDamaged() ? batch.count() : 0;
                    whole += batch.isDamaged() ? 0 : batch.count();
                }
            }
            assertEquals(store.lastNumber(), damaged + whole);
            assertEquals(damaged, store.damage().lostRecords());
            assertTrue(whole > store.lastNumber() / 3, whole + " of " + store.lastNumber());
            assertTrue(disk.failedReads < 20, () -> disk.failedReads + " reads");
        }
    }

    @Test
    void keep_fileThatIsWrittenIsGone_beginsAnother() throws IOException {
        SegmentStore store = open();
        Records.append(store, 3);
        disk.remove(Segment.name(1));
        store.keep();
        Records.append(store, 2);
        store.close();
        store = open();
        assertEquals(List.of(new Range(4, 5, false)), Records.read(store, 0));
        assertEquals(3, store.damage().lostRecords());
        store.close();
    }

    /** A snapshot follows it, whoever asks for that. */
    @Test
    void damage_foundByTheStart_isToldToTheListener() throws IOException {
        SegmentStore store = open();
        Records.append(store, 7);
        store.close();
        disk.remove(Segment.name(1));
        store = open();
        AtomicInteger told = new AtomicInteger();
        store.onDamage(told::incrementAndGet);
        assertEquals(1, told.get());
        Records.read(store, 0);
        assertEquals(1, told.get());
        store.close();
    }

    @Test
    void damage_foundInASegmentThatIsDroppedMeanwhile_isNoFault() throws IOException {
        try (SegmentStore store = open()) {
            Records.fill(store, 20);
            Segment first = store.segments()[0];
            store.keep();
            assertTrue(store.firstNumber() > 5);
            store.foundDamaged(first, 1, 5);
            assertEquals(5, store.damage().lostRecords());
        }
    }
}
