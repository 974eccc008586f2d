package io.heartwheel.outlet;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Message;
import io.heartwheel.event.EventKind;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Events;
import io.heartwheel.sink.SteppedSink;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.StoreSettings;
import io.heartwheel.store.TrialDisk;
import io.heartwheel.store.WatchedStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trial of the journal, from the queue of the sink to the receivers of the outlets, under virtual time: operations of the disk fail, it is full for a while, files are
 * damaged, clocks are set, {@code max-bytes} changes, processes are killed, receivers fail and pause.
 *
 * <p>Whatever happens: each record that was acknowledged comes out of each outlet, or a gap with its number; no number is passed without either. When faults end all that waits
 * is delivered and messages are accepted, without another start.
 */
class JournalTrialTest {
    private static final int RUNS = Integer.getInteger("trial.runs", 100);
    private static final int PART = 100;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path scratch;

    /** Seed and number of runs of each part: the limit of time is that of a part. */
    static Stream<Arguments> parts() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        return IntStream.iterate(0, from -> from < RUNS, from -> from + PART)
                .mapToObj(from -> Arguments.of(seed + from, Math.min(PART, RUNS - from)));
    }

    @ParameterizedTest
    @MethodSource("parts")
    void journal_underRandomFaults_losesNothingUntoldAndRecovers(long seed, int runs) throws Exception {
        for (int i = 0; i < runs; i++) {
            Path directory = Files.createDirectory(scratch.resolve("run" + i));
            Trial trial = new Trial(seed + i, directory);
            try {
                trial.run();
            } catch (AssertionError | Exception e) {
                throw new AssertionError(
                        "test.seed=" + (seed + i) + " trial.runs=1: " + e.getMessage() + "\n" + trial.story(), e);
            }
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** What was acknowledged. */
    private record Acknowledged(long number, int contentHash) {}

    /** Receiver of an outlet, which outlives processes. */
    private static final class Receiver implements Outlet {
        final String name;
        final SplittableRandom random;
        final Map<Long, Acknowledged> acknowledged;
        final Set<Long> came = new HashSet<>();
        /** Numbers of gaps, first to last. */
        final TreeMap<Long, Long> gaps = new TreeMap<>();

        long last;
        int failing;
        boolean pausing;
        boolean settled = true;

        Receiver(String name, SplittableRandom random, Map<Long, Acknowledged> acknowledged) {
            this.name = name;
            this.random = random;
            this.acknowledged = acknowledged;
        }

        @Override
        public void deliver(List<OutletEvent> events, int attempt) throws IOException {
            int taken = failing > 0 ? random.nextInt(events.size()) : events.size();
            for (OutletEvent event : events.subList(0, taken)) {
                take(event);
            }
            if (pausing) {
                pausing = false;
                throw OutletException.pause("gone");
            }
            if (failing > 0) {
                failing--;
                throw OutletException.retry("not now", OutletException.NOT_SAID, null);
            }
            settled = random.nextBoolean();
        }

        private void take(OutletEvent event) {
            String[] id = event.id().split("-");
            long first = Long.parseLong(id[1]);
            must(first <= last + 1, "%s: records %d..%d are passed without a word", name, last + 1, first - 1);
            last = Math.max(last, event.number()); // what comes again changes nothing
            if (id.length == 3) {
                gaps.merge(first, event.number(), Math::max);
            } else if (event.kind() == EventKind.DATA) {
                long message = message(new String(event.json(), StandardCharsets.UTF_8));
                Acknowledged known = acknowledged.get(message);
                boolean same = known == null || known.contentHash == Arrays.hashCode(event.json());
                must(same, "%s: message %d is not as it was sent", name, message);
                came.add(message);
            }
        }

        /** It is new, or its cursor was lost, or never saved: what is lost before the oldest record is told by a record alone. */
        void begins(long first) {
            gaps.put(1L, first - 1);
            last = Math.max(last, first - 1);
        }

        boolean has(long message, long number) {
            Map.Entry<Long, Long> gap = gaps.floorEntry(number);
            while (gap != null && gap.getValue() < number) {
                gap = gaps.lowerEntry(gap.getKey());
            }
            return came.contains(message) || gap != null;
        }

        @Override
        public boolean isSettled() {
            return settled;
        }

        @Override
        public long idle() {
            settled = true;
            return NOT_AGAIN;
        }

        @Override
        public void close() {}
    }

    private static void must(boolean is, String text, @Nullable Object... of) {
        if (!is) {
            throw new AssertionError(String.format(Locale.ROOT, text, of));
        }
    }

    private static long message(String json) {
        try {
            return new ObjectMapper().readTree(json).get("id").asLong();
        } catch (IOException e) {
            throw new AssertionError(json, e);
        }
    }

    private static final class Trial {
        private final SplittableRandom random;
        private final Path directory;
        private final TrialDisk disk;
        private final List<Receiver> receivers = new ArrayList<>();

        // the model
        private final Map<Long, Acknowledged> committed = new HashMap<>();
        private final Map<Long, Acknowledged> acknowledged = new HashMap<>();
        /** Those at the end of the log when that was damaged and the state too, or could not be written: nobody can know of them. */
        private final Set<Long> excused = new HashSet<>();

        /** What happened, for the text of a failure. */
        private final List<String> story = new ArrayList<>();

        private long messages;
        private long nanos = SECOND_NANOS;
        private long wallMillis = Events.AT;

        // the process
        private @Nullable Store store;
        private SteppedSink sink;
        private final List<OutletRunner> runners = new ArrayList<>();
        private long maxBytes;
        private String notOpened = "";

        Trial(long seed, Path directory) {
            random = new SplittableRandom(seed);
            this.directory = directory;
            disk = new TrialDisk(new Random(random.nextLong()));
            int outlets = 1 + random.nextInt(3);
            for (int i = 0; i < outlets; i++) {
                receivers.add(new Receiver("o" + i, random.split(), acknowledged));
            }
        }

        void run() throws Exception {
            start();
            int steps = 200 + random.nextInt(400);
            for (int i = 0; i < steps; i++) {
                step();
            }
            disk.heal();
            for (Receiver each : receivers) {
                each.failing = 0;
                each.pausing = false;
            }
            if (store == null) {
                start();
            }
            must(store != null, "the journal cannot be opened though faults have ended: %s", notOpened);
            drain();
            long last = messages + 1;
            publish(100);
            drain();
            must(
                    acknowledged.containsKey(last),
                    "message %d is not accepted though faults have ended: %d bytes of %d, %s, %s",
                    last,
                    store.recordBytes(),
                    maxBytes,
                    store.figures(),
                    disk);
            check();
            stop();
        }

        String story() {
            return String.join("\n", story.subList(RUNS == 1 ? 0 : Math.max(0, story.size() - 60), story.size()));
        }

        private void note(String what) {
            story.add(what + (store == null ? "" : ", records " + store.firstNumber() + ".." + store.lastNumber()));
        }

        // ------------------------------------------------------------------ the process

        /** Starts, if it can. */
        private void start() throws Exception {
            maxBytes = (256L + random.nextInt(1024)) << 10;
            StoreSettings.Sync sync = random.nextInt(4) == 0 ? StoreSettings.Sync.NEVER : StoreSettings.Sync.ALWAYS;
            try {
                Store opened = disk.open(directory, maxBytes, sync, () -> wallMillis);
                store = new WatchedStore(opened, this::committed);
            } catch (IOException e) {
                notOpened = e.toString();
                note("not opened: " + e);
                return;
            }
            note("opened " + sync + " with " + maxBytes + ", " + store.damage() + ", " + disk);
            boolean behind = disk.takeStateBehind();
            boolean stateLost = disk.takeStateDamaged() || behind;
            if (stateLost && disk.isLogDamaged()) {
                long last = store.lastNumber();
                acknowledged.forEach((message, as) -> {
                    if (as.number > last) {
                        excused.add(message);
                    }
                });
            }
            for (Receiver each : receivers) {
                if (!TrialDisk.hasCursor(((WatchedStore) store).store(), each.name)
                        && store.damage().any()) {
                    each.begins(store.firstNumber());
                }
                runners.add(new OutletRunner(
                        new OutletSettings(each.name, Set.copyOf(EventKind.all()), new OutletSettings.Console()),
                        () -> each,
                        store,
                        "",
                        () -> wallMillis,
                        () -> nanos,
                        random::nextDouble));
            }
            sink = new SteppedSink(store, maxBytes, () -> nanos, () -> wallMillis);
            store.onDamage(() -> note("damage is found")); // the outlets tell of it in its place
        }

        private void committed(long number, RecordBatch.Entry entry) {
            if (entry.type() == EventKind.DATA.number()) {
                String json = StandardCharsets.UTF_8
                        .decode(entry.payload().duplicate())
                        .toString();
                committed.put(
                        message(json),
                        new Acknowledged(number, Arrays.hashCode(json.getBytes(StandardCharsets.UTF_8))));
            }
        }

        private void kill() {
            note("killed");
            disk.kill(((WatchedStore) store).store());
            runners.clear();
            store = null;
        }

        private void stop() throws Exception {
            note("stops");
            for (OutletRunner each : runners) {
                each.end();
                each.awaitEnd(1_000);
            }
            runners.clear();
            try {
                sink.close();
            } catch (IOException e) {
                // the disk has a fault; the lock is free
            }
            store = null;
        }

        // ------------------------------------------------------------------ what happens

        private void step() throws Exception {
            if (store == null) {
                if (random.nextBoolean()) {
                    disk.heal();
                }
                start();
                return;
            }
            switch (random.nextInt(24)) {
                case 0, 1, 2, 3, 4, 5 -> publish(random.nextInt(3_000));
                case 6, 7, 8, 9 -> sink.step();
                case 10, 11, 12, 13, 14, 15 ->
                    runners.get(random.nextInt(runners.size())).step();
                case 16, 17 -> {
                    TrialDisk.keep(((WatchedStore) store).store());
                    note("kept");
                }
                case 18, 19 -> pass(random.nextLong(2 * SECOND_NANOS));
                case 20 -> fault();
                case 21 -> {
                    disk.heal();
                    note("healed");
                }
                case 22 -> receiver();
                default -> end();
            }
        }

        private void publish(int bytes) {
            for (int many = 1 + random.nextInt(4); many > 0; many--) {
                long message = ++messages;
                byte[] payload = new byte[bytes];
                Identity device = new Identity("d" + random.nextInt(20), message, message);
                sink.publish(new Message(device, 1, wallMillis, message, false, payload), new EventSink.Reply() {
                    @Override
                    public void accepted() {
                        Acknowledged as = committed.get(message);
                        must(as != null, "message %d was acknowledged and not committed", message);
                        acknowledged.put(message, as);
                    }

                    @Override
                    public void refused() {
                        note("message " + message + " refused");
                    }

                    @Override
                    public void send(long messageId, boolean text, byte[] payload) {}
                });
            }
        }

        private void pass(long more) {
            nanos += more;
            wallMillis += TimeUnit.NANOSECONDS.toMillis(more);
        }

        private void fault() throws IOException {
            switch (random.nextInt(8)) {
                case 0 -> note(disk.damage());
                case 1 -> damageRows();
                case 2 -> wallMillis += (random.nextInt(3) - 1) * TimeUnit.HOURS.toMillis(1);
                default -> note(disk.fail());
            }
        }

        private void damageRows() throws IOException {
            Path file = directory.resolve("presence.db");
            if (Files.exists(file) && Files.size(file) > 0) {
                try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                    long at = random.nextLong(open.length());
                    open.seek(at);
                    int was = open.read();
                    open.seek(at);
                    open.write(was ^ (1 << random.nextInt(8)));
                }
            }
        }

        private void receiver() {
            int which = random.nextInt(receivers.size());
            OutletRunner runner = runners.get(which);
            note("outlet " + which + " at " + receivers.get(which).last);
            switch (random.nextInt(6)) {
                case 0, 1 -> receivers.get(which).failing = random.nextInt(5);
                case 2 -> receivers.get(which).pausing = true;
                case 3 -> runner.rewind(Rewind.START);
                default -> runner.resume();
            }
        }

        private void end() throws Exception {
            switch (random.nextInt(8)) {
                case 0, 1 -> kill();
                case 2 -> stop();
                default -> {}
            }
        }

        // ------------------------------------------------------------------ the end

        private boolean isDrained() {
            return store.figures().keeperLag() == 0
                    && runners.stream().allMatch(each -> each.status().cursor() == store.lastNumber());
        }

        private void drain() throws Exception {
            runners.forEach(OutletRunner::resume);
            boolean wrote = true;
            for (int round = 0; round < 600 && (wrote || !isDrained() || round < 3); round++) {
                pass(SECOND_NANOS);
                wrote = sink.step();
                TrialDisk.keep(((WatchedStore) store).store());
                for (OutletRunner each : runners) {
                    each.step();
                }
            }
            TrialDisk.keep(((WatchedStore) store).store());
            for (OutletRunner each : runners) {
                boolean drained = each.status().cursor() == store.lastNumber();
                must(drained, "not delivered though faults have ended: %s of %d", each.status(), store.lastNumber());
            }
        }

        private void check() throws IOException {
            for (Receiver each : receivers) {
                acknowledged.forEach((message, as) -> {
                    boolean told = each.has(message, as.number) || excused.contains(message);
                    must(told, "%s: message %d, record %d, is missing without a word", each.name, message, as.number);
                });
            }
            try (StoreReader reader = store.reader()) {
                reader.rows(new byte[0], 10);
            }
        }
    }
}
