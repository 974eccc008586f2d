package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Completion or deadline, under virtual time; after each test nothing may be left behind. */
@Timeout(30)
class PendingResultsTest {

    private static final long MILLI = 1_000_000;

    private final TimersRig rig = TimersRig.queued();
    private final PendingResults<String, Integer> waits = waits(100);
    private int condition;

    private PendingResults<String, Integer> waits(int maxWaiting) {
        return new PendingResults<>(rig.wheel, () -> rig.now, rig.queue::add, maxWaiting);
    }

    private Integer whenPositive() {
        return condition > 0 ? condition : null;
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return assertThrows(ExecutionException.class, future::get).getCause();
    }

    private void assertNothingLeft() {
        rig.advance(rig.now + TimersRig.TICK);
        assertEquals(0, waits.waiting());
        assertEquals(0, waits.keys());
        assertEquals(0, rig.wheel.counters().registered());
    }

    @AfterEach
    void endAll() {
        waits.stop();
        assertNothingLeft();
    }

    // --- by value, by failure ---

    @Test
    void complete_severalUnderTheKey_completesThemAllAndNoOthers() throws Exception {
        List<CompletableFuture<Integer>> futures = List.of(waits.await("a", 50), waits.await("a", 60));
        CompletableFuture<Integer> other = waits.await("b", 50);
        assertEquals(3, waits.waiting());
        assertEquals(2, waits.keys());
        assertEquals(2, waits.complete("a", 7));
        for (CompletableFuture<Integer> future : futures) {
            assertEquals(7, future.get());
        }
        assertFalse(other.isDone());
        assertEquals(1, waits.waiting());
        assertEquals(0, waits.complete("a", 8));
        other.complete(1);
        assertNothingLeft();
    }

    @Test
    void complete_unknownKey_completesNone() {
        assertEquals(0, waits.complete("a", 1));
        assertEquals(0, waits.fail("a", new IllegalStateException()));
        assertEquals(0, waits.check("a"));
    }

    @Test
    void fail_waiters_getTheFailure() {
        IllegalStateException failure = new IllegalStateException("as planned");
        CompletableFuture<Integer> future = waits.await("a", 50);
        assertEquals(1, waits.fail("a", failure));
        assertSame(failure, failureOf(future));
        assertNothingLeft();
    }

    @Test
    void complete_dependentAwaitsAgain_isNotCompletedByTheSameCall() {
        List<CompletableFuture<Integer>> next = new ArrayList<>();
        waits.await("a", 50).thenRun(() -> next.add(waits.await("a", 50)));
        waits.await("a", 50).thenRun(() -> {
            throw new IllegalStateException("as planned");
        });
        assertEquals(2, waits.complete("a", 1));
        assertFalse(next.get(0).isDone());
        assertEquals(1, waits.waiting());
    }

    // --- by the deadline ---

    @Test
    void await_deadlineReached_failsOnTheExecutorNamingKeyAndTimeout() {
        CompletableFuture<Integer> future = waits.await("a", 3 * MILLI);
        List<Throwable> dependent = new ArrayList<>();
        future.whenComplete((value, failure) -> dependent.add(failure));
        rig.advance(3 * MILLI - 1);
        assertTrue(rig.queue.isEmpty());
        rig.advance(3 * MILLI + TimersRig.TICK);
        assertFalse(future.isDone(), "the wheel's thread runs no dependents");
        rig.drain();
        assertTrue(dependent.get(0) instanceof TimeoutException);
        assertEquals("key = a: not complete within 3ms", failureOf(future).getMessage());
        assertNothingLeft();
    }

    @Test
    void await_zeroTimeout_failsWithTheNextAdvance() {
        CompletableFuture<Integer> future = waits.await("a", 0);
        rig.advance(0);
        rig.drain();
        assertTrue(failureOf(future) instanceof TimeoutException);
    }

    @Test
    void complete_dueButNotYetTimedOut_counts() throws Exception {
        CompletableFuture<Integer> future = waits.await("a", 10);
        rig.advance(10);
        assertEquals(1, waits.complete("a", 1));
        rig.drain();
        assertEquals(1, future.get());
    }

    @Test
    void await_executorRefuses_failsOffTheWheelThreadAllTheSame() throws InterruptedException {
        PendingResults<String, Integer> refused = new PendingResults<>(
                rig.wheel,
                () -> rig.now,
                run -> {
                    throw new RejectedExecutionException("as planned");
                },
                1);
        CountDownLatch done = new CountDownLatch(1);
        Thread[] on = new Thread[1];
        refused.await("a", 10).whenComplete((value, failure) -> {
            on[0] = Thread.currentThread();
            done.countDown();
        });
        rig.advance(10);
        assertTrue(done.await(20, TimeUnit.SECONDS));
        assertNotSame(Thread.currentThread(), on[0]);
        assertEquals(0, refused.waiting());
    }

    // --- by the holder ---

    @Test
    void cancel_byTheHolder_leavesNothingBehindWhenDependentsRun() {
        CompletableFuture<Integer> future = waits.await("a", 50);
        CompletableFuture<Integer> stays = waits.await("a", 50);
        List<Integer> waiting = new ArrayList<>();
        future.whenComplete((value, failure) -> waiting.add(waits.waiting()));
        assertTrue(future.cancel(true));
        assertEquals(List.of(1), waiting);
        assertEquals(1, waits.complete("a", 1));
        assertTrue(stays.isDone());
        assertNothingLeft();
    }

