package io.heartwheel.cluster;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Engines of several nodes over one memory, in virtual time: what is asked and answered is delayed, dropped, repeated and so put in another order, as a seed
 * says. Each write is held to the rule of rows: another holder has a later epoch. One thread.
 */
public final class MemoryFleet {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private final Map<String, Row> rows = new HashMap<>();
    private final Map<NodeId, MemoryNode> nodes =
            new TreeMap<>(Comparator.comparing(NodeId::name).thenComparingLong(NodeId::incarnation));
    private long nowNanos;
    private long order;
    private long revisions;

    /** Most of a way, one direction, nanoseconds. */
    public long mostDelayNanos = 1_000_000;
    /** Share of the ways on which what is sent is lost. */
    public double dropped;
    /** Share of the ways that are gone twice. */
    public double repeated;
    /** Whether nothing can be asked. */
    public boolean down;
    /** The most bytes of a message to another node. */
    public int maxMessageBytes = 1 << 20;
    /** What writes did that they may not. */
    public final List<String> violations = new ArrayList<>();

    private record Event(long atNanos, long order, Runnable task) {}

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
        MemoryNode joined = new MemoryNode(node);
        nodes.put(node, joined);
        return new Engine(joined, joined, joined, joined, () -> nodes.remove(node));
    }

    /** Lets time pass. */
    public void pass(long nanos) {
        long untilNanos = nowNanos + nanos;
        for (Event next = events.peek(); next != null && next.atNanos <= untilNanos; next = events.peek()) {
            events.poll();
            nowNanos = Math.max(nowNanos, next.atNanos);
            next.task.run();
        }
        nowNanos = untilNanos;
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
    }

    /** The row of a device. */
    public Row row(String deviceId) {
        return rows.getOrDefault(deviceId, Row.NONE);
    }

    private void at(long atNanos, Runnable task) {
        events.add(new Event(atNanos, order++, task));
    }

    private void send(Runnable arrival) {
        int copies = random.nextDouble() < dropped ? 0 : random.nextDouble() < repeated ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            at(nowNanos + 1 + (long) (random.nextDouble() * mostDelayNanos), arrival);
        }
    }

    private <T> CompletionStage<T> ask(Supplier<T> there) {
        return ask(PATIENCE_NANOS, () -> CompletableFuture.completedFuture(there.get()));
    }

    private <T> CompletionStage<T> ask(long patienceNanos, Supplier<CompletionStage<T>> there) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (down) {
            answer.completeExceptionally(new EngineException(EngineException.Kind.UNREACHABLE, "down"));
            return answer;
        }
        at(
                nowNanos + patienceNanos,
                () -> answer.completeExceptionally(
                        new EngineException(EngineException.Kind.UNREACHABLE, "no answer in time")));
        send(() -> {
            if (!down) {
                answer(there, answer);
            }
        });
        return answer;
    }

    private <T> void answer(Supplier<CompletionStage<T>> there, CompletableFuture<T> answer) {
        try {
            there.get().thenAccept(value -> send(() -> answer.complete(value)));
        } catch (CompletionException failed) {
            send(() -> answer.completeExceptionally(failed.getCause()));
        }
    }

    private boolean write(String id, Row row, long revision) {
        Row before = row(id);
        if (before.revision() != revision) {
            return false;
        }
        boolean same = before.sessionId() == row.sessionId()
                && row.node() != null
                && row.node().equals(before.node());
        if (row.held() && !same && row.epoch() <= before.epoch()) {
            violations.add(id + ": " + row + " behind " + before);
        }
        rows.put(id, Row.decode(row.encode(), ++revisions));
        return true;
    }

    /** All parts of one node's engine. */
    private final class MemoryNode implements RowStore, NodeBus, Membership, Health {
        private final NodeId node;
        private Function<byte[], CompletionStage<byte[]>> answers = CompletableFuture::completedFuture;
        private LongSupplier devices = () -> 0;

        MemoryNode(NodeId node) {
            this.node = node;
        }

        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            String id = new String(deviceId, StandardCharsets.UTF_8);
            return ask(() -> row(id));
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            String id = new String(deviceId, StandardCharsets.UTF_8);
            return ask(() -> MemoryFleet.this.write(id, row, revision));
        }

        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            return ask(patienceNanos, () -> {
                MemoryNode there = nodes.get(to);
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
        public void announce(LongSupplier connectedDevices) {
            devices = connectedDevices;
        }

        @Override
        public CompletionStage<List<NodeStatus>> live() {
            return ask(() -> nodes.values().stream()
                    .map(each -> new NodeStatus(each.node, each.devices.getAsLong()))
                    .toList());
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
