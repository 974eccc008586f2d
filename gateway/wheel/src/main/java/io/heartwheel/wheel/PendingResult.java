package io.heartwheel.wheel;

import static java.lang.invoke.MethodHandles.lookup;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One waiting future, the link in its key's list and the task of its timer, in one object. Every way to complete it leaves the list first, so
 * that nothing of it is left behind when dependents run.
 *
 * <h2>Concurrency</h2>
 *
 * <p>As {@link PendingResults} says. {@code timer}: plain, written before the wait is listed; only the timer's own task may come before that, and need not
 * take it back. {@code next} and {@code previous}: within {@code compute} of the key, until the wait is detached; {@code next} then belongs to who
 * detached it. {@code place}: written within {@code compute}, volatile for the look from outside; what is DETACHED stays so. {@code left}: by
 * compare-and-set.
 */
final class PendingResult<K, V> extends CompletableFuture<V> implements Runnable {

    private static final int NEW = 0;
    private static final int LISTED = 1;
    private static final int DETACHED = 2;

    private static final VarHandle LEFT = WheelEntry.field(lookup(), "left", boolean.class);

    private final PendingResults<K, V> waits;
    private final K key;
    private final @Nullable Supplier<? extends @Nullable V> condition;
    private final long timeoutNanos;
    private @Nullable Timer timer;
    private @Nullable PendingResult<K, V> next;
    private @Nullable PendingResult<K, V> previous;
    private volatile int place = NEW;
    private volatile boolean left;

    PendingResult(
            PendingResults<K, V> waits, K key, @Nullable Supplier<? extends @Nullable V> condition, long timeoutNanos) {
        this.waits = waits;
        this.key = key;
        this.condition = condition;
        this.timeoutNanos = timeoutNanos;
    }

    K key() {
        return key;
    }

    boolean hasCondition() {
        return condition != null;
    }

    void startTimer(Timers timers) {
        timer = timers.once(timeoutNanos, this);
    }

    /** The deadline, on the executor. */
    @Override
    public void run() {
        if (!isDone()) {
            completeExceptionally(new TimeoutException(
                    "key = " + key + ": not complete within " + WheelSettings.inWords(Duration.ofNanos(timeoutNanos))));
        }
    }

    /** Tries the condition; whether that completed the future. */
    boolean attempt() {
        if (condition == null || isDone()) {
            return false;
        }
        try {
            V value = condition.get();
            return value != null && complete(value);
        } catch (Throwable failure) {
            return completeExceptionally(failure);
        }
    }

    // --- within compute of the key ---

    /** The new first of the list; the old one when this has left already. */
    @Nullable
    PendingResult<K, V> linkBefore(@Nullable PendingResult<K, V> head) {
        if (place != NEW) {
            return head;
        }
        next = head;
        if (head != null) {
            head.previous = this;
        }
        place = LISTED;
        return this;
    }

    /** The first of what is left; null when nothing is. */
    @Nullable
    PendingResult<K, V> unlinkFrom(@Nullable PendingResult<K, V> head) {
        PendingResult<K, V> first = head;
        if (place == LISTED) {
            if (previous != null) {
                previous.next = next;
            } else {
                first = next;
            }
            if (next != null) {
                next.previous = previous;
            }
        }
        if (place != DETACHED) {
            next = null;
            previous = null;
            place = DETACHED;
        }
        return first;
    }

    /** Its whole list is being taken. */
    void detach() {
        previous = null;
        place = DETACHED;
    }

    boolean isDetached() {
        return place == DETACHED;
    }

    @Nullable
    PendingResult<K, V> next() {
        return next;
    }

    /** Who took the list: the next one, and lets go of it, so that a future that is kept keeps no other. */
    @Nullable
    PendingResult<K, V> takeNext() {
        PendingResult<K, V> other = next;
        next = null;
        return other;
    }

    // --- ways to be completed ---

    private void leave() {
        if (!left && LEFT.compareAndSet(this, false, true)) {
            Timer mine = timer;
            if (mine != null) {
                mine.cancel();
            }
            waits.left(this);
        }
    }

    @Override
    public boolean complete(V value) {
        leave();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        leave();
        return super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        leave();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public CompletableFuture<V> completeAsync(Supplier<? extends V> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable failure) {
                completeExceptionally(failure);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(V value) {
        leave();
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        leave();
        super.obtrudeException(failure);
    }
}
