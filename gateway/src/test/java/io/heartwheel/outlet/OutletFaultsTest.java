package io.heartwheel.outlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.EventKind;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.SegmentStore;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreSettings;
import io.heartwheel.store.Transaction;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A runner with random faults of its store and its receiver, and restarts. */
class OutletFaultsTest {
    private final MemoryStore store = new MemoryStore();
    private long nowMillis;

    private OutletRunner runner(Outlet to) throws StoreException {
        return runner(to, store);
    }

    private OutletRunner runner(Outlet to, Store store) throws StoreException {
        OutletSettings settings =
                new OutletSettings("main", EnumSet.allOf(EventKind.class), new OutletSettings.Console());
        return new OutletRunner(settings, () -> to, store, "", () -> nowMillis, () -> nowMillis * 1_000_000, () -> 1);
    }

    private void append(int records) throws StoreException {
        Transaction transaction = new Transaction();
        for (int i = 0; i < records; i++) {
            transaction.records().add(EventKind.DATA.number(), 1, new byte[0], ByteBuffer.wrap(new byte[] {'{', '}'}));
        }
        store.commit(transaction);
    }

    /** A receiver that may lose all it has not settled, whenever it fails; a store whose reads fail; restarts. */
    private static final class Forgetful implements Outlet {
        private final Random random;
        private final List<Long> settled = new ArrayList<>();
        private final List<Long> unsettled = new ArrayList<>();
        private boolean fails = true;

        Forgetful(Random random) {
            this.random = random;
        }

        @Override
        public void deliver(List<OutletEvent> events, int attempt) throws IOException {
            failSometimes();
            events.forEach(event -> unsettled.add(event.number()));
            if (random.nextInt(3) == 0) {
                idle();
            }
        }

        private void failSometimes() throws IOException {
            if (fails && random.nextInt(4) == 0) {
                unsettled.clear();
                throw new IOException("disk");
            }
        }

        @Override
        public long idle() throws IOException {
            failSometimes();
            settled.addAll(unsettled);
            unsettled.clear();
            return NOT_AGAIN;
        }

        @Override
        public boolean isSettled() {
            return unsettled.isEmpty();
        }

        @Override
        public void close() {}
    }

    @Test
    void failures_ofAnyKindAtAnyTime_loseNothing() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random chance = new Random(seed);
        Forgetful forgetful = new Forgetful(chance);
        OutletRunner runner = runner(forgetful);
        for (int i = 0; i < 3_000; i++) {
            if (chance.nextInt(3) == 0) {
                append(1 + chance.nextInt(5));
            }
            store.failWith(chance.nextInt(6) == 0 ? new StoreException(StoreException.Cause.OTHER, "broken") : null);
            runner.step();
            nowMillis += chance.nextInt(60_000);
            long cursor = runner.status().cursor();
            assertTrue(cursor == 0 || forgetful.settled.contains(cursor), "what the cursor passes is settled");
            store.failWith(null);
            if (chance.nextInt(50) == 0) { // killed
                forgetful.unsettled.clear();
                runner = runner(forgetful);
            }
        }
        forgetful.fails = false;
        nowMillis += 60_000;
        long wait = 0;
        while (wait == 0) {
            wait = runner.step();
        }
        assertEquals(store.lastNumber(), runner.status().cursor());
        long next = 1;
        for (long number : forgetful.settled) {
            assertTrue(number <= next, "a repeat, or the one that follows");
            next = Math.max(next, number + 1);
        }
        assertEquals(store.lastNumber() + 1, next);
    }

    private OutletRunner ended;

    /** One whose reader ends the runner at its n-th read, which the interrupt fails. */
    private Store endingAt(int n, Store log) {
        int[] left = {n};
        ScriptedReader.Step end = () -> {
            if (--left[0] == 0) {
                ended.end();
            }
        };
        return (Store) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, of) -> method.getName().equals("reader")
                        ? new ScriptedReader(log.reader(), end)
                        : method.invoke(log, of));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 12, 13, 30})
    void end_whileItCatchesUp_isNoFailureAndLosesNoPlace(int reads, @TempDir Path directory) throws Exception {
        StoreSettings settings = new StoreSettings(directory, StoreSettings.Sync.NEVER, 64 << 20, Duration.ofHours(1));
        try (Store log = SegmentStore.open(settings, () -> 1)) {
            for (int i = 0; i < 40; i++) {
                Transaction transaction = new Transaction();
                transaction.records().add(EventKind.DATA.number(), 1, new byte[0], ByteBuffer.allocate(100_000));
                log.commit(transaction);
            }
            Forgetful receiver = new Forgetful(new Random(1));
            receiver.fails = false;
            ended = runner(receiver, endingAt(reads, log));
            ended.start(new ThreadProgress("outlet"));
            assertTrue(ended.awaitEnd(60_000));

            assertEquals(OutletState.ENDED, ended.status().state());
            assertEquals(0, ended.status().failures(), ended.status()::lastError);
            List<Long> all = new ArrayList<>(receiver.settled);
            all.addAll(receiver.unsettled);
            assertEquals(
                    LongStream.rangeClosed(1, ended.status().cursor()).boxed().toList(), all);
            assertTrue(all.size() < 40, "it has not caught up");
        }
    }
}
