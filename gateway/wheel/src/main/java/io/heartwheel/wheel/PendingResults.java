package io.heartwheel.wheel;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Futures that wait under a key for someone to complete them, but no longer than until a deadline: an answer to a request, an acknowledgement, the
 * end of a drain.
 *
 * <pre>
 *   await(key, timeout) --&gt; future        complete(key, value) ---+
 *   await(key, condition, timeout)        fail(key, failure) -----+--&gt; whichever comes first completes it,
 *                                         check(key): holds? -----+    and timer and key entry go at once
 *                                         the deadline -----------+
 *                                         future.cancel() --------+
 * </pre>
 *
 * <p>Several may wait under one key; they are completed in no particular order. A future may also be completed by whoever has it, like any other. A
 * key is held as long as something waits under it and no longer.
 *
 * <p><b>Where dependents run.</b> Those of a future that timed out on the executor given here, never on the wheel's thread unless that is {@link
 * Timers#ON_WHEEL_THREAD}; should the executor refuse, on {@link ForkJoinPool#commonPool()}, so that no future waits for ever. Those of any other
 * on the thread that completed it. Until the executor gets to it a future that is due can still be completed otherwise.
 *
 * <p><b>Cost.</b> Two objects and an entry of a hash map for each wait, independent of how many there are; {@link #check} evaluates every condition
 * under its key.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Callers: all methods by any thread, also from within dependents and conditions. Foreign code is never called with a lock held, but for the
 * keys' {@code equals} and {@code hashCode}.
 *
 * <p>Fields: {@code keys}, from a key to the first of those who wait under it; the list's links are changed within {@code compute} of that key
 * alone, and so under the lock of its bin. {@code waiting}, atomic: from before a wait gets its timer until it has left. {@code stopped}, volatile,
 * set once.
 *
 * <p>Once. The future itself decides which completion counts; before any it leaves, which happens once, takes back the timer and takes it out of
 * the list, wherever it stands by then: not in it yet, in it, or in the hands of a {@link #complete} that took the whole list (jcstress: {@code
 * CompleteOrTimeOutOnceStress}, {@code CompleteOrCancelLeavesNothingStress}).
 *
 * <p>No lost wake-up. A waiter is listed and then tries its condition; who makes the condition true calls {@link #check} after it, which looks at
 * the list; with a full fence between on both sides one of them sees the other (jcstress: {@code AwaitOrCheckNeverMissedStress}). {@link #stop} goes
 * by the same rule (jcstress: {@code AwaitOrStopNeverLostStress}).
 *
 * @param <K> keys, with {@code equals} and {@code hashCode} as for a hash map
 * @param <V> what is waited for
 */
public final class PendingResults<K, V> {

    private final Timers timers;
    private final int maxWaiting;
    private final ConcurrentHashMap<K, PendingResult<K, V>> keys = new ConcurrentHashMap<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean stopped;

    /**
     * Waits that use the wheel beside its other entries.
     *
     * @param clock monotonic nanoseconds, the same the wheel is turned by
     * @param executor where the dependents of futures that timed out run
     * @param maxWaiting the most that wait at once, 1 or more; the wheel's limit holds besides
     * @throws IllegalArgumentException naming what is out of its range
     */
    public PendingResults(TimingWheel wheel, LongSupplier clock, Executor executor, int maxWaiting) {
        if (maxWaiting < 1) {
            throw new IllegalArgumentException("waits.maxWaiting = " + maxWaiting + ": need 1 or more");
        }
        Objects.requireNonNull(executor, "executor");
        this.maxWaiting = maxWaiting;
        timers = new Timers(wheel, clock, run -> runOn(executor, run), Integer.MAX_VALUE, TimerObserver.NONE);
    }

    private static void runOn(Executor executor, Runnable run) {
        try {
            executor.execute(run);
        } catch (Throwable refusal) {
            ForkJoinPool.commonPool().execute(run);
        }
    }

    // --- waiting ---

    /**
     * Waits under the key.
     *
     * @param timeoutNanos nanoseconds from now; zero or less times out with the next advance
     * @return a future of its own, completed by {@link #complete}, {@link #fail}, {@link #stop}, its holder, or at the deadline with a {@link
     *     java.util.concurrent.TimeoutException} that names key and timeout
     * @throws RejectedExecutionException when too many wait, the wheel is full or this is stopped; names the limit
     */
    public CompletableFuture<V> await(K key, long timeoutNanos) {
        return enter(new PendingResult<>(this, key, null, timeoutNanos));
    }

    /**
     * As {@link #await(Object, long)}, and completes as soon as the condition is found to hold: now, or by a {@link #check} of the key.
     *
     * @param condition answers the value to complete with, or null when it does not hold yet; may be called by several threads at once and after
     *     the future is done. Completes the future with whatever it throws
     */
    public CompletableFuture<V> await(K key, Supplier<? extends @Nullable V> condition, long timeoutNanos) {
        Objects.requireNonNull(condition, "condition");
        try {
            V value = condition.get();
            if (value != null) {
                return CompletableFuture.completedFuture(value);
            }
        } catch (Throwable failure) {
            return CompletableFuture.failedFuture(failure);
        }
        return enter(new PendingResult<>(this, key, condition, timeoutNanos));
    }

    private CompletableFuture<V> enter(PendingResult<K, V> wait) {
        K key = Objects.requireNonNull(wait.key(), "key");
        reserve();
        try {
            wait.startTimer(timers);
        } catch (Throwable rejection) {
            waiting.getAndDecrement();
            throw rejection;
        }
        keys.compute(key, (same, head) -> wait.linkBefore(head));
        VarHandle.fullFence();
        if (stopped && cancel(wait)) {
            throw rejectedByStop();
        }
        wait.attempt();
        return wait;
    }

    private void reserve() {
        for (; ; ) {
            int now = waiting.get();
            if (stopped) {
                throw rejectedByStop();
            }
            if (now >= maxWaiting) {
                throw new RejectedExecutionException("waits.maxWaiting = " + maxWaiting + ": that many wait");
            }
            if (waiting.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    private static RejectedExecutionException rejectedByStop() {
        return new RejectedExecutionException("waits.stopped = true: none are taken any more");
    }

    /** Unlike {@code Future.cancel}, tells whether it was this call. */
    private static boolean cancel(PendingResult<?, ?> wait) {
        return wait.completeExceptionally(new CancellationException("waits stopped"));
    }

    /** Called once for each wait that was entered, before it is completed. */
    void left(PendingResult<K, V> wait) {
        if (!wait.isDetached()) {
            keys.compute(wait.key(), (same, head) -> wait.unlinkFrom(head));
        }
        waiting.getAndDecrement();
    }

    // --- completing ---

    /**
     * Completes all who wait under the key, with or without a condition.
     *
     * @return how many this completed
     */
    public int complete(K key, V value) {
        return end(key, wait -> wait.complete(value));
    }

    /**
     * Completes all who wait under the key with a failure.
     *
     * @return how many this completed
     */
    public int fail(K key, Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        return end(key, wait -> wait.completeExceptionally(failure));
    }

    /** Takes the list of the key, whose links nobody else changes any more, and ends all in it; answers how many this ended. */
    private int end(K key, Predicate<PendingResult<K, V>> how) {
        if (!keys.containsKey(key)) {
            return 0;
        }
        AtomicReference<@Nullable PendingResult<K, V>> first = new AtomicReference<>();
        keys.computeIfPresent(key, (same, head) -> {
            for (PendingResult<K, V> wait = head; wait != null; wait = wait.next()) {
                wait.detach();
            }
            first.set(head);
            return null;
        });
        int ended = 0;
        for (PendingResult<K, V> wait = first.get(); wait != null; wait = wait.takeNext()) {
            ended += how.test(wait) ? 1 : 0;
        }
        return ended;
    }

    /**
     * Tries the conditions of those who wait under the key with one. To be called after what a condition looks at has changed.
     *
     * @return how many this completed, with those whose condition threw
     */
    public int check(K key) {
        VarHandle.fullFence();
        int completed = 0;
        for (PendingResult<K, V> wait : conditional(key)) {
            completed += wait.attempt() ? 1 : 0;
        }
        return completed;
    }

    private List<PendingResult<K, V>> conditional(K key) {
        if (!keys.containsKey(key)) {
            return List.of();
        }
        List<PendingResult<K, V>> found = new ArrayList<>();
        keys.computeIfPresent(key, (same, head) -> {
            for (PendingResult<K, V> wait = head; wait != null; wait = wait.next()) {
                if (wait.hasCondition()) {
                    found.add(wait);
                }
            }
            return head;
        });
        return found;
    }

    // --- all of them ---

    /** How many wait, with those about to. */
    public int waiting() {
        return waiting.get();
    }

    /** Under how many keys something waits. */
    public int keys() {
        return keys.size();
    }

    /**
     * Takes no new waits and cancels all there are. One that comes at the same time is rejected or cancelled.
     *
     * @return how many this cancelled
     */
    public int stop() {
        stopped = true;
        VarHandle.fullFence();
        int cancelled = 0;
        for (K key : keys.keySet()) {
            cancelled += end(key, PendingResults::cancel);
        }
        return cancelled;
    }
}
