package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Answer;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.BusMessage.Outcome;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.DeviceRegistry.Claimed;
import io.heartwheel.cluster.DeviceRegistry.Standing;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Contract of an engine and of what stands on it, the same for one in memory and for a real one. */
abstract class ClusterContract {
    protected static final NodeId A = new NodeId("a", 1_000);
    protected static final NodeId B = new NodeId("b", 2_000);

    /** The engine of one more node of a fleet, which is empty at the beginning of each test. */
    protected abstract Engine join(NodeId node) throws Exception;

    /** The value of an answer. */
    protected abstract <T> T get(CompletionStage<T> answer) throws Exception;

    /** What eight nodes do to each other's devices. */
    protected abstract RaceTrial trial() throws Exception;

    /** Claims in the race. */
    protected abstract int claims();

    private static byte[] id(String device) {
        return device.getBytes(StandardCharsets.UTF_8);
    }

    private DeviceRegistry registry(NodeId node) throws Exception {
        return new DeviceRegistry(join(node).rows());
    }

    private static EngineException failure(org.junit.jupiter.api.function.Executable asked) {
        Throwable failed = assertThrows(Throwable.class, asked);
        Throwable cause =
                failed instanceof CompletionException || failed instanceof java.util.concurrent.ExecutionException
                        ? failed.getCause()
                        : failed;
        return EngineException.of(cause);
    }

    // ------------------------------------------------------------------ rows

    @Test
    void claim_ofAFreeId_isGrantedWithItsOwnEpoch() throws Exception {
        DeviceRegistry a = registry(A);
        Claimed claimed = get(a.claim(id("d/1 ü"), A, 7, 500, () -> true));
        assertEquals(500, claimed.epoch());
        assertFalse(claimed.before().held());
        Row row = get(a.locate(id("d/1 ü")));
        assertTrue(row.isHeldBy(A, 7));
        assertEquals(500, row.epoch());
    }

    @Test
    void claim_ofAHeldId_hasALaterEpochAndTellsWhoHeldIt() throws Exception {
        DeviceRegistry a = registry(A);
        DeviceRegistry b = registry(B);
        get(a.claim(id("d"), A, 7, 9_000, () -> true));
        Claimed claimed = get(b.claim(id("d"), B, 8, 500, () -> true));
        assertEquals(9_001, claimed.epoch());
        assertTrue(claimed.before().isHeldBy(A, 7));
        assertEquals(600, get(b.claim(id("other"), B, 9, 600, () -> true)).epoch(), "nobody else is moved");
    }

