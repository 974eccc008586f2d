package io.heartwheel.cluster;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Engines of several nodes over one memory, in virtual time: what is asked and answered is delayed, dropped, repeated and so put in another order, as a seed
 * says. Each write is held to the rules of rows: another holder has a later epoch, and is no node whose end is known. One thread.
 */
public final class MemoryFleet {
    private static final int MOST_BUCKETS = 4;

    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private final Map<String, Row> rows = new HashMap<>();
    private final Map<String, Copy> copies = new HashMap<>();
    private final Map<String, byte[]> keys = new HashMap<>();
    private final Map<String, RowStore.Entry> members = new HashMap<>();
    private final Map<String, RowStore.Entry> schedules = new HashMap<>();
    private final Map<String, Long> writtenNanos = new HashMap<>();
    private final Map<NodeId, MemoryNode> nodes = new TreeMap<>();
    private long nowNanos;
    private long order;
    /** The last of each bucket. */
    private final long[] revisions = new long[1 + MOST_BUCKETS];

    private long otherRevisions;
    private long madeMillis;

    /** Most of a way, one direction, nanoseconds. */
    public long mostDelayNanos = 1_000_000;
    /** Share of the ways on which what is sent is lost. */
    public double dropped;
    /** Share of the ways that are gone twice. */
    public double repeated;
    /** How long the copy that is read lags behind a write at most, nanoseconds. */
    public long mostLagNanos;
    /** In how many buckets who joins from now on takes the rows of devices to be. */
    public int deviceBuckets = 1;
    /** Whether nothing can be asked. */
    public boolean down;
    /** The most bytes of a message to another node. */
    public int maxMessageBytes = 1 << 20;
    /** Hears of each row of a device when it is written. */
    public BiConsumer<String, Row> deviceWritten = (deviceId, row) -> {};
    /** Hears of each row of a schedule when it is written. */
    public BiConsumer<String, Row> scheduleWritten = (key, row) -> {};
    /** What somebody writes just before a page of members or schedules is read; null: nothing. */
    public Supplier<RowStore.Entry> beforePage = () -> null;
    /** What runs the requests that gateways carry for each other. */
    public Executor calls = Runnable::run;
    /** What writes did that they may not. */
    public final List<String> violations = new ArrayList<>();

    /** @param node whose thread it is; null: nobody's, as that of the rows */
    private record Event(long atNanos, long order, MemoryNode node, Runnable task) {}

    /** The row before the latest, and until when it is read. */
    private record Copy(Row row, long untilNanos) {}

    /** An empty one. */
    public MemoryFleet(long seed) {
        random = new Random(seed);
    }

    /** Monotonic nanoseconds. */
    public long now() {
        return nowNanos;
    }

    /** The engine of one more node. */
    public Engine join(NodeId node) {
        MemoryNode joined = new MemoryNode();
        nodes.put(node, joined);
        for (int i = 0; i < revisions.length; i++) {
            joined.buckets.add(new Bucket(joined, i));
        }
        Buckets all = new Buckets(joined.buckets.get(0));
        all.devicesIn(joined.buckets.subList(1, deviceBuckets == 1 ? 1 : 1 + deviceBuckets));
        return new Engine(
                all,
                apart(joined, members),
                apart(joined, schedules),
                joined,
                joined,
                joined,
                () -> nodes.remove(node));
    }

    /** Lets time pass. */
    public void pass(long nanos) {
        long untilNanos = nowNanos + nanos;
        for (Event next = events.peek(); next != null && next.atNanos <= untilNanos; next = events.peek()) {
            events.poll();
            nowNanos = Math.max(nowNanos, next.atNanos);
            run(next);
        }
        nowNanos = untilNanos;
    }

    private static void run(Event event) {
        MemoryNode node = event.node;
        if (node == null || node.isRunning()) {
            event.task.run();
        } else if (!node.killed) {
            node.kept.add(event.task);
        }
    }

    /** Ends a node without a word; what is on its way from it arrives. */
    public void kill(NodeId node) {
        MemoryNode killed = nodes.remove(node);
        killed.killed = true;
    }

    /** A node stands still: what comes to it is kept; or it goes on, and gets all of that. Its own turns are the caller's. */
    public void stop(NodeId node, boolean still) {
        MemoryNode stopped = nodes.get(node);
        stopped.still = still;
        while (!still && !stopped.kept.isEmpty()) {
            stopped.kept.remove().run();
        }
    }

    /** Lets time pass until the answer is there. */
    public <T> T await(CompletionStage<T> answer) {
        CompletableFuture<T> future = answer.toCompletableFuture();
        while (!future.isDone() && !events.isEmpty()) {
            pass(events.element().atNanos - nowNanos);
        }
        return future.join();
    }

    /** Deletes all rows, as an operator may by mistake. */
    public void deleteRows() {
        rows.clear();
        members.clear();
        schedules.clear();
    }

    /** The rows are lost, and others are made in their place. */
    public void makeAnew() {
        beginAgain();
        madeMillis++;
    }

