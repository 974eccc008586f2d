package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Answer;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.ClusterCounts.What;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowsAround;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The contract in memory; and faults planted in what stands on it, each of which must be found: by three gateways over a bad way, or by deaths.
 *
 * <p>A race has 30,000 claims in each build; more with {@code mvn -q -am -pl gateway test -Dtest=MemoryClusterTest -Dheartwheel.claims=1000000}.
 */
class MemoryClusterTest extends MemoryContract {
    private static final double LOST = 0.05;
    static final UnaryOperator<Engine> NO_FAULT = UnaryOperator.identity();

    private static final int MOST_WORLDS = 5;
    /** Of a race. */
    private static final int CLAIMS = Integer.getInteger("heartwheel.claims", 30_000);

    @Override
    protected int claims() {
        return CLAIMS;
    }

    @Test
    void race_inMemory_writesNoRowThatFallsBehind() throws Exception {
        try (RaceTrial trial = trial()) {
            trial.run(20_000);
            assertEquals(List.of(), fleet.violations);
        }
    }

    @Test
    void race_threeNodesOverABadWay_leavesOneHolder() throws Exception {
        assertEquals(List.of(), wrong(SEED, CLAIMS, NO_FAULT, true));
    }

    private static MemoryFleet overABadWay(long seed) {
        MemoryFleet world = new MemoryFleet(seed);
        world.dropped = 0.005;
        world.repeated = 0.01;
        world.mostDelayNanos = 30_000_000;
        return world;
    }

    /** What is wrong in the end with three gateways over a way on which questions and answers come late, twice, in another order or never. */
    private static List<String> wrong(long seed, int claims, UnaryOperator<Engine> fault, boolean sweeps)
            throws Exception {
        MemoryFleet world = overABadWay(seed);
        try (RaceTrial trial = new RaceTrial(new MemoryPlace(world), 3, 100, LOST, seed, fault)) {
            trial.run(claims);
            world.dropped = 0;
            if (sweeps) {
                trial.sweep();
            }
            List<String> all = trial.violations();
            List<String> wrong = new ArrayList<>(known(all));
            int leftBehind = all.size() - wrong.size();
            wrong.addAll(world.violations);
            System.out.println(wrong.size() + " wrong, " + leftBehind + " rows left behind: " + trial.summary());
            return wrong;
        }
    }

    @Test
    void race_ofRivalsOverABadWay_leavesOneHolderAndMostWait() throws Exception {
        assertEquals(List.of(), wrongOfMany(false, NO_FAULT));
    }

    @Test
    void race_ofDevicesAloneOverABadWay_leavesOneHolderAndFewWait() throws Exception {
        assertEquals(List.of(), wrongOfMany(true, NO_FAULT));
    }

    /** Those that come too often ask whether the one that has the id is there, and wait for it. */
    private static List<String> wrongOfMany(boolean alone, UnaryOperator<Engine> fault) throws Exception {
        MemoryFleet world = overABadWay(SEED);
        try (RaceTrial trial = new RaceTrial(new MemoryPlace(world), 3, 100, LOST, SEED, fault)) {
            trial.rivals = true;
            trial.alone = alone;
            trial.run(10_000);
            world.dropped = 0;
            trial.sweep();
            List<String> wrong = new ArrayList<>(known(trial.violations()));
            wrong.addAll(world.violations);
            System.out.println(trial.summary());
            boolean manyWait = trial.counts.get(What.CLAIM_CONFLICT) > 1_000;
            if (manyWait == alone || trial.takenOver() > 3_000) {
                wrong.add(trial.summary());
            }
            return wrong;
        }
    }

    /** Copies of the rows that are behind. */
    @Test
    void race_overCopiesThatLag_leavesOneHolder() throws Exception {
        fleet.mostLagNanos = 200_000_000;
        try (RaceTrial trial = new RaceTrial(new MemoryPlace(fleet), 3, 100, LOST, SEED)) {
            trial.run(10_000);
            fleet.pass(fleet.mostLagNanos);
            trial.sweep();
            assertEquals(List.of(), trial.violations());
            assertEquals(List.of(), fleet.violations);
        }
    }

    @Test
    void release_copyOfTheRowLags_isDone() {
        fleet.mostLagNanos = 60_000_000_000L;
        DeviceRegistry a = new DeviceRegistry(join(A).rows());
        byte[] id = {'d'};
        get(a.claim(id, A, 7, 500, row -> true));
        assertTrue(get(a.release(id, A, 7)));
        assertFalse(fleet.row("d").held());
    }

    // ------------------------------------------------------------------ nodes that die

    private List<String> afterDeaths(boolean standsStill, UnaryOperator<Engine> fault) {
        fleet.mostDelayNanos = 200_000_000;
        return afterDeaths(fleet, SEED, standsStill, false, fault);
    }

    static List<String> afterDeaths(
            MemoryFleet fleet, long seed, boolean standsStill, boolean answersEarly, UnaryOperator<Engine> fault) {
        MortalTrial trial = new MortalTrial(fleet, seed, standsStill, answersEarly, fault);
        trial.run(6_000);
        List<String> violations = trial.violations();
        assertTrue(trial.hasSeenEverything() || fault != NO_FAULT, trial::summary);
        return violations;
    }

    @Test
    void deaths_inTheEnd_eventsSayWhatIsAndEachIsToldOnce() {
        assertEquals(List.of(), afterDeaths(false, NO_FAULT));
        assertEquals(List.of(), fleet.violations);
    }

    @Test
    void deaths_overABadWay_eventsSayWhatIs() {
        fleet.dropped = 0.005;
        fleet.repeated = 0.01;
        List<String> violations = afterDeaths(false, NO_FAULT);
        assertEquals(List.of(), known(violations));
    }

