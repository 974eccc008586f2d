package io.heartwheel.backend;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Incident;
import io.heartwheel.event.Stretch;
import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes every fact as a line of JSON, see {@link EventEncoder}, through a bounded queue and one thread of its own.
 *
 * <pre>
 *   event loops --offer--&gt; [ queue ] --batch--&gt; encode --&gt; write --&gt; accepted()
 *                   |                                        |
 *                   +-- full: refused(), dropped             +-- failed: refused(), dropped; goes on with the next batch
 * </pre>
 *
 * <p>A message is accepted when the operating system has its line; that it survives a power failure is not promised.
 *
 * <p>Threads: any publishes; the writer owns the encoder, the batch and the output until it has ended. Without {@link #start} whoever calls
 * {@link #writeBatch} and {@link #close} is the writer.
 */
final class JsonLinesSink implements EventSink {
    /** How long closing waits for the writer. */
    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** How long it waits again after it has interrupted a writer that hangs; one that hears it is gone at once. */
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(JsonLinesSink.class);
    private static final int BATCH_EVENTS = 1_024;
    private static final int BATCH_BYTES = 256 << 10;
    private static final long WARN_EVERY_NANOS = 1_000_000_000L;

    private final String name;
    private final LineOutput output;
    private final EventQueue queue;
    private final SinkObserver observer;
    private final LongSupplier nanoClock;
    private final Duration closeTimeout;

    // the writer's
    private final EventEncoder encoder = new EventEncoder();
    private final Batch batch = new Batch(BATCH_EVENTS);
    private boolean warned;
    private long warnedNanos;
    private long failuresUntold;

    // whoever starts and closes
    private @Nullable Thread writer;
    private boolean closed;

    JsonLinesSink(
            LineOutput output, EventQueue queue, SinkObserver observer, LongSupplier nanoClock, Duration closeTimeout) {
        this("event sink", output, queue, observer, nanoClock, closeTimeout);
    }

    /** @param name for the log */
    JsonLinesSink(
            String name,
            LineOutput output,
            EventQueue queue,
            SinkObserver observer,
            LongSupplier nanoClock,
            Duration closeTimeout) {
        this.name = name;
        this.output = output;
        this.queue = queue;
        this.observer = observer;
        this.nanoClock = nanoClock;
        this.closeTimeout = closeTimeout;
    }

    /** Names this process in every line. Before {@link #start}. */
    JsonLinesSink ofInstance(String instance) {
        encoder.nameInstance(instance);
        return this;
    }

    /** Gives the sink a thread. Once. */
    synchronized JsonLinesSink start() {
        Thread thread = new Thread(this::writeUntilClosed, "heartwheel-" + name.replace(' ', '-'));
        thread.setDaemon(true);
        thread.start();
        writer = thread;
        return this;
    }

    @Override
    public void publish(ConnectionEvent event) {
        offer(event);
    }

    @Override
    public void publish(Incident incident) {
        offer(incident);
    }

    @Override
    public void publish(Stretch stretch) {
        offer(stretch);
    }

    private void offer(Fact fact) {
        if (!queue.offer(fact, null)) {
            observer.dropped(1);
        }
    }

    @Override
    public void publish(ConnectionEvent.Message message, Reply reply) {
        if (!queue.offer(message, reply)) {
            reply.refused();
            observer.refused(1);
        }
    }

    private void writeUntilClosed() {
        try {
            while (queue.await()) {
                writeBatch();
            }
        } catch (InterruptedException e) {
            // closing took too long; what is left is refused by whoever closes
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what waits, up to a batch; false if nothing did. The writer only; never throws. */
    boolean writeBatch() {
        if (queue.poll(batch) == 0) {
            return false;
        }
        try {
            int end = batch.size();
            int next = 0;
            while (next < end) {
                next = encodeFrom(next, end);
                writeUpTo(next);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            failed(e);
            settle(batch.size(), false);
        } finally {
            encoder.clear();
        }
        return true;
    }

    /** Encodes events until the buffer is full; returns the first that is not in it. An event that cannot be encoded ends it at once. */
    private int encodeFrom(int start, int end) {
        int next = start;
        while (next < end && encoder.size() < BATCH_BYTES) {
            if (!encoder.append(batch.event(next))) {
                writeUpTo(next);
                failed(new IOException("an event cannot be told in JSON"));
                settle(next + 1, false);
            }
            next++;
        }
        return next;
    }

    private void writeUpTo(int end) {
        boolean written = true;
        if (encoder.size() > 0) {
            try {
                output.write(encoder.lines());
            } catch (IOException e) {
                written = false;
                failed(e);
            }
            encoder.clear();
        }
        settle(end, written);
    }

    private void settle(int end, boolean written) {
        batch.settleUpTo(end, written, observer);
    }

    private void failed(Throwable cause) {
        observer.writeFailed();
        failuresUntold++;
        long now = nanoClock.getAsLong();
        if (!warned || now - warnedNanos >= WARN_EVERY_NANOS) {
            warned = true;
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
        if (writer == null) {
            while (writeBatch()) {}
        } else {
            awaitEnd(writer);
        }
        Batch left = new Batch(BATCH_EVENTS);
        while (queue.poll(left) > 0) {
            left.settleUpTo(left.size(), false, observer);
        }
        output.close();
    }

    private void awaitEnd(Thread thread) {
        try {
            thread.join(Math.max(1, closeTimeout.toMillis()));
            if (thread.isAlive()) {
                LOG.warn("{} was not done {} ms after its end was asked for", name, closeTimeout.toMillis());
                thread.interrupt();
                thread.join(INTERRUPT_TIMEOUT.toMillis());
            }
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
