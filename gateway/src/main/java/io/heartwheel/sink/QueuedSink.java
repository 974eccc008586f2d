package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.liveness.ThreadProgress;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sink with a bounded queue and one thread of its own, which hands events over in batches through an {@link EventWriter}: lines of JSON into an output, or
 * commits of the journal.
 *
 * <pre>
 *   event loops --offer--&gt; [ queue ] --batch--&gt; append --&gt; write --&gt; accepted()
 *                   |                                        |
 *                   +-- full: refused(), dropped, or waits    +-- failed: kept and tried again, or refused(), dropped
 *                                                            +-- succeeds again: one event of what was lost
 * </pre>
 *
 * <p>A message is accepted when its batch is written: what that survives says the writer.
 *
 * <p>Threads: any publishes; the sink's own has the writer and the batch until it has ended. Without {@link #start} whoever calls {@link #writeBatch} and
 * {@link #close} is that thread.
 */
final class QueuedSink implements EventSink {
    /** How long it waits again after it has interrupted a writer that hangs; one that hears it is gone at once. */
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(QueuedSink.class);
    private static final int BATCH_EVENTS = 1_024;
    private static final int BATCH_BYTES = 256 << 10;
    private static final long WARN_EVERY_NANOS = 1_000_000_000L;
    /** While the queue stays full, what was lost is told at most this often. */
    private static final long GAP_EVERY_NANOS = 1_000_000_000L;
    /** Peers that are read again after each batch, or each millisecond. */
    private static final int WAKE = 32;

    private final String name;
    private final EventWriter writer;
    private final EventQueue queue;
    private final boolean tellsGaps;
    private final LostEvents losses = new LostEvents();
    private final SinkObserver observer;
    private final LongSupplier nanoClock;
    private final Duration closeTimeout;
    private final ThreadProgress progress;

    private volatile Runnable gapListener = () -> {};
    /** No loss can be told any more. */
    private volatile boolean ended;

    // the writer's
    private boolean attemptFailed;
    private long gapNanos;
    private final Batch batch = new Batch(BATCH_EVENTS);
    private long warnedNanos;
    private long failuresUntold;

    // whoever starts and closes
    private @Nullable Thread thread;
    private boolean closed;

    /**
     * @param name for the log
     * @param progress of its thread
     * @param tellsGaps whether what was lost gets a line
     * @param closeTimeout how long closing waits for the writer
     */
    QueuedSink(
            String name,
            ThreadProgress progress,
            EventWriter writer,
            EventQueue queue,
            boolean tellsGaps,
            SinkObserver observer,
            LongSupplier nanoClock,
            Duration closeTimeout) {
        this.name = name;
        this.progress = progress;
        this.writer = writer;
        this.queue = queue;
        this.tellsGaps = tellsGaps;
        this.observer = observer;
        this.nanoClock = nanoClock;
        this.gapNanos = nanoClock.getAsLong();
        this.warnedNanos = gapNanos - WARN_EVERY_NANOS;
        this.closeTimeout = closeTimeout;
    }

    /** Gives the sink a thread. Once. */
    synchronized QueuedSink start() {
        thread = progress.start(this::writeUntilClosed, () -> queue.depth() > 0);
        return this;
    }

    @Override
    public void publish(Fact fact) {
        if (!queue.offer(fact, null)) {
            losses.note(fact);
            observer.dropped(1);
            noteLate();
        }
    }

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        if (!queue.offer(message, reply)) {
            refuse(message, reply);
        }
    }

    @Override
    public boolean publishOrWait(ConnectionEvent.Message message, Reply reply, Waiter waiter) {
        if (reply.isTold() && !writer.keeps()) {
            publish(message, reply); // it may send it again later
            return true;
        }
        EventQueue.Offered offered = queue.offerOrWait(message, reply, waiter);
        if (offered == EventQueue.Offered.CLOSED) {
            refuse(message, reply);
        }
        return offered != EventQueue.Offered.WAITS;
    }

    @Override
    public void onGap(Runnable listener) {
        gapListener = listener;
    }

    @Override
    public void forget(Waiter waiter) {
        queue.forget(waiter);
    }

    private void refuse(ConnectionEvent.Message message, Reply reply) {
        reply.refused();
        if (reply.isTold()) {
            observer.refused(1);
        } else {
            losses.note(message);
            observer.lost(1);
            noteLate();
        }
    }

    /** It is lost; if that cannot be told any more, the next start says so. */
    private void noteLate() {
        if (ended) {
            writer.endsIncomplete();
        }
    }

    /** An error ends nothing: what is in hand is settled, and the next turn may find memory again, or a disk. */
    private void writeUntilClosed() {
        boolean open = true;
        while (open) {
            try {
                progress.rests();
                open = queue.await(batch.size() > 0 || (tellsGaps && losses.any()));
                if (open) {
                    progress.works();
                    writeBatch();
                }
            } catch (InterruptedException e) {
                // closing took too long; what is left is refused by whoever closes
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error e) {
                survive(e);
            }
        }
    }

    /** It is told, and goes on a second later, or at once at the end. */
    private void survive(Throwable fault) {
        try {
            failed(fault);
        } catch (Error none) {
            // not even for the line
        }
        queue.awaitRetry();
        queue.writes(true);
    }

    /** Writes what waits, up to a batch, and tells who waits for room; false if there was nothing. The writer only. */
    boolean writeBatch() {
        settle(batch.size(), false); // nothing, but what an error has left
        boolean some = queue.poll(batch) > 0;
        if (some) {
            writePolled();
        }
        if (tellsGaps && losses.any() && (!some || (!attemptFailed && isGapDue()))) {
            tellGap();
        }
        for (Waiter waiter : queue.wake(WAKE)) {
            try {
                waiter.roomForMore();
            } catch (RuntimeException e) {
                // its event loop has ended, and with it the connection
                LOG.debug("nobody waits any more", e);
            }
        }
        return some;
    }

    private void writePolled() {
        attemptFailed = false;
        try {
            int end = batch.size();
            int next = 0;
            while (next < end) {
                next = encodeFrom(next, end);
                writeUpTo(next);
            }
        } catch (RuntimeException | Error e) {
            attemptFailed = true;
            failed(e);
            settle(batch.size(), false);
        } finally {
            writer.clear();
        }
        queue.writes(!attemptFailed || !losses.any());
    }

    private boolean isGapDue() {
        return queue.isHalfFree() || nanoClock.getAsLong() - gapNanos >= GAP_EVERY_NANOS;
    }

    private void tellGap() {
        Gap gap = losses.take(System.currentTimeMillis());
        boolean told = false;
        try {
            writer.append(gap, false);
            writer.write();
            told = true;
            gapListener.run();
            gapNanos = nanoClock.getAsLong();
        } catch (IOException | RuntimeException | Error e) {
            losses.restore(gap);
            failed(e);
        } finally {
            writer.clear();
        }
        queue.writes(told);
    }

    /** Encodes events until the buffer is full; returns the first that is not in it. An event that cannot be encoded ends it at once. */
    private int encodeFrom(int start, int end) {
        int next = start;
        while (next < end && writer.size() < BATCH_BYTES) {
            if (!writer.append(batch.event(next), batch.isTold(next))) {
                writeUpTo(next);
                failed(new IOException("an event cannot be told in JSON"));
                settle(next + 1, false);
            }
            next++;
        }
        return next;
    }

    private void writeUpTo(int end) {
        boolean written = writer.size() == 0 || write();
        writer.clear();
        settle(end, written);
    }

    /** Hands over what was added; false if that failed, and it will not be tried again. */
    private boolean write() {
        do {
            progress.works();
            try {
                writer.write();
                attemptFailed = false;
                return true;
            } catch (IOException e) {
                attemptFailed = true;
                failed(e);
            }
        } while (writer.keeps() && queue.awaitRetry());
        return false;
    }

    private void settle(int end, boolean written) {
        batch.settleUpTo(end, written, observer, losses);
    }

    private void failed(Throwable cause) {
        observer.writeFailed();
        failuresUntold++;
        long now = nanoClock.getAsLong();
        if (now - warnedNanos >= WARN_EVERY_NANOS) {
            warnedNanos = now;
            LOG.warn("{} cannot write ({} times since last told): {}", name, failuresUntold, String.valueOf(cause));
            failuresUntold = 0;
        }
    }

    /** Takes no more, writes what waits for at most the close timeout, refuses the rest. Blocks; not for an event loop. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        queue.close();
        boolean inOrder = true;
        Thread running = thread;
        if (running == null) {
            while (writeBatch()) {}
        } else {
            inOrder = awaitEnd(running);
        }
        Batch left = new Batch(BATCH_EVENTS);
        while (queue.poll(left) > 0) {
            left.settleUpTo(left.size(), false, observer, losses);
        }
        if (tellsGaps && inOrder && losses.any()) {
            tellGap();
        }
        ended = true;
        if (tellsGaps && losses.any()) {
            LOG.warn("{} ends, and these are lost: {}", name, losses.take(0).lost());
            inOrder = false;
        }
        if (!inOrder) {
            writer.endsIncomplete();
        }
        writer.close();
    }

    /** Whether it ended by itself. */
    private boolean awaitEnd(Thread running) {
        try {
            running.join(Math.max(1, closeTimeout.toMillis()));
            if (running.isAlive()) {
                LOG.warn("{} was not done {} ms after its end was asked for", name, closeTimeout.toMillis());
                running.interrupt();
                running.join(INTERRUPT_TIMEOUT.toMillis());
                return false;
            }
            return true;
        } catch (InterruptedException e) {
            running.interrupt();
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