    @Test
    void future_completedAnyWayByTheHolder_leavesNothingBehind() throws Exception {
        waits.await("a", 50).complete(1);
        waits.await("b", 50).completeExceptionally(new IllegalStateException());
        waits.await("c", 50).completeAsync(() -> 1, Runnable::run);
        CompletableFuture<Integer> failed = waits.await("c", 50)
                .completeAsync(
                        () -> {
                            throw new IllegalStateException();
                        },
                        Runnable::run);
        assertTrue(failed.isCompletedExceptionally());
        waits.await("d", 50).obtrudeValue(1);
        waits.await("e", 50).obtrudeException(new IllegalStateException());
        assertNothingLeft();
        CompletableFuture<Integer> derived = waits.await("f", 50).thenApply(value -> value + 1);
        waits.complete("f", 1);
        assertEquals(2, derived.get());
    }

    @Test
    void cancel_firstMiddleAndLastOfTheKey_leavesTheOthers() {
        for (int mask = 0; mask < 32; mask++) {
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                futures.add(waits.await("a", 50));
            }
            for (int i = 0; i < 5; i++) {
                if ((mask & 1 << i) != 0) {
                    futures.get(i).cancel(false);
                }
            }
            assertEquals(5 - Integer.bitCount(mask), waits.complete("a", 1));
            assertNothingLeft();
        }
    }

    // --- by condition ---

    @Test
    void await_conditionHoldsAlready_isCompleteAndNeverWaits() throws Exception {
        condition = 3;
        assertEquals(3, waits.await("a", this::whenPositive, 50).get());
        assertNothingLeft();
    }

    @Test
    void check_conditionHolds_completes() throws Exception {
        CompletableFuture<Integer> future = waits.await("a", this::whenPositive, 50);
        CompletableFuture<Integer> never = waits.await("a", () -> null, 50);
        CompletableFuture<Integer> without = waits.await("a", 50);
        assertEquals(0, waits.check("a"));
        condition = 3;
        assertEquals(0, waits.check("b"));
        assertFalse(future.isDone());
        assertEquals(1, waits.check("a"));
        assertEquals(3, future.get());
        assertFalse(never.isDone());
        assertFalse(without.isDone());
        assertEquals(2, waits.complete("a", 1));
    }

    @Test
    void await_conditionComesTrueWhileRegistering_isComplete() throws Exception {
        int[] asked = new int[1];
        CompletableFuture<Integer> future = waits.await("a", () -> asked[0]++ == 0 ? null : asked[0], 50);
        assertEquals(2, future.get());
        assertNothingLeft();
    }

    @Test
    void condition_throws_failsTheFuture() {
        IllegalStateException failure = new IllegalStateException("as planned");
        CompletableFuture<Integer> atOnce = waits.await(
                "a",
                () -> {
                    throw failure;
                },
                50);
        assertSame(failure, failureOf(atOnce));
        CompletableFuture<Integer> later = waits.await(
                "a",
                () -> {
                    if (condition > 0) {
                        throw failure;
                    }
                    return null;
                },
                50);
        condition = 1;
        assertEquals(1, waits.check("a"));
        assertSame(failure, failureOf(later));
        assertNothingLeft();
    }

    // --- limits ---

    @Test
    void await_tooManyWaiting_isRejectedWithTheLimit() {
        PendingResults<String, Integer> two = waits(2);
        two.await("a", 50);
        CompletableFuture<Integer> second = two.await("a", 50);
        var rejection = assertThrows(RejectedExecutionException.class, () -> two.await("b", 50));
        assertEquals("waits.maxWaiting = 2: that many wait", rejection.getMessage());
        second.cancel(false);
        two.await("b", 50);
        assertEquals(2, two.stop());
        assertThrows(IllegalArgumentException.class, () -> waits(0));
    }

    @Test
    void await_wheelFull_isRejectedAndLeavesNothing() {
        TimingWheel small = new TimingWheel(10, 4, 1, 0);
        PendingResults<String, Integer> tight = new PendingResults<>(small, () -> 0, Runnable::run, 10);
        tight.await("a", 50);
        assertThrows(RejectedExecutionException.class, () -> tight.await("b", 50));
        assertEquals(1, tight.waiting());
        assertEquals(1, tight.keys());
    }

    @Test
    void stop_someWaiting_cancelsAllAndRejectsLaterOnes() {
        CompletableFuture<Integer> a = waits.await("a", 50);
        CompletableFuture<Integer> b = waits.await("b", this::whenPositive, 50);
        assertEquals(2, waits.stop());
        assertTrue(a.isCancelled());
        assertTrue(b.isCancelled());
        assertEquals(0, waits.stop());
        var rejection = assertThrows(RejectedExecutionException.class, () -> waits.await("a", 50));
        assertEquals("waits.stopped = true: none are taken any more", rejection.getMessage());
        assertNothingLeft();
    }

    @Test
    void stop_oneOfTwoOnAWheel_leavesTheOtherAndTheTimersAlone() {
        PendingResults<String, Integer> others = waits(100);
        CompletableFuture<Integer> theirs = others.await("a", 50);
        Timer timer = rig.timers.once(50, rig.task());
        waits.await("a", 50);
        assertEquals(1, waits.stop());
        assertFalse(theirs.isDone());
        rig.advance(50);
        rig.drain();
        assertTrue(failureOf(theirs) instanceof TimeoutException);
        assertEquals(Timer.State.FIRED, timer.state());
    }

    @Test
    void await_nulls_areRefusedAndLeaveNothing() {
        assertThrows(NullPointerException.class, () -> waits.await(null, 50));
        assertNothingLeft();
        assertThrows(NullPointerException.class, () -> new PendingResults<>(null, () -> 0, Runnable::run, 1));
        assertThrows(NullPointerException.class, () -> new PendingResults<>(rig.wheel, null, Runnable::run, 1));
        assertThrows(NullPointerException.class, () -> new PendingResults<>(rig.wheel, () -> 0, null, 1));
    }
}