    @Test
    void standstills_inTheEnd_eventsSayWhatIsAndNobodyAnswersWrongly() {
        fleet.dropped = 0.005;
        assertEquals(List.of(), known(afterDeaths(true, NO_FAULT)));
        assertEquals(List.of(), fleet.violations);
    }

    /** Without what is known: who leaves while nothing arrives leaves a row behind, and its node says so when it is asked. */
    static List<String> known(List<String> violations) {
        return violations.stream()
                .filter(text -> !text.endsWith(" of 0 holders"))
                .toList();
    }

    // ------------------------------------------------------------------ planted faults

    @Test
    void fault_rowsOfTheDeadReleasedWithoutComparing_isFound() {
        afterDeaths(false, there -> withRows(there, new ReleasesAnything(there.rows())));
        assertNotEquals(List.of(), fleet.violations);
    }

    @Test
    void fault_answersBeforeItIsSure_isFound() {
        boolean found = false;
        for (int i = 0; i < MOST_WORLDS && !found; i++) {
            MemoryFleet world = new MemoryFleet(SEED + i);
            world.dropped = 0.1;
            found = afterDeaths(world, SEED + i, true, true, NO_FAULT).stream()
                    .anyMatch(text -> text.contains(" says that it has "));
        }
        assertTrue(found);
    }

    @Test
    void fault_eachElectsItself_isFound() {
        assertNotEquals(List.of(), afterDeaths(false, there -> withRows(there, new ElectsItself(there.rows()))));
    }

    /** In one of a few worlds: a fault need not show in each. */
    private boolean finds(UnaryOperator<Engine> fault, boolean sweeps) throws Exception {
        boolean found = false;
        for (int i = 0; i < MOST_WORLDS && !found; i++) {
            found = !wrong(SEED + i, 20_000, fault, sweeps).isEmpty();
        }
        return found;
    }

    @Test
    void fault_none_isNotFound() throws Exception {
        assertFalse(finds(NO_FAULT, true));
    }

    @Test
    void fault_noSweep_isFound() throws Exception {
        assertTrue(finds(NO_FAULT, false));
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
        assertTrue(finds(
                there -> answering(
                        there,
                        (asked, node) -> node.answer(new BusMessage(
                                asked.command(),
                                Long.MAX_VALUE,
                                asked.sessionId(),
                                asked.from(),
                                asked.waitMillis(),
                                asked.deviceId()))),
                true));
    }

    @Test
    void fault_holderSaidToBeGone_isFound() throws Exception {
        assertNotEquals(
                List.of(),
                wrongOfMany(
                        false,
                        there -> answering(
                                there,
                                (asked, node) ->
                                        asked.command() == Command.WHERE ? Answer.ABSENT : node.answer(asked))));
    }

    @Test
    void fault_holderNotSaidToBeGone_isFound() throws Exception {
        assertNotEquals(
                List.of(),
                wrongOfMany(
                        true,
                        there -> answering(
                                there,
                                (asked, node) ->
                                        asked.command() == Command.WHERE ? Answer.UNKNOWN : node.answer(asked))));
    }

    private static Engine answering(Engine there, BiFunction<BusMessage, BusMessage.Answering, Answer> otherwise) {
        return new Engine(
                there.rows(),
                there.members(),
                there.schedules(),
                new AnswersOtherwise(there.bus(), otherwise),
                there.membership(),
                there.health(),
                there::close);
    }

    static Engine withRows(Engine there, RowStore rows) {
        return new Engine(
                rows,
                there.members(),
                there.schedules(),
                there.bus(),
                there.membership(),
                there.health(),
                there::close);
    }

    private static final class ReleasesAnything extends RowsAround {
        ReleasesAnything(RowStore there) {
            super(there);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            return row.held()
                    ? there.write(deviceId, row, revision)
                    : there.read(deviceId).thenCompose(now -> there.write(deviceId, row, now.revision()));
        }
    }

    /** Nobody sees what others write of nodes. */
    private static final class ElectsItself extends RowsAround {
        private final Map<String, Row> nodes = new HashMap<>();

        ElectsItself(RowStore there) {
            super(there);
        }

        @Override
        public CompletionStage<Row> read(byte[] deviceId) {
            return NodeRow.isKey(deviceId)
                    ? CompletableFuture.completedFuture(nodes.getOrDefault(NodeRow.text(deviceId), Row.NONE))
                    : there.read(deviceId);
        }

        @Override
        public CompletionStage<Row> readLatest(byte[] deviceId) {
            return read(deviceId);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            if (!NodeRow.isKey(deviceId)) {
                return there.write(deviceId, row, revision);
            }
            nodes.put(NodeRow.text(deviceId), Row.decode(row.encode(), revision + 1));
            return CompletableFuture.completedFuture(true);
        }
    }

    private static final class AnswersEarly extends RowsAround {
        AnswersEarly(RowStore there) {
            super(there);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
            there.write(deviceId, row, revision);
            return CompletableFuture.completedFuture(true);
        }
    }

    private record AnswersOtherwise(NodeBus there, BiFunction<BusMessage, BusMessage.Answering, Answer> otherwise)
            implements NodeBus {
        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            return there.request(to, message, patienceNanos);
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> answers) {
            there.serve(message -> CompletableFuture.completedFuture(BusMessage.answer(
                    message,
                    asked -> otherwise.apply(
                            asked,
                            now -> Answer.decode(answers.apply(now.encode())
                                    .toCompletableFuture()
                                    .join())))));
        }

        @Override
        public long maxMessageBytes() {
            return there.maxMessageBytes();
        }
    }
}