    @Test
    void claim_thatWasWrittenAlready_isGrantedAsWritten() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, () -> true));
        assertEquals(500, get(a.claim(id("d"), A, 7, 700, () -> true)).epoch());
    }

    @Test
    void claim_thatNobodyWants_changesNothing() throws Exception {
        DeviceRegistry a = registry(A);
        assertFalse(get(a.claim(id("d"), A, 7, 500, () -> false)).isGranted());
        assertEquals(Row.NONE, get(a.locate(id("d"))));
    }

    @Test
    void write_withAnotherRevision_isNotDone() throws Exception {
        Engine a = join(A);
        DeviceRegistry registry = new DeviceRegistry(a.rows());
        get(registry.claim(id("d"), A, 7, 500, () -> true));
        Row first = get(registry.locate(id("d")));
        get(registry.claim(id("d"), A, 8, 600, () -> true));
        assertFalse(get(a.rows().write(id("d"), first, first.revision())));
        assertFalse(get(a.rows().write(id("d"), first, 0)));
        assertTrue(get(registry.locate(id("d"))).isHeldBy(A, 8));
    }

    @Test
    void release_byTheHolder_freesTheIdAndKeepsTheEpoch() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 9_000, () -> true));
        assertTrue(get(a.release(id("d"), A, 7)));
        assertFalse(get(a.locate(id("d"))).held());
        assertEquals(9_001, get(a.claim(id("d"), B, 8, 500, () -> true)).epoch());
    }

    @Test
    void release_bySomebodyElse_changesNothing() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, () -> true));
        get(a.claim(id("d"), B, 8, 500, () -> true));
        assertFalse(get(a.release(id("d"), A, 7)));
        assertTrue(get(a.locate(id("d"))).isHeldBy(B, 8));
    }

    @Test
    void reassert_ofEachStanding_isAsTheRowSays() throws Exception {
        DeviceRegistry a = registry(A);
        assertEquals(Standing.REASSERTED, get(a.reassert(id("d"), A, 7, 500)).standing());
        assertEquals(Standing.KEPT, get(a.reassert(id("d"), A, 7, 500)).standing());
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), B, 8, 500)).standing(), "the first of two equals");
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), B, 8, 499)).standing());
        assertEquals(Standing.REASSERTED, get(a.reassert(id("d"), B, 8, 501)).standing());
        assertTrue(get(a.locate(id("d"))).isHeldBy(B, 8));
        get(a.release(id("d"), B, 8));
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), A, 7, 500)).standing(), "the later one has left");
    }

    // ------------------------------------------------------------------ other nodes

    @Test
    void request_toANode_isAnsweredByThatOne() throws Exception {
        Engine a = join(A);
        Engine b = join(B);
        b.bus()
                .serve(message -> CompletableFuture.completedFuture(BusMessage.answer(
                        message, asked -> new Answer(Outcome.HERE, asked.epoch() + 1, asked.deviceId().length))));
        byte[] kick = new BusMessage(Command.KICK, 41, 3, A, id("dev")).encode();
        assertEquals(new Answer(Outcome.HERE, 42, 3), Answer.decode(get(a.bus().request(B, kick))));
    }

    @Test
    void request_ofACommandOrVersionThatIsNotKnown_isAnsweredSo() throws Exception {
        Engine a = join(A);
        join(B).bus()
                .serve(message ->
                        CompletableFuture.completedFuture(BusMessage.answer(message, asked -> Answer.ABSENT)));
        for (byte[] strange : new byte[][] {{}, {1}, {1, 99}, {9, 1}, {1, 1, 0}}) {
            assertEquals(Answer.UNKNOWN, Answer.decode(get(a.bus().request(B, strange))));
        }
        assertArrayEquals(Answer.UNKNOWN.encode(), get(a.bus().request(B, new byte[] {2})));
    }

    @Test
    void request_toANodeThatIsGone_failsAtOnce() throws Exception {
        Engine a = join(A);
        EngineException failed = failure(() -> get(a.bus().request(new NodeId("b", 1), new byte[] {1})));
        assertEquals(EngineException.Kind.NO_NODE, failed.kind());
    }

    @Test
    void request_toAnEarlierIncarnation_isNotAnsweredByTheNext() throws Exception {
        Engine a = join(A);
        join(new NodeId("b", 2)).bus().serve(CompletableFuture::completedFuture);
        EngineException failed = failure(() -> get(a.bus().request(new NodeId("b", 1), new byte[] {1})));
        assertEquals(EngineException.Kind.NO_NODE, failed.kind());
    }

    @Test
    void live_allThatAreThere_areTold() throws Exception {
        Engine a = join(A);
        a.membership().announce(() -> 3);
        join(B).membership().announce(() -> 4);
        List<NodeStatus> live = get(a.membership().live());
        assertEquals(List.of(new NodeStatus(A, 3), new NodeStatus(B, 4)), live);
        assertNotEquals(A, B);
    }

    // ------------------------------------------------------------------ all at once

    @Test
    void race_eightNodesAndLostKicks_leavesOneHolderAndItsRow() throws Exception {
        try (RaceTrial trial = trial()) {
            trial.run(claims());
            trial.sweep();
            assertEquals(List.of(), trial.violations());
            assertTrue(trial.kicksLost() > 0, "kicks were lost");
        }
    }
}
