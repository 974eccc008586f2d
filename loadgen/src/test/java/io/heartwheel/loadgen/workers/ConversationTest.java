package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.fleet.UplinkEvent;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.workers.WorkerRequest.Ask;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One worker and its coordinator, over pipes. */
@Timeout(60)
final class ConversationTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final AtomicReference<TestWorker> toy = new AtomicReference<>();
    private Conversation conversation;

    @BeforeEach
    void open() throws Exception {
        conversation = new Conversation("worker 3", LONG, this::play);
    }

    @AfterEach
    void close() throws Exception {
        conversation.remoteWorker.close();
        conversation.worker.join();
    }

    private TestWorker play(Assignment assignment) {
        toy.set(TestWorker.of(assignment));
        return toy.get();
    }

    static Assignment assignment(String scenario, int worker, int workers) {
        Slice slice = new Slice(100 * worker, 100, 100 * workers, worker, workers);
        return new Assignment(
                scenario, List.of(new WorkerShare(slice, 2, 32L << 20, List.of("127.1.0." + (worker + 1)))));
    }

    private WorkerReply ask(Ask what) {
        return conversation.ask(WorkerRequest.of(what));
    }

    private void prepared() {
        conversation.prepare(assignment("fine", 0, 1), LONG);
    }

    @Test
    void conversation_everyCall_arrivesInOrderAndIsAnswered() {
        prepared();
        ask(Ask.BEGIN);
        Ledger ledger = new Ledger();
        ask(Ask.LOOK).reading().ledger().addTo(ledger);
        assertEquals(100, ledger.of(io.heartwheel.loadgen.measure.Count.OPENED));
        ask(Ask.OBSERVE);
        conversation.ask(WorkerRequest.of(2));
        assertEquals("d0", ask(Ask.FINISH).part().evidence().get(0).device());
        ask(Ask.DISMISS);
        assertEquals(100, ask(Ask.PRESENT).present());
        conversation.remoteWorker.close();
        conversation.remoteWorker.close();
        assertEquals(
                List.of("begin", "look", "observe", "act 2", "finish", "dismiss", "present", "close"), toy.get().calls);
        assertEquals(0, conversation.lost.get());
    }

    @Test
    void assignment_travelling_arrivesWhole() throws Exception {
        Assignment sent = assignment("clients = 5\n# ä \"quoted\"", 2, 5);
        WorkerRequest question = WorkerRequest.of(sent);
        assertEquals(question, Json.value(Json.text(question), WorkerRequest.class));
        assertFalse(Json.text(question).contains("\n"));
    }

    @Test
    void cameOut_events_arriveWhole() throws Exception {
        UplinkEvent event = new UplinkEvent(
                UplinkEvent.Kind.MESSAGE, 7, 9, -5, Long.MAX_VALUE, 3, "gw-1", "", Long.MIN_VALUE, 1_024, 0xFFFF_FFFFL);
        UplinkReport report = new UplinkReport(List.of(event), Map.of("uplink_gaps", 4L), true, false);
        WorkerRequest question = WorkerRequest.of(report);
        assertEquals(question, Json.value(Json.text(question), WorkerRequest.class));
        prepared();
        conversation.ask(question);
        assertEquals(List.of("came out 1"), toy.get().calls);
    }

    @Test
    void capacity_asked_tellsTheMachinesLimits() {
        assertEquals(LoadDivisionTest.machine(20_000, 2), conversation.remoteWorker.capacity());
    }

    @Test
    void prepare_badScenario_tellsTheWorkersWordsAndGoesOn() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class, () -> conversation.prepare(assignment("unreadable", 0, 1), LONG));
        assertEquals("worker 3: interval = 3ms: need 100ms..24h", e.getMessage());
        prepared();
        ask(Ask.BEGIN);
    }

    @Test
    void question_beforePrepareOrTwice_isRefused() {
        assertEquals(
                "worker 3: nothing is prepared yet",
                assertThrows(IllegalStateException.class, () -> ask(Ask.LOOK)).getMessage());
        prepared();
        assertEquals(
                "worker 3: prepared twice: need a new conversation",
                assertThrows(IllegalStateException.class, this::prepared).getMessage());
    }

    @Test
    void worker_failing_isAnErrorOfThatCallAlone() {
        prepared();
        assertEquals(
                "worker 3: no step 13",
                assertThrows(IllegalStateException.class, () -> conversation.ask(WorkerRequest.of(13)))
                        .getMessage());
        conversation.ask(WorkerRequest.of(14));
    }

    @Test
    void line_noQuestion_isAnsweredAndTheNextIsHeard() throws Exception {
        conversation.raw().write("\n{\"ask\":\"SING\"}\n[]\n".getBytes(StandardCharsets.UTF_8));
        LineChannel answers = new LineChannel(
                java.nio.channels.Channels.newInputStream(conversation.answers.source()), conversation.raw(), 1_000);
        for (int i = 0; i < 3; i++) {
            assertTrue(Json.value(answers.read(), WorkerReply.class).error().startsWith("not a question: "));
        }
        assertEquals(2, conversation.remoteWorker.capacity().cores());
    }

    @Test
    void coordinator_gone_interruptsTheWorkerAndClosesIt() throws Exception {
        prepared();
        conversation.remoteWorker.ask(WorkerRequest.of(77));
        while (!toy.get().calls.contains("act 77")) {
            Thread.onSpinWait();
        }
        conversation.cut();
        conversation.worker.join();
        assertEquals(List.of("act 77", "interrupted", "close"), toy.get().calls);
        assertEquals(1, conversation.lost.get());
    }

    @Test
    void coordinator_goneBetweenRequests_closesTheWorker() throws Exception {
        prepared();
        conversation.cut();
        conversation.worker.join();
        assertEquals(List.of("close"), toy.get().calls);
    }

    @Test
    void worker_silent_isLostAfterTheTimeLimitAndSaysSoAtOnceAfter() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Conversation slow = new Conversation("worker 4", Duration.ofMillis(1), assignment -> {
            awaitUninterruptibly(never);
            return TestWorker.of(assignment);
        });
        slow.lastWords = "I am tired";
        IllegalStateException e = assertThrows(
                IllegalStateException.class, () -> slow.prepare(assignment("fine", 0, 1), Duration.ofMillis(1)));
        assertEquals("worker 4 did not answer prepare within 1 ms; its last words:\nI am tired", e.getMessage());
        assertEquals(
                "worker 4 is lost",
                assertThrows(IllegalStateException.class, () -> slow.ask(WorkerRequest.of(Ask.BEGIN)))
                        .getMessage());
        slow.remoteWorker.close();
        never.countDown();
        slow.worker.join();
    }

    /** Seen: the failure was handed to the very thread that was stuck, and the caller waited for ever. */
    @Test
    void worker_stuckAndNotToBeCut_isLostAfterTheTimeLimitAllTheSame() throws Exception {
        for (boolean cutHangs : new boolean[] {false, true}) {
            CountDownLatch never = new CountDownLatch(1);
            InputStream stuck = new InputStream() {
                @Override
                public int read() throws IOException {
                    awaitUninterruptibly(never);
                    return -1;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    return read();
                }
            };
            RemoteWorker remoteWorker = new RemoteWorker(
                    "worker 5",
                    new LineChannel(stuck, OutputStream.nullOutputStream(), 1_000),
                    Duration.ofMillis(1),
                    new StuckLink(cutHangs ? never : new CountDownLatch(0)));
            IllegalStateException e = assertThrows(
                    IllegalStateException.class,
                    () -> remoteWorker.answered(remoteWorker.ask(WorkerRequest.of(Ask.LOOK))));
            assertEquals("worker 5 did not answer look within 1 ms", e.getMessage());
            never.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A link whose cut frees nobody, and may hang itself. */
    private record StuckLink(CountDownLatch cutHangs) implements RemoteWorker.Link {

        @Override
        public void cut() {
            awaitUninterruptibly(cutHangs);
        }

        @Override
        public void close() {}
    }

    @Test
    void stream_endedByTheWorker_isToldWithItsLastWords() throws Exception {
        conversation.answers.sink().close();
        conversation.lastWords = "out of paper";
        IllegalStateException e = assertThrows(IllegalStateException.class, this::prepared);
        assertEquals("worker 3 was lost at prepare (its stream ended); its last words:\nout of paper", e.getMessage());
    }
}
