package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.measure.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several workers asked as one. */
@Timeout(60)
final class WorkerGroupTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<Conversation> conversations = new ArrayList<>();
    private WorkerGroup group;

    private void open(int workers, Function<Assignment, Worker> factory) throws Exception {
        for (int i = 0; i < workers; i++) {
            Conversation conversation = new Conversation("worker " + i, LONG, factory);
            conversations.add(conversation);
            conversation.prepare(ConversationTest.assignment("fine", i, workers), LONG);
        }
        group = new WorkerGroup(conversations.stream().map(c -> c.remoteWorker).toList());
    }

    @AfterEach
    void close() {
        if (group != null) {
            group.close();
        }
    }

    @Test
    void look_ofThree_addsUpLedgersAndUsages() throws Exception {
        open(3, TestWorker::of);
        group.begin();
        RunReading reading = group.snapshot();
        assertEquals(1_002, reading.elapsedNanos());
        assertEquals(new Usage(7, 300, 12), reading.usage());
        Ledger sum = new Ledger();
        reading.ledger().addTo(sum);
        assertEquals(300, sum.of(Count.OPENED));
        assertEquals(3, sum.of(Timing.ROUND_TRIP).count());
        assertEquals(303, sum.table("closes").get("4001"));
        assertEquals(300, group.present());
    }

    @Test
    void finish_ofThree_sortsEvidenceAndTakesTheWidestGrants() throws Exception {
        open(3, TestWorker::of);
        group.observe();
        WorkerResult part = group.finish();
        assertEquals(
                List.of("d200", "d100", "d0"),
                part.evidence().stream().map(GatewayFault::device).toList());
        assertEquals(1_000, part.grantedLeastMillis());
        assertEquals(2_002, part.grantedMostMillis());
        assertEquals(300, part.atEnd().cpuNanos());
    }

    @Test
    void evidence_muchOfAKind_isBounded() {
        List<WorkerResult> parts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            parts.add(new TestWorker(new io.heartwheel.loadgen.fleet.Slice(i, 1, 50, i, 50)).finish());
        }
        WorkerResult sum = WorkerGroup.sumOfParts(parts);
        assertEquals(WorkerGroup.MOST_OF_A_KIND, sum.evidence().size());
        assertEquals("d49", sum.evidence().get(0).device());
    }

    /** Each waits for the other in the middle of the question: asked one after the other they would wait for ever. */
    @Test
    void question_toTwo_isAskedOfBothBeforeAnAnswerIsAwaited() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        open(2, assignment -> TestWorker.of(assignment).beginning(together::await));
        group.begin();
        assertEquals(0, together.getNumberWaiting());
    }

    @Test
    void worker_lost_isNamedAndTheOthersGoOn() throws Exception {
        open(3, TestWorker::of);
        conversations.get(1).lastWords = "no more";
        conversations.get(1).answers.sink().close();
        RunReading reading = group.snapshot();
        List<String> told = List.of(
                "worker 1 was lost at look (its stream ended); its last words:\nno more",
                "100 devices were given up with them; all below is what the others saw");
        assertEquals(told, reading.lost());
        assertEquals(200, opened(reading.ledger()));
        WorkerResult part = group.finish();
        assertEquals(told, part.lost());
        assertEquals(200, opened(part.ledger()));
        group.dismiss();
        assertEquals(200, group.present());
        group.close();
        for (Conversation conversation : conversations) {
            conversation.worker.join();
        }
    }

    @Test
    void workers_allFailing_areCountedBehindTheFirstAndNothingIsLeft() throws Exception {
        open(8, TestWorker::of);
        group.act(13);
        List<String> told = group.snapshot().lost();
        assertEquals("worker 0: no step 13", told.get(0));
        assertEquals("worker 4: no step 13", told.get(4));
        assertEquals("and 3 more of 8", told.get(5));
        assertEquals(0, opened(group.finish().ledger()));
    }

    @Test
    void worker_answeringWhatIsNotWhole_isGivenUp() throws Exception {
        for (String answer : List.of(
                "{}",
                "{\"reading\":{}}",
                "{\"reading\":7}",
                "no JSON",
                "\u0000\u0007 not at all {",
                "{\"reading\":null}")) {
            conversations.clear();
            open(2, TestWorker::of);
            conversations.get(0).answersRaw().write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            RunReading reading = group.snapshot();
            assertEquals(100, opened(reading.ledger()), answer);
            assertTrue(reading.lost().get(0).startsWith("worker 0"), () -> answer + reading.lost());
            group.close();
        }
    }

    /** Half a line, and nothing more: the limit ends the wait, as it does for one that says nothing at all. */
    @Test
    void worker_hurried_isGivenUpInItsNewTime() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(2);
        open(2, assignment -> TestWorker.of(assignment).beginning(() -> {
            asked.countDown();
            if (assignment.share().slice().worker() == 0) {
                never.await();
            }
        }));
        CompletableFuture<Void> beginning = CompletableFuture.runAsync(group::begin);
        asked.await();
        // long enough for the other one, whose answer is on its way
        group.hurry(Duration.ofSeconds(4), LONG);
        beginning.join();
        RunReading reading = group.snapshot();
        assertTrue(
                reading.lost().get(0).startsWith("worker 0 did not answer begin within "), () -> reading.lost() + "");
        assertEquals(100, opened(reading.ledger()));
    }

    private static long opened(Ledger.Page page) {
        return page.counts().getOrDefault(Count.OPENED.label(), 0L);
    }
}
