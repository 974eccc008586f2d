package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushResult.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One message and one answer under a key, in bounded memory. */
class IdempotencyKeysTest {
    private static final byte[] BODY = {1};
    private static final PushResult DONE = result(Outcome.ACKNOWLEDGED, 0);

    private long nowNanos = Long.MAX_VALUE - 10;
    private PushSettings settings = new PushSettings(1, 1, 1, Duration.ofHours(1), 1 << 20, StoredSettings.NONE);
    private final List<Outcome> refused = new ArrayList<>();
    private final IdempotencyKeys keys = new IdempotencyKeys(() -> nowNanos, () -> settings, refused::add);
    private final AtomicInteger sent = new AtomicInteger();

    private static PushResult result(Outcome outcome, int replyBytes) {
        return new PushResult(outcome, 7, null, new PushResult.Reply(false, new byte[replyBytes]), "");
    }

    private CompletableFuture<PushResult> ask(String key, CompletionStage<PushResult> answer) {
        return keys.once(key, BODY, 7, () -> {
                    sent.incrementAndGet();
                    return answer;
                })
                .toCompletableFuture();
    }

    @Test
    void once_sixteenThreads_isOneMessageAndOneAnswer() throws Exception {
        CompletableFuture<PushResult> answer = new CompletableFuture<>();
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<PushResult>> asked = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            CompletableFuture<PushResult> mine = new CompletableFuture<>();
            asked.add(mine);
            Thread thread = new Thread(() -> {
                try {
                    go.await();
                    ask("k", answer).thenAccept(mine::complete);
                } catch (InterruptedException e) {
                    mine.completeExceptionally(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, sent.get());
        assertTrue(asked.stream().noneMatch(CompletableFuture::isDone));
        answer.complete(DONE);
        assertTrue(asked.stream().allMatch(each -> DONE.equals(each.join())));
        assertEquals(15, keys.repeats());
        assertEquals(DONE, ask("k", answer).join());
        assertEquals(1, sent.get());
    }

    @Test
    void once_anotherMessage_isRefused() {
        CompletableFuture<PushResult> answer = new CompletableFuture<>();
        ask("k", answer);
        for (int i = 0; i < 2; i++) {
            PushResult told = keys.once("k", new byte[] {2}, 8, () -> {
                        throw new AssertionError("sent");
                    })
                    .toCompletableFuture()
                    .join();
            assertEquals(Outcome.KEY_REUSED, told.outcome());
            answer.complete(DONE);
        }
        assertEquals(List.of(Outcome.KEY_REUSED, Outcome.KEY_REUSED), refused);
    }

    @Test
    void once_nothingWasWritten_triesAnew() {
        for (Outcome outcome : Outcome.values()) {
            sent.set(0);
            String key = outcome.label();
            ask(key, CompletableFuture.completedFuture(result(outcome, 0)));
            ask(key, CompletableFuture.completedFuture(result(outcome, 0)));
            assertEquals(outcome.isKept() ? 1 : 2, sent.get(), key);
        }
    }

    @Test
    void once_sendingFails_triesAnew() {
        assertThrows(CompletionException.class, () -> ask(
                        "k", CompletableFuture.failedFuture(new IllegalStateException("x")))
                .join());
        assertEquals(DONE, ask("k", CompletableFuture.completedFuture(DONE)).join());
        assertEquals(2, sent.get());
    }

    @Test
    void once_keptLongEnough_isForgotten() {
        ask("k", CompletableFuture.completedFuture(DONE));
        nowNanos += Duration.ofHours(1).toNanos() - 1;
        ask("k", CompletableFuture.completedFuture(DONE));
        assertEquals(1, sent.get());
        nowNanos += 1;
        ask("k", CompletableFuture.completedFuture(DONE));
        assertEquals(2, sent.get());
        assertEquals(1, keys.size());
    }

    @Test
    void once_noRoom_forgetsTheOldestAndNeverOneThatWaits() {
        settings = new PushSettings(1, 1, 1, Duration.ofHours(1), 10_000, StoredSettings.NONE);
        CompletableFuture<PushResult> waits = new CompletableFuture<>();
        CompletableFuture<PushResult> first = ask("waits", waits);
        for (int i = 0; i < 1_000; i++) {
            ask("k" + i, CompletableFuture.completedFuture(result(Outcome.REPLIED, i % 300)));
            assertTrue(keys.bytes() <= 10_000);
        }
        assertFalse(first.isDone());
        ask("waits", waits);
        assertEquals(1_001, sent.get());
        waits.complete(DONE);
        assertEquals(DONE, first.join());
    }

    @Test
    void once_largerThanTheRoom_costsNoOtherItsResult() {
        settings = new PushSettings(1, 1, 1, Duration.ofHours(1), 10_000, StoredSettings.NONE);
        ask("k", CompletableFuture.completedFuture(DONE));
        ask("large", CompletableFuture.completedFuture(result(Outcome.REPLIED, 20_000)));
        ask("k", CompletableFuture.completedFuture(DONE));
        assertEquals(2, sent.get(), "the first is kept");
    }

    @Test
    void once_keysThatWaitTakeAllRoom_isRefusedByName() {
        settings = new PushSettings(1, 1, 1, Duration.ofHours(1), 1_100, StoredSettings.NONE);
        ask("a", new CompletableFuture<>());
        ask("b", new CompletableFuture<>());
        PushResult full = ask("c", new CompletableFuture<>()).join();
        assertEquals(Outcome.FULL, full.outcome());
        assertEquals("messages.idempotency.max-bytes = 1100B: keys of messages that wait take as much", full.detail());
        assertEquals(2, sent.get());
    }
}
