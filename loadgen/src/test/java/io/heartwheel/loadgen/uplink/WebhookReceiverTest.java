package io.heartwheel.loadgen.uplink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.TestScenarios;
import io.heartwheel.loadgen.fleet.UplinkEvent;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.scenario.Scenario;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The receiver against a small sender, over loopback; the times of its plan are handed in, but for those in which it is down. */
final class WebhookReceiverTest {

    private static final long SECOND = 1_000_000_000L;
    private static final String BATCH = Sender.batch(
            Sender.event("x-1", "connected", "load-1", ""), Sender.message("x-2", "load-1", 5, new byte[] {1, 2}));

    private final AtomicLong clock = new AtomicLong();
    private final Sender sender = new Sender();
    private final Told told = new Told();
    private EventIntake intake;
    private WebhookReceiver receiver;

    private void begin(String plan) throws IOException {
        Scenario scenario = TestScenarios.of("uplink { secret = \"" + Sender.SECRET + "\", plan = [" + plan
                + "], settle = 1s, within = 5s }, echo = false");
        intake = new EventIntake(Objects.requireNonNull(scenario.uplink()), clock::get);
        receiver = new WebhookReceiver(scenario, intake, clock::get, () -> Sender.NOW_SECONDS);
        receiver.begin();
    }

    @AfterEach
    void tidy() {
        receiver.close();
    }

    private void assertCounted(Count what, long many) {
        intake.report(told);
        assertEquals(many, told.counts.of(what), what.label());
    }

    private int post(String body) throws Exception {
        return sender.post(receiver.url(), body);
    }

    @Test
    void post_goodBatch_isTakenInOrder() throws Exception {
        begin("");
        assertEquals(200, post(BATCH));
        assertCounted(Count.UPLINK_EVENTS, 2);
        assertEquals(
                List.of(UplinkEvent.Kind.PRESENT, UplinkEvent.Kind.MESSAGE),
                told.events.stream().map(UplinkEvent::kind).toList());
    }

    @Test
    void post_again_isARepetition() throws Exception {
        begin("");
        post(BATCH);
        assertEquals(200, post(BATCH));
        assertCounted(Count.UPLINK_REPEATED, 2);
        assertCounted(Count.UPLINK_EVENTS, 2);
        assertEquals(2, told.events.size());
    }

    @Test
    void post_wrongSignature_isCountedAndNotTaken() throws Exception {
        begin("");
        String wrong = Sender.signature(BATCH, "another secret", Sender.NOW_SECONDS);
        assertEquals(401, sender.post(receiver.url(), BATCH, wrong, Duration.ofSeconds(20)));
        String old = Sender.signature(BATCH, Sender.SECRET, Sender.NOW_SECONDS - 3_600);
        assertEquals(401, sender.post(receiver.url(), BATCH, old, Duration.ofSeconds(20)));
        assertCounted(Count.UPLINK_UNSIGNED, 2);
        assertCounted(Count.UPLINK_EVENTS, 0);
    }

    @Test
    void post_noBatch_isCountedAndNotTaken() throws Exception {
        begin("");
        assertEquals(400, post("{}"));
        assertEquals(400, post("nonsense"));
        assertCounted(Count.UPLINK_MALFORMED, 2);
    }

    @Test
    void post_inATimeOfErrors_isRefusedAndTakenLater() throws Exception {
        begin("{ at = 2s, for = 3s, answer = \"500\" }");
        clock.set(100 * SECOND);
        receiver.observe();
        assertEquals(200, post(BATCH.replace("x-", "y-")));
        clock.set(103 * SECOND);
        assertEquals(500, post(BATCH));
        assertCounted(Count.UPLINK_EVENTS, 2);
        clock.set(105 * SECOND);
        assertEquals(200, post(BATCH));
        assertCounted(Count.UPLINK_EVENTS, 4);
        assertCounted(Count.UPLINK_DISTURBED, 1);
        assertCounted(Count.UPLINK_REPEATED, 0);
    }

