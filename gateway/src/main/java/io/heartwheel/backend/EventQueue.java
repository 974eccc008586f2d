package io.heartwheel.backend;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink.Reply;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Stretch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way from many event loops to one writer: a ring, bounded in events and in payload bytes, that allocates nothing as long as
 * it does not grow.
 *
 * <p>Owner: the sink. Callers: any thread offers; the writer alone takes. All fields but {@code count} are guarded by {@code lock}, which is
 * held for a few stores or one copy of references, never over I/O. {@code count} is written under the lock and read anywhere: a reader may
 * see it a moment old.
 */
final class EventQueue {
    private static final int FIRST_SIZE = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final int capacity;
    private final long maxBytes;

    private @Nullable Fact[] events;
    private @Nullable Reply[] replies;
    private int head;
    private long bytes;
    private boolean closed;
    private boolean waiting;
    private volatile int count;

    /**
     * @param capacity most events that may wait
     * @param maxBytes most payload bytes that may wait; a single larger payload is taken when nothing else waits
     */
    EventQueue(int capacity, long maxBytes) {
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        int size = Math.min(capacity, FIRST_SIZE);
        this.events = new @Nullable Fact[size];
        this.replies = new @Nullable Reply[size];
    }

    /** Leaves an event for the writer; false if the queue is full or closed. Any thread. */
    boolean offer(Fact event, @Nullable Reply reply) {
        long more = payloadBytes(event);
        lock.lock();
        try {
            int waitingNow = count;
            if (closed || waitingNow == capacity || (waitingNow > 0 && bytes + more > maxBytes)) {
                return false;
            }
            if (waitingNow == events.length) {
                grow();
            }
            int at = (int) ((head + (long) waitingNow) % events.length);
            events[at] = event;
            replies[at] = reply;
            bytes += more;
            setCount(waitingNow + 1);
            if (waiting) {
                waiting = false;
                filled.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Moves the oldest events into the batch, as many as it has room for; returns how many. Never waits. */
    int poll(Batch batch) {
        lock.lock();
        try {
            int taken = Math.min(count, batch.room());
            for (int i = 0; i < taken; i++) {
                Fact event = take(batch);
                bytes -= payloadBytes(event);
            }
            setCount(count - taken);
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

    /** Waits until there is an event or the queue is closed; false when it is closed and empty. The writer only. */
    boolean await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (count == 0 && !closed) {
                waiting = true;
                filled.await();
            }
            waiting = false;
            return count > 0;
        } finally {
            lock.unlock();
        }
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

    private void setCount(int value) {
        count = value;
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

    private static long payloadBytes(Fact event) {
        if (event instanceof ConnectionEvent.Message message) {
            return message.payload().length;
        }
        return event instanceof Stretch stretch ? (long) stretch.readsMillis().length * Integer.BYTES : 0;
    }
}
