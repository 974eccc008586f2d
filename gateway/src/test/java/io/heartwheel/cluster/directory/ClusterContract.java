package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.BusMessage;
import io.heartwheel.cluster.BusMessage.Answer;
import io.heartwheel.cluster.BusMessage.Command;
import io.heartwheel.cluster.BusMessage.Outcome;
import io.heartwheel.cluster.DeviceRegistry;
import io.heartwheel.cluster.DeviceRegistry.Claimed;
import io.heartwheel.cluster.DeviceRegistry.Look;
import io.heartwheel.cluster.DeviceRegistry.Standing;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.Moment;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    static byte[] id(String device) {
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
        Claimed claimed = get(a.claim(id("d/1 ü"), A, 7, 500, row -> true));
        assertEquals(500, claimed.epoch());
        assertFalse(claimed.before().held());
        Row row = get(a.locate(id("d/1 ü"), false));
        assertTrue(row.isHeldBy(A, 7));
        assertEquals(500, row.epoch());
    }

    @Test
    void latestRow_isTheOneThatWasWritten() throws Exception {
        DeviceRegistry a = registry(A);
        assertEquals(Row.NONE, get(a.locate(id("d/1 ü"), true)));
        get(a.claim(id("d/1 ü"), A, 7, 500, row -> true));
        assertEquals(get(a.locate(id("d/1 ü"), false)), get(a.locate(id("d/1 ü"), true)));
    }

    @Test
    void claim_ofAHeldId_hasALaterEpochAndTellsWhoHeldIt() throws Exception {
        DeviceRegistry a = registry(A);
        DeviceRegistry b = registry(B);
        get(a.claim(id("d"), A, 7, 9_000, row -> true));
        Claimed claimed = get(b.claim(id("d"), B, 8, 500, row -> true));
        assertEquals(9_001, claimed.epoch());
        assertTrue(claimed.before().isHeldBy(A, 7));
        assertEquals(600, get(b.claim(id("other"), B, 9, 600, row -> true)).epoch(), "nobody else is moved");
    }

    @Test
    void claim_thatWasWrittenAlready_isGrantedAsWritten() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, row -> true));
        assertEquals(500, get(a.claim(id("d"), A, 7, 700, row -> true)).epoch());
    }

    @Test
    void claim_thatHasToWait_changesNothingAndTellsForWhom() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, row -> true));
        Claimed claimed = get(registry(B).claim(id("d"), B, 8, 600, row -> !row.isHeldElsewhere(B)));
        assertFalse(claimed.isGranted());
        assertTrue(claimed.before().isHeldBy(A, 7));
        assertTrue(get(a.locate(id("d"), false)).isHeldBy(A, 7));
    }

    @Test
    void claim_thatNobodyWants_changesNothing() throws Exception {
        DeviceRegistry a = registry(A);
        assertFalse(get(a.claim(id("d"), A, 7, 500, row -> false)).isGranted());
        assertEquals(Row.NONE, get(a.locate(id("d"), false)));
    }

    @Test
    void write_withAnotherRevision_isNotDone() throws Exception {
        Engine a = join(A);
        DeviceRegistry registry = new DeviceRegistry(a.rows());
        get(registry.claim(id("d"), A, 7, 500, row -> true));
        Row first = get(registry.locate(id("d"), false));
        get(registry.claim(id("d"), A, 8, 600, row -> true));
        assertFalse(get(a.rows().write(id("d"), first, first.revision())));
        assertFalse(get(a.rows().write(id("d"), first, 0)));
        assertTrue(get(registry.locate(id("d"), false)).isHeldBy(A, 8));
    }

    @Test
    void release_byTheHolder_freesTheIdAndKeepsTheEpoch() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 9_000, row -> true));
        assertTrue(get(a.release(id("d"), A, 7)));
        assertFalse(get(a.locate(id("d"), false)).held());
        assertEquals(9_001, get(a.claim(id("d"), B, 8, 500, row -> true)).epoch());
    }

    @Test
    void release_bySomebodyElse_changesNothing() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, row -> true));
        get(a.claim(id("d"), B, 8, 500, row -> true));
        assertFalse(get(a.release(id("d"), A, 7)));
        assertTrue(get(a.locate(id("d"), false)).isHeldBy(B, 8));
    }

    @Test
    void reassert_ofEachStanding_isAsTheRowSays() throws Exception {
        DeviceRegistry a = registry(A);
        assertEquals(
                Standing.REASSERTED, get(a.reassert(id("d"), A, 7, 500, false)).standing());
        assertEquals(Standing.KEPT, get(a.reassert(id("d"), A, 7, 500, false)).standing());
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), B, 8, 500, false)).standing(), "the first of two equals");
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), B, 8, 499, false)).standing());
        assertEquals(
                Standing.REASSERTED, get(a.reassert(id("d"), B, 8, 501, false)).standing());
        assertTrue(get(a.locate(id("d"), false)).isHeldBy(B, 8));
        get(a.release(id("d"), B, 8));
        assertEquals(Standing.TAKEN, get(a.reassert(id("d"), A, 7, 500, false)).standing(), "the later one has left");
    }

    @Test
    void reassert_ofWhatWasGivenBackByOthers_hasALaterEpoch() throws Exception {
        DeviceRegistry a = registry(A);
        get(a.claim(id("d"), A, 7, 500, row -> true));
        get(a.release(id("d"), A, 7)); // as a survivor does
        Look look = get(a.reassert(id("d"), A, 7, 500, false));
        assertEquals(Standing.RENEWED, look.standing());
        assertEquals(501, look.epoch());
        assertEquals(501, get(a.locate(id("d"), false)).epoch());
        assertEquals(
                Standing.RENEWED, get(a.reassert(id("d"), A, 7, 500, false)).standing(), "who did not hear of it");
        assertEquals(Standing.KEPT, get(a.reassert(id("d"), A, 7, 501, false)).standing());
    }

    @Test
    void reassert_firmly_leavesNothingToWhoHasReadBefore() throws Exception {
        Engine engine = join(A);
        DeviceRegistry a = new DeviceRegistry(engine.rows());
        get(a.claim(id("d"), A, 7, 500, row -> true));
        Row read = get(a.locate(id("d"), false));
        assertEquals(Standing.KEPT, get(a.reassert(id("d"), A, 7, 500, true)).standing());
        assertFalse(get(engine.rows().write(id("d"), read.released(), read.revision())));
        assertEquals(500, get(a.locate(id("d"), false)).epoch());
        assertEquals(
                Standing.RENEWED, get(a.reassert(id("new"), A, 8, 500, true)).standing(), "it may have been told");
    }

    // ------------------------------------------------------------------ other nodes

    @Test
    void request_toANode_isAnsweredByThatOne() throws Exception {
        Engine a = join(A);
        Engine b = join(B);
        b.bus()
                .serve(message -> CompletableFuture.completedFuture(BusMessage.answer(
                        message,
                        asked -> new Answer(
                                Outcome.HERE, asked.epoch() + asked.waitMillis(), asked.deviceId().length))));
        byte[] kick = new BusMessage(Command.KICK, 41, 3, A, 40_000, id("dev")).encode();
        assertEquals(
                new Answer(Outcome.HERE, 40_041, 3), Answer.decode(get(a.bus().request(B, kick))));
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
    void announcement_ofOne_isHeardByAll() throws Exception {
        Engine a = join(A);
        Engine b = join(B);
        CompletableFuture<NodeStatus> byA = new CompletableFuture<>();
        CompletableFuture<NodeStatus> byB = new CompletableFuture<>();
        a.membership().hear(byA::complete);
        b.membership().hear(byB::complete);
        b.membership().announce(new NodeStatus(B, 4));
        assertEquals(new NodeStatus(B, 4), get(byA));
        assertEquals(new NodeStatus(B, 4), get(byB));
        assertNotEquals(A, B);
    }

    // ------------------------------------------------------------------ all rows

    @Test
    void page_ofAllRows_hasEachOnceInOrderOfWriting() throws Exception {
        RowStore rows = join(A).rows();
        DeviceRegistry registry = new DeviceRegistry(rows);
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            get(registry.claim(id("d" + i % 20), A, i, 500, row -> true));
            written.remove("d" + i % 20);
            written.add("d" + i % 20);
        }
        Map<String, Integer> bucket = new LinkedHashMap<>();
        for (RowStore.Entry each : all(rows, id(written.get(written.size() - 1)))) {
            assertEquals(each.row(), get(rows.readLatest(each.deviceId())));
            String device = new String(each.deviceId(), StandardCharsets.UTF_8);
            assertNull(bucket.put(device, Moment.bucket(each.row().revision())), "each once");
        }
        written.sort(Comparator.comparing(bucket::get));
        assertEquals(written, List.copyOf(bucket.keySet()));
    }

    /** All rows, page by page, as of a moment while this one was there. */
    private List<RowStore.Entry> all(RowStore rows, byte[] key) throws Exception {
        Moment now = get(rows.moment(key, get(rows.readLatest(key)).revision()));
        List<RowStore.Entry> all = new ArrayList<>();
        for (long at = now.next(0); at != Moment.THROUGH; at = now.next(at)) {
            List<RowStore.Entry> page = get(rows.page(false, at, 7));
            assertFalse(page.isEmpty() || page.size() > 7);
            all.addAll(page);
            at = page.get(page.size() - 1).row().revision();
        }
        return all;
    }

    @Test
    void page_ofNodesAlone_hasNoDevice() throws Exception {
        RowStore rows = join(A).rows();
        get(new DeviceRegistry(rows).claim(id("d"), A, 7, 500, row -> true));
        assertEquals(List.of(), get(rows.page(true, 0, 10)));
        assertTrue(get(rows.write(NodeRow.key(B), NodeRow.living(Row.NONE, B), 0)));
        List<RowStore.Entry> nodes = get(rows.page(true, 0, 10));
        assertEquals(1, nodes.size());
        assertEquals(B, NodeRow.node(nodes.get(0).deviceId()));
        assertTrue(NodeRow.lives(nodes.get(0).row(), B));
        assertEquals(2, all(rows, NodeRow.key(B)).size());
        assertTrue(NodeRow.lives(get(rows.read(NodeRow.key(B))), B));
    }

    @Test
    void purge_ofARow_leavesWhatWasWrittenSince() throws Exception {
        RowStore rows = join(A).rows();
        byte[] key = NodeRow.key(B);
        get(rows.write(key, NodeRow.living(Row.NONE, B), 0));
        Row first = get(rows.read(key));
        get(rows.write(key, NodeRow.ended(first, B, true), first.revision()));
        List<RowStore.Entry> page = get(rows.page(true, 0, 10));
        get(rows.purge(key, first.revision()));
        assertTrue(NodeRow.hasEnded(get(rows.read(key)), B), "a later one is there");
        get(rows.purge(key, page.get(0).row().revision()));
        assertEquals(Row.NONE, get(rows.read(key)));
        assertEquals(List.of(), get(rows.page(true, 0, 10)));
        assertTrue(get(rows.write(key, NodeRow.living(Row.NONE, B), 0)), "as if it had never been");
        assertTrue(get(rows.page(true, 0, 10)).get(0).atMillis() >= page.get(0).atMillis());
    }

    // ------------------------------------------------------------------ all at once

    @Test
    void race_eightNodesAndLostKicks_leavesOneHolderAndItsRow() throws Exception {
        try (RaceTrial trial = trial()) {
            trial.run(claims());
            trial.sweep();
            assertEquals(List.of(), trial.violations());
            System.out.println(trial.summary());
            assertTrue(trial.kicksLost() > 0, "kicks were lost");
        }
    }
}
