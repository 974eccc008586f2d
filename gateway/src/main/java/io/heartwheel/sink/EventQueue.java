package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.EventSink.Waiter;
import io.heartwheel.event.Fact;
import io.heartwheel.event.TraceSegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way from many event loops to one writer: a ring, bounded in events and in payload bytes, that allocates nothing as long as
 * it does not grow.
 *
 * <pre>
 *   0          low          messages end     capacity
 *   |-----------|----------------|--------------|
 *    wakes who waits              reserve: events of connections only
 * </pre>
 *
 * <p>A message is refused, or its sender waits, when messages have filled their part. From then on as long as anybody waits no message is taken until the
 * queue has fallen to low; then who waits is woken, in order, some at a time ({@link #wake}). So nobody who waits is overtaken for ever, and thousands
 * do not all come at once.
 *
 * <p>The writer is woken when it has nothing to do, and takes at once what there is; what comes while it writes gathers, and wakes nobody. Nobody waits for the
 * event of a connection: a burst of them alone, of a mass expiry or a connect storm, gathers for 10 ms, in which the loops have the processors to themselves, or
 * until a quarter of the queue is taken.
 *
 * <p>Owner: the sink. Callers: any thread offers; the writer alone takes. All fields but {@code count} and {@code waiterCount} are guarded by
 * {@code lock}, which is held for a few stores or one copy of references, never over I/O or a call outside: what is taken is never lost, and who waits is
 * woken (jcstress: {@code OfferOrCloseNeverLostStress}, {@code WaiterIsTakenOrWokenStress}). Those two are written under the lock and read anywhere: a
 * reader may see them a moment old.
 */
final class EventQueue {
    private static final int FIRST_SIZE = 64;
    /** The part of the queue that is kept for the events of connections. */
    private static final int RESERVE_PART = 4;
    /** From one group of those who wait to the next, while nothing else is to be done. */
    private static final long PACE_NANOS = 1_000_000L;
    /** From an attempt to write that failed to the next, while nothing new is to be written. */
    private static final long RETRY_NANOS = 1_000_000_000L;
    /** Time in which a burst gathers. */
    private static final long BURST_NANOS = 10_000_000L;
    /** Events in that time that make it a burst. */
    private static final int BURST = 64;
    /** More than this part of the queue is never left to gather. */
    private static final int GATHER_PART = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final int capacity;
    private final int messageCapacity;
    private final long maxBytes;

    private @Nullable Fact[] events;
    private @Nullable Reply[] replies;
    private int head;
    /** Of the events that wait, those that may not use the reserve; their payload. */
    private int messages;

    private long bytes;
    private final LinkedHashSet<Waiter> waiters = new LinkedHashSet<>();
    /** Somebody waits, and the queue has not fallen to low since. */
    private boolean full;
    /** The latest attempt to write failed and lost something. */
    private boolean failing;

    private boolean closed;
    private boolean waiting;
    private boolean gathers;
    /** Since when what comes is counted, and what has come since. */
    private long burstNanos = System.nanoTime();

    private int came;
    private volatile int count;
    private volatile int waiterCount;

    /**
     * With a reserve for events of connections.
     *
     * @param capacity most events that may wait; messages at most three quarters of them
     * @param maxBytes most payload bytes that may wait; a single larger payload is taken when no other waits
     */
    EventQueue(int capacity, long maxBytes) {
        this(capacity, capacity / RESERVE_PART, maxBytes);
    }

    /** @param reserve so many of the capacity are not for messages and stretches */
    EventQueue(int capacity, int reserve, long maxBytes) {
        this.capacity = capacity;
        this.messageCapacity = capacity - reserve;
        this.maxBytes = maxBytes;
        int size = Math.min(capacity, FIRST_SIZE);
        this.events = new @Nullable Fact[size];
        this.replies = new @Nullable Reply[size];
    }

    /** Leaves an event for the writer; false if there is no room for it, or the queue is closed. Any thread. */
    boolean offer(Fact event, @Nullable Reply reply) {
        lock.lock();
        try {
            if (closed || !hasRoom(event) || (full && reply != null)) {
                return false;
            }
            add(event, reply);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves a message for the writer, or its sender's waiter if there is no room; false if the queue is closed. Any thread. */
    Offered offerOrWait(Fact message, Reply reply, Waiter waiter) {
        lock.lock();
        try {
            if (closed) {
                return Offered.CLOSED;
            }
            if (failing || full || !hasRoom(message)) {
                full = true;
                waiters.add(waiter);
                waiterCount = waiters.size();
                return Offered.WAITS;
            }
            add(message, reply);
            return Offered.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /** Outcome of an offer. */
    enum Offered {
        TAKEN,
        WAITS,
        CLOSED
    }

    /** Waits no more. Any thread. */
    void forget(Waiter waiter) {
        lock.lock();
        try {
            if (waiters.remove(waiter)) {
                waiterCount = waiters.size();
                settleFull();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Those who waited longest and may come now, at most so many; they wait no more. The writer only. */
    List<Waiter> wake(int most) {
        if (waiterCount == 0) {
            return List.of();
        }
        lock.lock();
        try {
            List<Waiter> woken = new ArrayList<>();
            Iterator<Waiter> longest = waiters.iterator();
            while (!full && !failing && longest.hasNext() && woken.size() < most) {
                woken.add(longest.next());
                longest.remove();
            }
            waiterCount = waiters.size();
            return woken;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the latest attempt to write succeeded; while it did not, whoever can wait does. The writer only. */
    void writes(boolean succeeded) {
        lock.lock();
        try {
            failing = !succeeded;
            settleFull();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom(Fact event) {
        if (count == capacity) {
            return false;
        }
        return !isBulk(event)
                || (messages < messageCapacity && (messages == 0 || bytes + payloadBytes(event) <= maxBytes));
    }

    private void add(Fact event, @Nullable Reply reply) {
        int before = count;
        if (before == events.length) {
            grow();
        }
        int at = (int) ((head + (long) before) % events.length);
        events[at] = event;
        replies[at] = reply;
        messages += isBulk(event) ? 1 : 0;
        bytes += payloadBytes(event);
        count = before + 1;
        if (waiting || (gathers && !mayGather())) {
            waiting = false;
            gathers = false;
            filled.signal();
        }
    }

    private void settleFull() {
        boolean low = messages <= messageCapacity / 2 && bytes <= maxBytes / 2 && count <= messageCapacity;
        full = full && !waiters.isEmpty() && (failing || !low);
    }

    /** Moves the oldest events into the batch, as many as it has room for; returns how many. Never waits. */
    int poll(Batch batch) {
        lock.lock();
        try {
            int before = count;
            int taken = Math.min(before, batch.room());
            for (int i = 0; i < taken; i++) {
                Fact event = take(batch);
                messages -= isBulk(event) ? 1 : 0;
                bytes -= payloadBytes(event);
            }
            count = before - taken;
            settleFull();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("NullAway") // what lies between head and head + count is not null
    private Fact take(Batch batch) {
        Fact event = events[head];
        batch.add(event, replies[head]);
        events[head] = null;
        replies[head] = null;
        head = head + 1 == events.length ? 0 : head + 1;
        return event;
    }

    /**
     * Waits until there is an event, and while a burst gathers; or it is time for the next of those who wait for room, or to try again what failed. The
     * writer only, when all that it has taken is written.
     *
     * @param retries whether there is something to try again
     * @return false when the queue is closed and empty
     */
    boolean await(boolean retries) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (count == 0 && !closed) {
                waiting = true;
                boolean wakes = !full && !failing && !waiters.isEmpty();
                if (!wakes && !retries) {
                    filled.await();
                } else if (filled.awaitNanos(wakes ? PACE_NANOS : RETRY_NANOS) <= 0) {
                    break;
                }
            }
            waiting = false;
            if (mayGather() && isBurst()) {
                gather();
            }
            return count > 0 || !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean isBurst() {
        long nowNanos = System.nanoTime();
        if (nowNanos - burstNanos >= BURST_NANOS) {
            burstNanos = nowNanos;
            came = 0;
        }
        came += count;
        return came >= BURST;
    }

    private void gather() throws InterruptedException {
        gathers = true;
        long leftNanos = BURST_NANOS;
        while (leftNanos > 0 && mayGather()) {
            leftNanos = filled.awaitNanos(leftNanos);
        }
        gathers = false;
        burstNanos = System.nanoTime();
        came = count; // as many again, and it goes on
    }

    /**
     * Waits until it is time to try again what failed; until then whoever can wait does. The writer only.
     *
     * @return false if the queue is closed: it is to be given up
     */
    boolean awaitRetry() {
        lock.lock();
        try {
            failing = true;
            long leftNanos = RETRY_NANOS;
            while (leftNanos > 0 && !closed) {
                leftNanos = filled.awaitNanos(leftNanos);
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether what waits may wait for more: it is of connections alone, and there is room. */
    private boolean mayGather() {
        return messages == 0 && count <= capacity / GATHER_PART && waiters.isEmpty() && !failing && !closed;
    }

    /** Takes no more. What waits can still be taken. Any thread. */
    void close() {
        lock.lock();
        try {
            closed = true;
            filled.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Events that wait. Any thread. */
    int depth() {
        return count;
    }

    /** Whether at least half of it is free. Any thread. */
    boolean isHalfFree() {
        return count <= capacity / 2;
    }

    /** Peers that are not read because there is no room. Any thread. */
    int waiters() {
        return waiterCount;
    }

    private void grow() {
        int size = Math.min(capacity, events.length * 2);
        @Nullable Fact[] moreEvents = new @Nullable Fact[size];
        @Nullable Reply[] moreReplies = new @Nullable Reply[size];
        int upToEnd = events.length - head;
        System.arraycopy(events, head, moreEvents, 0, upToEnd);
        System.arraycopy(events, 0, moreEvents, upToEnd, head);
        System.arraycopy(replies, head, moreReplies, 0, upToEnd);
        System.arraycopy(replies, 0, moreReplies, upToEnd, head);
        events = moreEvents;
        replies = moreReplies;
        head = 0;
    }

    /** Whether it may not use the reserve: it comes in numbers, and can be sent or asked for again. */
    private static boolean isBulk(Fact event) {
        return event instanceof ConnectionEvent.Message
                || event instanceof ConnectionEvent.Present
                || event instanceof TraceSegment;
    }

    private static long payloadBytes(Fact event) {
        if (event instanceof ConnectionEvent.Message message) {
            return message.payload().length;
        }
        return event instanceof TraceSegment traceSegment
                ? (long) traceSegment.readsMillis().length * Integer.BYTES
                : 0;
    }
}
