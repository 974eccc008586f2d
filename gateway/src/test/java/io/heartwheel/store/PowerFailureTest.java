package io.heartwheel.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power failures, simulated. A store is used, and its files are copied at each point where SQLite has forced them: after each commit (the log) and after each
 * checkpoint (the database; the log was forced before, and is used again only afterwards). A failure in between leaves the forced bytes and any of the sectors
 * that were written since, one of them cut, and a file of any length between the two. Only a new header of the log is forced before the frames behind
 * it are written. The mark is never forced and may be of any time before.
 *
 * <p>300 failures in each build; more with {@code mvn -q -am -pl gateway test -Dtest=PowerFailureTest -Dheartwheel.power-failures=10000}, the same ones
 * with {@code -Dtest.seed=N}.
 */
class PowerFailureTest {
    private static final int FAILURES = Integer.getInteger("heartwheel.power-failures", 300);
    private static final int OF_ONE_RUN = 100;
    private static final int STEPS = 60;
    private static final int SECTOR = 512;
    private static final byte[] COUNTER = {1};

    @TempDir
    Path directory;

    /** Content of a store between two steps. */
    private record State(StoreFiles files, long first, long last, long counter) {}

    @Test
    void open_powerFailedAnywhere_hasAllThatWasAcknowledgedAndNothingElse() throws IOException {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("PowerFailureTest " + FAILURES + " failures, seed " + seed);
        Random random = new Random(seed);
        List<State> states = List.of();
        int torn = 0;
        for (int failure = 0; failure < FAILURES; failure++) {
            if (failure % OF_ONE_RUN == 0) {
                states = recorded(random, directory.resolve("run-" + failure));
            }
            int step = random.nextInt(states.size() - 1);
            StoreFiles mark = states.get(random.nextInt(step + 1)).files();
            StoreFiles left =
                    left(states.get(step).files(), states.get(step + 1).files(), mark, random);
            if (!check(left, states.get(step), states.get(step + 1), "seed " + seed + ", failure " + failure)) {
                torn++;
            }
        }
        System.out.println("PowerFailureTest: the commit under way was gone " + torn + " times of " + FAILURES);
        assertTrue(torn > FAILURES / 10 && torn < FAILURES, "both outcomes are seen");
    }

    private static List<State> recorded(Random random, Path directory) throws IOException {
        List<State> states = new ArrayList<>();
        Transaction transaction = new Transaction();
        long counter = 0;
        try (SqliteStore store = open(directory, 1)) {
            for (int step = 0; step < STEPS; step++) {
                if (step > 0 && random.nextInt(6) == 0) {
                    store.checkpoint();
                } else {
                    counter++;
                    commit(store, transaction, counter, random);
                }
                states.add(new State(StoreFiles.of(directory), store.firstNumber(), store.lastNumber(), counter));
            }
        }
        return states;
    }

    private static void commit(SqliteStore store, Transaction transaction, long counter, Random random)
            throws IOException {
        transaction.clear();
        int count = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(random.nextInt(8) == 0 ? 200 : 20);
        for (int i = 1; i <= count; i++) {
            Records.add(transaction, store.lastNumber() + i);
        }
        transaction.put(RowSpace.META, COUNTER, bytes(counter));
        if (random.nextInt(10) == 0) {
            transaction.dropUpTo(random.nextLong(store.lastNumber() + 1));
        }
        store.commit(transaction);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    /** As a machine that was started anew. */
    private static SqliteStore open(Path directory, long boot) throws StoreException {
        return SqliteStore.open(new StoreSettings(directory, SyncPolicy.ALWAYS), () -> Records.NOW, boot);
    }

    private static StoreFiles left(StoreFiles before, StoreFiles after, StoreFiles mark, Random random) {
        boolean checkpoint = !Arrays.equals(before.database(), after.database());
        assertFalse(checkpoint && !Arrays.equals(before.log(), after.log()), "one file is written between two points");
        byte[] database = mixed(before.database(), after.database(), random);
        byte[] log = after.log();
        int header = 32;
        if (log.length > header
                && !Arrays.equals(before.log(), 0, Math.min(header, before.log().length), log, 0, header)) {
            byte[] begun =
                    before.log().length == 0 ? new byte[header] : before.log().clone();
            int cut = random.nextInt(3) == 0 ? random.nextInt(header) : header;
            System.arraycopy(log, 0, begun, 0, cut);
            log = cut < header ? begun : mixed(begun, log, random);
        } else {
            log = mixed(before.log(), log, random);
        }
        return new StoreFiles(database, log, mark.mark());
    }

    /** Some of the sectors that differ; the rest as before, or zero if the file was shorter. */
    private static byte[] mixed(byte[] before, byte[] after, Random random) {
        if (Arrays.equals(before, after)) {
            return before;
        }
        double share = new double[] {0.1, 0.5, 0.9, 0.99, 1}[random.nextInt(5)];
        int longest = Math.max(before.length, after.length);
        byte[] mixed = Arrays.copyOf(before, longest);
        boolean cutOne = random.nextBoolean();
        for (int at = 0; at < after.length; at += SECTOR) {
            int length = Math.min(SECTOR, after.length - at);
            if (Arrays.equals(mixed, at, at + length, after, at, at + length) || random.nextDouble() >= share) {
                continue;
            }
            if (cutOne && random.nextInt(4) == 0) {
                cutOne = false;
                length = random.nextInt(length);
            }
            System.arraycopy(after, at, mixed, at, length);
        }
        boolean grown = after.length > before.length && random.nextInt(3) == 0;
        return grown ? Arrays.copyOf(mixed, random.nextInt(before.length, after.length)) : mixed;
    }

    /** Checks a store on what is left; returns whether the step under way is there. */
    private boolean check(StoreFiles left, State before, State after, String name) throws IOException {
        Path own = directory.resolve("left");
        left.writeTo(own);
        try (SqliteStore store = open(own, 2);
                StoreReader reader = store.reader()) {
            assertFalse(store.damage().any(), () -> name + ": " + store.damage().text());
            byte[] counter = reader.row(RowSpace.META, COUNTER);
            boolean there = !Arrays.equals(bytes(before.counter()), counter);
            State state = there ? after : before;
            assertArrayEquals(bytes(state.counter()), counter, name);
            assertEquals(state.last(), store.lastNumber(), name);
            assertEquals(state.first(), store.firstNumber(), name);
            assertEquals(0, Records.damagedIn(Records.read(store, 0), state.first(), state.last()), name);
            Records.append(store, 1);
            assertEquals(0, Records.damagedIn(Records.read(store, 0), state.first(), state.last() + 1), name);
            return there;
        }
    }
}
