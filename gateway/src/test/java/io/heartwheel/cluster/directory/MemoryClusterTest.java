package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.Health;
import io.heartwheel.cluster.Membership;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
        assertTrue(finds(ReleasesAnything::new, true));
    }

    @Test
    void fault_answerBeforeTheAck_isFound() throws Exception {
        assertTrue(finds(AnswersEarly::new, true));
    }

    @Test
    void fault_kickWithoutEpoch_isFound() throws Exception {
        fleet.mostDelayNanos = 5_000_000;
        assertTrue(finds(KicksAnybody::new, true));
    }

    /** An engine as it is. */
    private abstract static class Faulty implements Engine, RowStore, NodeBus {
        final Engine there;

        Faulty(Engine there) {
            this.there = there;
        }

        @Override
        public RowStore rows() {
            return this;
        }

        @Override
        public NodeBus bus() {
            return this;
        }

        @Override
        public Membership membership() {
            return there.membership();
        }

        @Override
        public Health health() {
            return there.health();
        }

        @Override
        public void close() {
            there.close();
        }

        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return there.rows().read(deviceId);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return there.rows().write(deviceId, row, revision);
        }

        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message) {
            return there.bus().request(to, message);
        }

        @Override
        public void serve(UnaryOperator<byte[]> answers) {
            there.bus().serve(answers);
        }
    }

    private static final class ReleasesAnything extends Faulty {
        ReleasesAnything(Engine there) {
            super(there);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return row.held()
                    ? super.write(deviceId, row, revision)
                    : read(deviceId).thenCompose(now -> super.write(deviceId, row, now.revision()));
        }
    }

    private static final class AnswersEarly extends Faulty {
        AnswersEarly(Engine there) {
            super(there);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            super.write(deviceId, row, revision);
            return CompletableFuture.completedFuture(true);
        }
    }

    private static final class KicksAnybody extends Faulty {
        KicksAnybody(Engine there) {
            super(there);
        }

        @Override
        public void serve(UnaryOperator<byte[]> answers) {
            super.serve(message -> BusMessage.answer(
                    message,
                    asked -> BusMessage.Answer.decode(answers.apply(new BusMessage(
                                    asked.command(), Long.MAX_VALUE, asked.sessionId(), asked.from(), asked.deviceId())
                            .encode()))));
        }
    }
}
