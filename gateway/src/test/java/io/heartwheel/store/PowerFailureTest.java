package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power failures and ends of the process, over a disk in memory: a store is used at random, until in the middle of a random call everything ends. What was
 * acknowledged must be there; of the commit under way all or nothing; nothing is told as damage; numbers and cursors only go on.
 *
 * <p>300 ends in each build; more with {@code mvn -q -am -pl gateway test -Dtest=PowerFailureTest -Dheartwheel.power-failures=10000}, the same ones
 * with {@code -Dtest.seed=N}.
 */
class PowerFailureTest {
    private static final int FAILURES = Integer.getInteger("heartwheel.power-failures", 300);
    private static final int ENDS_OF_A_DISK = 6;
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final String OUTLET = "out";

    @TempDir
    Path directory;

    private Random random;
    private MemoryDisk disk;
    private SegmentStore store;
    private boolean faults;
    private final Transaction transaction = new Transaction();

    // what must be there
    private long acknowledged;
    private long tried;
    private long passed;
    private long incarnation;
    private long epoch;
    private long nowMillis;

    @Test
    void open_endsAtAnyCall_hasWhatWasAcknowledged() throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("PowerFailureTest seed " + seed);
        Path base = Files.isWritable(IN_MEMORY) ? Files.createTempDirectory(IN_MEMORY, "store") : directory;
        try {
            for (int run = 0; run * ENDS_OF_A_DISK < FAILURES; run++) {
                random = new Random(seed + run);
                String name = "seed " + (seed + run) + " ";
                try {
                    useAndEnd(Files.createDirectory(base.resolve("run-" + run)));
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(name + e + " on " + disk, e);
                }
                delete(base.resolve("run-" + run));
            }
        } finally {
            if (!base.equals(directory)) {
                delete(base);
            }
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void useAndEnd(Path own) throws IOException {
        disk = new MemoryDisk(random);
        faults = random.nextInt(3) == 0;
        nowMillis = Records.NOW;
        acknowledged = 0;
        tried = 0;
        passed = 0;
        incarnation = 0;
        epoch = 0;
        for (int i = 0; i < ENDS_OF_A_DISK; i++) {
            disk.failPowerIn(1 + random.nextInt(random.nextBoolean() ? 400 : 30));
            try {
                start(own);
                while (!disk.isOff()) {
                    step();
                }
                store.close();
            } catch (IOException e) {
                assertTrue(disk.isOff() || faults, e::toString);
                disk.cut();
                closeQuietly();
            }
            store = null;
            if (random.nextBoolean()) {
                disk.powerOn();
            } else {
                disk.goOn();
            }
            start(own);
            compare();
            store.close();
            store = null;
        }
    }

    private void closeQuietly() {
        try {
            if (store != null) {
                store.close();
            }
        } catch (IOException e) {
            // as it is with a disk without power
        }
    }

    private void start(Path own) throws IOException {
        StoreSettings settings = Records.settings(own);
        store = SegmentStore.open(new SegmentStore.Built(settings, disk, () -> nowMillis, false));
        assertTrue(store.start().incarnation() > incarnation, () -> "incarnation " + store.start());
        incarnation = store.start().incarnation();
        assertTrue(store.start().greatestEpoch() >= epoch, () -> "epoch " + store.start());
        long cursor = store.cursors().open(OUTLET, 0);
        assertTrue(cursor <= passed, () -> "cursor " + cursor + ", moved to " + passed);
        assertTrue(store.firstNumber() <= cursor + 1, () -> "cursor " + cursor + ", first " + store.firstNumber());
        assertTrue(store.lastNumber() >= acknowledged, () -> store.lastNumber() + " of " + acknowledged);
        assertTrue(store.lastNumber() <= tried, () -> store.lastNumber() + " of " + tried);
        acknowledged = store.lastNumber();
    }

    private void step() throws IOException {
        switch (random.nextInt(12)) {
            case 0 -> store.keep();
            case 1 -> {
                passed = Math.min(Math.max(passed, acknowledged), passed + random.nextInt(400));
                store.cursors().moveTo(OUTLET, passed);
            }
            case 2 -> nowMillis += random.nextInt(3_600_000) - 600_000;
            case 3 -> {
                if (faults) {
                    disk.failOften(random.nextInt(3) == 0 ? 0.3 : 0);
                    disk.limit(random.nextInt(3) == 0 ? disk.usedBytes() + random.nextInt(50_000) : Long.MAX_VALUE);
                }
            }
            default -> commit();
        }
    }

    private void commit() throws IOException {
        transaction.clear();
        int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 300 : 20);
        for (int i = 1; i <= count; i++) {
            long number = acknowledged + i;
            Records.add(transaction, number);
            if (number % 5 == 0) {
                transaction.put(key(number), Records.payload(number, 20));
            } else if (number % 5 == 3 && number > 8) {
                transaction.delete(key(number - 8));
            }
        }
        transaction.epoch(acknowledged + count);
        tried = Math.max(tried, acknowledged + count);
        try {
            store.commit(transaction);
            acknowledged += count;
            epoch = acknowledged;
        } catch (StoreException e) {
            assertTrue(disk.isOff() || faults, e::toString);
        }
        assertEquals(acknowledged, store.lastNumber());
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    /** What it has, against what it must have. */
    private void compare() throws IOException {
        List<Records.Range> ranges = Records.read(store, 0);
        long damaged = ranges.isEmpty() && store.firstNumber() > acknowledged
                ? 0
                : Records.damagedIn(
                        ranges, Math.min(store.firstNumber(), ranges.get(0).first()), acknowledged);
        if (disk.failedForces == 0) {
            assertFalse(store.damage().any(), () -> store.damage().text());
            assertEquals(0, damaged);
        }
        assertTrue(damaged <= store.damage().lostRecords(), () -> store.damage().text());
        rows();
    }

    /** Those put by number 5, 10, ... and not deleted by the number 8 behind. */
    private void rows() throws IOException {
        try (StoreReader reader = store.reader()) {
            TreeSet<Long> found = new TreeSet<>();
            for (StoreReader.Row row : reader.rows(new byte[0], Integer.MAX_VALUE)) {
                found.add(ByteBuffer.wrap(row.key()).getLong());
            }
            TreeSet<Long> expected = new TreeSet<>();
            for (long number = 5; number <= acknowledged; number += 5) {
                if (number + 8 > acknowledged) {
                    expected.add(number);
                }
            }
            if (disk.failedForces == 0) {
                assertEquals(expected, found);
            }
        }
    }
}