    /** The rows are lost, and revisions begin again. */
    public void beginAgain() {
        deleteRows();
        Arrays.fill(revisions, 0);
        otherRevisions = 0;
    }

    /** The rows of a bucket are lost, and it is made anew. */
    public void makeAnew(int bucket) {
        rows.keySet().removeIf(place -> place.startsWith(bucket + " "));
        revisions[bucket] = 0;
    }

    /** The row of a device, in whichever bucket. */
    public Row row(String deviceId) {
        return IntStream.range(0, revisions.length)
                .mapToObj(bucket -> rows.get(bucket + " " + deviceId))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(Row.NONE);
    }

    private static String place(int bucket, byte[] key) {
        return bucket + " " + text(key);
    }

    private Row copy(String place) {
        Copy copy = copies.get(place);
        return copy == null || copy.untilNanos <= nowNanos ? rows.getOrDefault(place, Row.NONE) : copy.row;
    }

    private void at(long atNanos, MemoryNode node, Runnable task) {
        events.add(new Event(atNanos, order++, node, task));
    }

    private void send(MemoryNode to, Runnable arrival) {
        int copies = random.nextDouble() < dropped ? 0 : random.nextDouble() < repeated ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            at(nowNanos + 1 + (long) (random.nextDouble() * mostDelayNanos), to, arrival);
        }
    }

    /** @param to who is asked; null: the rows */
    private <T> CompletionStage<T> ask(MemoryNode from, MemoryNode to, Supplier<T> there) {
        return ask(from, to, NodeBus.PATIENCE_NANOS, () -> CompletableFuture.completedFuture(there.get()));
    }

    private <T> CompletionStage<T> ask(
            MemoryNode from, MemoryNode to, long patienceNanos, Supplier<CompletionStage<T>> there) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (down) {
            answer.completeExceptionally(new EngineException(EngineException.Kind.UNREACHABLE, "down"));
            return answer;
        }
        at(
                nowNanos + patienceNanos,
                from,
                () -> answer.completeExceptionally(
                        new EngineException(EngineException.Kind.UNREACHABLE, "no answer in time")));
        send(to, () -> {
            if (!down) {
                answer(from, there, answer);
            }
        });
        return answer;
    }

    private <T> void answer(MemoryNode from, Supplier<CompletionStage<T>> there, CompletableFuture<T> answer) {
        try {
            there.get().thenAccept(value -> send(from, () -> answer.complete(value)));
        } catch (CompletionException failed) {
            send(from, () -> answer.completeExceptionally(failed.getCause()));
        }
    }

    private static String text(byte[] key) {
        return NodeRow.isKey(key) ? "node " + NodeRow.text(key) : new String(key, StandardCharsets.UTF_8);
    }

    private List<RowStore.Entry> page(int bucket, boolean nodesAlone, long after, int most) {
        return rows.entrySet().stream()
                .filter(each -> each.getKey().startsWith(bucket + " "))
                .filter(each -> each.getValue().revision() > after)
                .map(each -> new RowStore.Entry(
                        keys.get(each.getKey()), each.getValue(), writtenNanos.get(each.getKey()) / 1_000_000))
                .filter(each -> !nodesAlone || NodeRow.isKey(each.deviceId()))
                .sorted(Comparator.comparingLong(each -> each.row().revision()))
                .limit(most)
                .toList();
    }

    private boolean write(int bucket, byte[] key, Row row, long revision) {
        String id = place(bucket, key);
        Row before = rows.getOrDefault(id, Row.NONE);
        if (before.revision() != revision) {
            return false;
        }
        boolean same = before.sessionId() == row.sessionId()
                && row.node() != null
                && row.node().equals(before.node());
        if (row.held() && !same && row.epoch() <= before.epoch()) {
            violations.add(id + ": " + row + " behind " + before);
        }
        if (!row.held() && !NodeRow.isKey(key) && !(same && before.epoch() == row.epoch())) {
            violations.add(id + ": given back " + row + ", was " + before);
        }
        if (row.held() && !NodeRow.isKey(key) && isDone(row.node())) {
            violations.add(id + ": " + row + ", and nobody looks after that node any more");
        }
        if (mostLagNanos > 0) {
            copies.put(id, new Copy(copy(id), nowNanos + (long) (random.nextDouble() * mostLagNanos)));
        }
        keys.put(id, key);
        writtenNanos.put(id, nowNanos);
        rows.put(id, Row.decode(row.encode(), ++revisions[bucket]));
        if (!NodeRow.isKey(key)) {
            deviceWritten.accept(text(key), row);
        }
        for (MemoryNode each : nodes.values()) {
            Bucket seen = each.buckets.get(bucket);
            if (seen.watched.contains(text(key))) {
                send(each, () -> seen.written.accept(key, row));
            }
        }
        return true;
    }

    private boolean isDone(NodeId node) {
        return node != null && NodeRow.isDone(row(text(NodeRow.key(node))), node);
    }

    /** Rows of their own, as they are seen by one node: without the rule of devices' rows. */
    private RowStore apart(MemoryNode from, Map<String, RowStore.Entry> all) {
        return new RowStore() {
            private void put(byte[] key, Row row) {
                all.put(text(key), new Entry(key, Row.decode(row.encode(), ++otherRevisions), nowNanos / 1_000_000));
            }

            @Override
            public CompletionStage<State> state() {
                return ask(from, null, () -> new State(madeMillis, otherRevisions, all.size()));
            }

            @Override
            public CompletionStage<Row> readLatest(byte[] key) {
                return read(key);
            }

            @Override
            public CompletionStage<Row> read(byte[] key) {
                return ask(from, null, () -> all.getOrDefault(text(key), new Entry(key, Row.NONE, 0))
                        .row());
            }

            @Override
            public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
                return ask(from, null, () -> {
                    Entry before = all.getOrDefault(text(key), new Entry(key, Row.NONE, 0));
                    if (before.row().revision() != revision) {
                        return false;
                    }
                    put(key, row);
                    if (all == schedules) {
                        scheduleWritten.accept(text(key), row);
                    }
                    return true;
                });
            }

            @Override
            public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
                return ask(from, null, () -> {
                    Entry written = beforePage.get();
                    if (written != null) {
                        put(written.deviceId(), written.row());
                    }
                    return all.values().stream()
                            .filter(each -> each.row().revision() > after)
                            .sorted(Comparator.comparingLong(each -> each.row().revision()))
                            .limit(most)
                            .toList();
                });
            }

            @Override
            public CompletionStage<?> purge(byte[] key, long revision) {
                return ask(from, null, () -> {
                    all.computeIfPresent(text(key), (id, entry) -> entry.row().revision() > revision ? entry : null);
                    return null;
                });
            }
        };
    }

    /** One bucket of the rows of devices and gateways' starts, as it is seen by one node. */
    private final class Bucket implements RowStore {
        private final MemoryNode by;
        private final int number;
        private final Set<String> watched = new HashSet<>();
        private BiConsumer<byte[], Row> written = (deviceId, row) -> {};

        Bucket(MemoryNode by, int number) {
            this.by = by;
            this.number = number;
        }

        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return ask(by, null, () -> copy(place(number, deviceId)));
        }

        @Override
        public CompletionStage<Row> readLatest(byte[] deviceId) {
            return ask(by, null, () -> rows.getOrDefault(place(number, deviceId), Row.NONE));
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return ask(by, null, () -> MemoryFleet.this.write(number, deviceId, row, revision));
        }

        @Override
        public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
            return ask(by, null, () -> MemoryFleet.this.page(number, nodesAlone, after, most));
        }

        @Override
        public CompletionStage<State> state() {
            return ask(
                    by,
                    null,
                    () -> new State(
                            madeMillis,
                            revisions[number],
                            rows.keySet().stream()
                                    .filter(place -> place.startsWith(number + " "))
                                    .count()));
        }

        @Override
        public CompletionStage<?> purge(byte[] deviceId, long revision) {
            return ask(by, null, () -> {
                rows.computeIfPresent(place(number, deviceId), (id, row) -> row.revision() > revision ? row : null);
                return null;
            });
        }

        @Override
        public void hear(BiConsumer<byte[], Row> given) {
            written = given;
        }

        @Override
        public void watch(byte[] deviceId, boolean listens) {
            if (listens) {
                watched.add(text(deviceId));
            } else {
                watched.remove(text(deviceId));
            }
        }
    }

    /** All parts of one node's engine. */
    private final class MemoryNode implements NodeBus, Membership, Health {
        private final Queue<Runnable> kept = new ArrayDeque<>();
        private Function<byte[], CompletionStage<byte[]>> answers = CompletableFuture::completedFuture;
        private Consumer<NodeStatus> listener = status -> {};
        private final List<Bucket> buckets = new ArrayList<>();
        private boolean still;
        private boolean killed;

        boolean isRunning() {
            return !still && !killed;
        }

        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            MemoryNode there = nodes.get(to);
            return ask(this, there, patienceNanos, () -> {
                if (there == null) {
                    throw new CompletionException(new EngineException(EngineException.Kind.NO_NODE, "nobody is there"));
                }
                return there.answers.apply(message);
            });
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> given) {
            answers = given;
        }

        @Override
        public long maxMessageBytes() {
            return maxMessageBytes;
        }

        @Override
        public void hear(Consumer<NodeStatus> given) {
            listener = given;
        }

        @Override
        public void announce(NodeStatus status) {
            if (!down) {
                nodes.values().forEach(each -> send(each, () -> each.listener.accept(status)));
            }
        }

        @Override
        public boolean isReachable() {
            return !down;
        }

        @Override
        public void repair() throws EngineException {
            if (down) {
                throw new EngineException(EngineException.Kind.UNREACHABLE, "down");
            }
        }
    }
}
