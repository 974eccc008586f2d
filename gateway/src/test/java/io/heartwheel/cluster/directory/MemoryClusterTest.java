package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract in memory; and faults planted in what stands on it, each of which the race must find. */
class MemoryClusterTest extends ClusterContract {
    private static final int DEVICES = 300;
    private static final int NODES = 8;
    private static final double LOST = 0.05;

    private final long seed = Long.getLong("test.seed", 1);
    private final MemoryFleet fleet = new MemoryFleet(seed);

    @Override
    protected Engine join(NodeId node) {
        return fleet.join(node);
    }

    @Override
    protected <T> T get(CompletionStage<T> answer) {
        return fleet.await(answer);
    }

    @Override
    protected RaceTrial trial() throws Exception {
        return new RaceTrial(new MemoryPlace(fleet), NODES, DEVICES, LOST, seed);
    }

    @Override
    protected int claims() {
        return 150_000;
    }

    @Test
    void race_inMemory_writesNoRowThatFallsBehind() throws Exception {
        try (RaceTrial trial = trial()) {
            trial.run(20_000);
            assertEquals(List.of(), fleet.violations);
        }
    }

    /** Answers that come late, twice, in another order or never. */
    @Test
    void race_threeNodesOverABadWay_leavesOneHolder() throws Exception {
        fleet.dropped = 0.005;
        fleet.repeated = 0.01;
        fleet.mostDelayNanos = 30_000_000;
        try (RaceTrial trial = new RaceTrial(new MemoryPlace(fleet), 3, 100, LOST, seed)) {
            trial.run(40_000);
            fleet.dropped = 0;
            trial.sweep();
            // who leaves while nothing arrives leaves a row behind, which names nobody: the node says so when it is
            // asked
            List<String> rest = trial.violations().stream()
                    .filter(text -> !text.endsWith(" of 0 holders"))
                    .toList();
            assertEquals(List.of(), rest, trial::summary);
            assertEquals(List.of(), fleet.violations);
        }
    }

    // ------------------------------------------------------------------ planted faults

    private boolean finds(UnaryOperator<Engine> fault, boolean sweeps) throws Exception {
        try (RaceTrial trial = new RaceTrial(new MemoryPlace(fleet), NODES, DEVICES, LOST, seed, fault)) {
            trial.run(20_000);
            if (sweeps) {
                trial.sweep();
            }
            return !trial.violations().isEmpty();
        }
    }

    @Test
    void fault_none_isNotFound() throws Exception {
        assertFalse(finds(engine -> engine, true));
    }

    @Test
    void fault_noSweep_isFound() throws Exception {
        assertTrue(finds(engine -> engine, false));
    }

    @Test
    void fault_releaseWithoutComparing_isFound() throws Exception {
        assertTrue(finds(there -> withRows(there, new ReleasesAnything(there.rows())), true));
    }

    @Test
    void fault_answerBeforeTheAck_isFound() throws Exception {
        assertTrue(finds(there -> withRows(there, new AnswersEarly(there.rows())), true));
    }

    @Test
    void fault_kickWithoutEpoch_isFound() throws Exception {
        fleet.mostDelayNanos = 5_000_000;
        assertTrue(finds(
                there -> new Engine(
                        there.rows(), new KicksAnybody(there.bus()), there.membership(), there.health(), there::close),
                true));
    }

    private static Engine withRows(Engine there, RowStore rows) {
        return new Engine(rows, there.bus(), there.membership(), there.health(), there::close);
    }

    private record ReleasesAnything(RowStore there) implements RowStore {
        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return there.read(deviceId);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return row.held()
                    ? there.write(deviceId, row, revision)
                    : there.read(deviceId).thenCompose(now -> there.write(deviceId, row, now.revision()));
        }
    }

    private record AnswersEarly(RowStore there) implements RowStore {
        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return there.read(deviceId);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            there.write(deviceId, row, revision);
            return CompletableFuture.completedFuture(true);
        }
    }

    private record KicksAnybody(NodeBus there) implements NodeBus {
        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            return there.request(to, message, patienceNanos);
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> answers) {
            there.serve(message -> CompletableFuture.completedFuture(BusMessage.answer(
                    message,
                    asked -> BusMessage.Answer.decode(answers.apply(new BusMessage(
                                            asked.command(),
                                            Long.MAX_VALUE,
                                            asked.sessionId(),
                                            asked.from(),
                                            asked.deviceId())
                                    .encode())
                            .toCompletableFuture()
                            .join()))));
        }

        @Override
        public long maxMessageBytes() {
            return there.maxMessageBytes();
        }
    }
}