    @Test
    void post_inATimeOfSilence_isNotAnsweredAndNotTaken() throws Exception {
        begin("{ at = 0s, for = 3s, answer = never }");
        receiver.observe();
        String good = Sender.signature(BATCH, Sender.SECRET, Sender.NOW_SECONDS);
        String url = receiver.url();
        CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return sender.post(url, BATCH, good, Duration.ofSeconds(60));
            } catch (IOException | InterruptedException e) {
                return -1;
            }
        });
        await("disturbed", () -> {
            intake.report(told);
            return told.counts.of(Count.UPLINK_DISTURBED) == 1;
        });
        receiver.close();
        assertEquals(-1, answer.join());
        assertCounted(Count.UPLINK_EVENTS, 0);
        assertCounted(Count.UPLINK_REQUESTS, 1);
    }

    @Test
    void post_inATimeOfDelay_isTakenAtOnceAndAnsweredLate() throws Exception {
        begin("{ at = 0s, for = 3s, answer = late, hold = 200ms }");
        receiver.observe();
        long from = System.nanoTime();
        assertEquals(200, post(BATCH));
        assertTrue(System.nanoTime() - from >= 200_000_000L);
        assertCounted(Count.UPLINK_EVENTS, 2);
    }

    @Test
    void observe_down_refusesConnectionsAndComesBackOnTheSamePort() throws Exception {
        begin("{ at = 1ms, for = 2s, answer = down }");
        assertEquals(200, post(BATCH));
        String url = receiver.url();
        receiver.observe();
        await("down", () -> fails(url));
        await("up again", () -> !fails(url));
        assertEquals(url, receiver.url());
        assertCounted(Count.UPLINK_EVENTS, 2);
    }

    private static void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + 20 * SECOND;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - until < 0, () -> "not in 20 s: " + what);
            LockSupport.parkNanos(2_000_000);
        }
    }

    private boolean fails(String url) {
        try {
            return sender.post(url, BATCH) != 200;
        } catch (IOException e) {
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void take_workersFarBehind_answersThatItIsBusy() throws Exception {
        begin("");
        EventReader.Read read = new EventReader("load-", 10)
                .batch(Sender.batch(Sender.event("x-1", "connected", "load-1", ""))
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .get(0);
        List<EventReader.Read> many = new ArrayList<>();
        for (int i = 0; i < EventIntake.MOST_QUEUED; i++) {
            many.add(new EventReader.Read(i, read.event(), 0, false));
        }
        assertTrue(intake.take(many));
        assertEquals(503, post(BATCH));
        intake.report(told);
        assertEquals(EventIntake.MOST_QUEUED, told.events.size());
        assertEquals(200, post(BATCH));
    }

    @Test
    void settle_allCame_endsAfterTheSettleTime() throws Exception {
        begin("");
        Ledger seen = new Ledger();
        seen.count(Count.DATA_ACCEPTED, 2);
        CompletableFuture<Void> came = CompletableFuture.runAsync(() -> {
            await("asked", () -> clock.get() > 2 * SECOND);
            seen.count(Count.UPLINK_CAME, 2);
        });
        intake.settle(told, () -> later(seen), () -> false);
        came.join();
        assertTrue(clock.get() >= 3 * SECOND && clock.get() < 5 * SECOND, () -> clock.get() + " ns");
        assertTrue(told.reports.get(0).last() && !told.reports.get(0).complete());
        assertTrue(told.reports.get(told.reports.size() - 1).complete());
    }

    @Test
    void settle_someNeverCome_endsAfterItsBound() throws Exception {
        begin("");
        Ledger seen = new Ledger();
        seen.count(Count.DATA_ACCEPTED, 2);
        intake.settle(told, () -> later(seen), () -> false);
        assertTrue(clock.get() >= 5 * SECOND, () -> clock.get() + " ns");
        assertTrue(told.reports.get(told.reports.size() - 1).complete());
    }

    @Test
    void settle_runEndsEarly_isNotComplete() throws Exception {
        begin("");
        intake.settle(told, Ledger::new, () -> true);
        assertTrue(told.reports.stream().noneMatch(UplinkReport::complete));
    }

    private Ledger later(Ledger seen) {
        clock.addAndGet(SECOND / 2);
        return seen;
    }
}
