package io.heartwheel.push;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Messages to devices that wait for an acknowledgement: a {@link DeviceQueue} for each device with any, the limits of all, and what is counted.
 *
 * <p>Callers: any thread, but that an {@link Outbox} is told things on its own loop. Fields: {@code queues}, from a device to its
 * queue, which is there as long as a message of it has no result; a queue's count and bytes are changed within {@code compute} of its key alone, so that none leaves
 * the map while a message is on its way to it. All others are counters.
 */
public final class Pushes {
    private final SessionRegistry registry;
    private final Timers timers;
    private final LongSupplier wallMicros;
    private volatile PushSettings settings;
    private final IdempotencyKeys keys;

    private final ConcurrentHashMap<String, DeviceQueue> queues = new ConcurrentHashMap<>();
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong waitingBytes = new AtomicLong();
    /** From a random number on, so that no peer sends one back by chance. */
    private final AtomicLong lastPing =
            new AtomicLong(ThreadLocalRandom.current().nextLong());

    private final AtomicLong lastId = new AtomicLong();
    private final LongAdder[] outcomes =
            Stream.generate(LongAdder::new).limit(Outcome.values().length).toArray(LongAdder[]::new);
    private final LongAdder resends = new LongAdder();
    private final LongAdder strayAcks = new LongAdder();

    /**
     * No messages yet.
     *
     * @param timers where deadlines stand
     * @param nanoClock monotonic nanoseconds
     * @param wallMicros microseconds since 1970
     */
    public Pushes(
            SessionRegistry registry,
            Timers timers,
            LongSupplier nanoClock,
            LongSupplier wallMicros,
            PushSettings settings) {
        this.registry = registry;
        this.timers = timers;
        this.wallMicros = wallMicros;
        this.settings = settings;
        keys = new IdempotencyKeys(nanoClock, () -> this.settings, this::count);
    }

    /** Other limits for what comes; {@code totalBytes} should stay. */
    public void reconfigure(PushSettings fresh) {
        settings = fresh;
    }

    /** One result for all requests of one key. */
    public IdempotencyKeys keys() {
        return keys;
    }

    /** The messages of one event loop. */
    public Outbox<Session> on(Executor loop) {
        return new Outbox<>() {
            @Override
            public void execute(Runnable task) {
                loop.execute(task);
            }

            @Override
            public void established(Session session) {
                connected(session);
            }

            @Override
            public void strayAck() {
                Pushes.this.strayAck();
            }
        };
    }

    /** An id for a message whose sender gives none: greater than any before, and not below the clock in microseconds since 1970. */
    public long nextId() {
        long now = wallMicros.getAsLong();
        return lastId.accumulateAndGet(now, (last, clock) -> Math.max(last + 1, clock));
    }

    // ------------------------------------------------------------------ pushing

    /**
     * Sends a message, now or in its turn. Any thread.
     *
     * @return completed once, on any thread; the dependents must be quick
     */
    public CompletionStage<PushResult> send(Push push) {
        return new SessionCall<>(
                        registry,
                        push.deviceId(),
                        session -> push(session, push),
                        refused(Outcome.OFFLINE, push, "the device is not connected"))
                .go()
                .completeOnTimeout(
                        refused(Outcome.UNKNOWN, push, "the device's loop has not answered in time"),
                        SessionCall.PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS)
                .thenCompose(result -> result)
                .thenApply(this::counted);
    }

    private PushResult counted(PushResult result) {
        count(result.outcome());
        return result;
    }

    private void count(Outcome outcome) {
        outcomes[outcome.ordinal()].increment();
    }

    /** @param through established, and the one that the directory has for the device; its loop only */
    private CompletionStage<PushResult> push(Session through, Push push) {
        if (push.ack() == Push.Ack.DEVICE && !through.canAcknowledge()) {
            return refused(
                    Outcome.CANNOT_ACKNOWLEDGE,
                    push,
                    "protocol " + through.protocolName() + " has no ACK: need ack = received or sent");
        }
        if (push.ack() == Push.Ack.SENT && !queues.containsKey(push.deviceId())) {
            // nothing waits that it could overtake
            return through.sendData(push.id(), push.text(), push.payload())
                    ? CompletableFuture.completedFuture(PushResult.done(Outcome.SENT, push.id(), through.identity()))
                    : refused(Outcome.BUSY, push, "the device does not read what was sent before");
        }
        PushSettings limits = settings;
        long takes = takes(push);
        long before = waitingBytes.getAndAdd(takes);
        if (before + takes > limits.totalBytes()) {
            waitingBytes.addAndGet(-takes);
            return refused(
                    Outcome.FULL,
                    push,
                    "messages.total-bytes = " + limits.totalBytes() + "B: messages that wait take " + before
                            + ", and this one " + takes);
        }
        Outbox<Session> home = through.sessionContext().outbox();
        @Nullable String[] reached = new String[1];
        DeviceQueue queue = queues.compute(push.deviceId(), (id, there) -> {
            DeviceQueue its = there == null ? new DeviceQueue(this, id, home) : there;
            reached[0] = its.count(push.payload().length, limits);
            return its;
        });
        String limit = reached[0];
        if (limit != null) {
            waitingBytes.addAndGet(-takes);
            return refused(Outcome.FULL, push, limit);
        }
        waiting.incrementAndGet();
        PendingMessage message = new PendingMessage(queue, push);
        queue.enter(through, message);
        return message.result;
    }

    private static long takes(Push push) {
        return (long) PushSettings.MESSAGE_BYTES + push.payload().length;
    }

    private static CompletionStage<PushResult> refused(Outcome outcome, Push push, String detail) {
        return CompletableFuture.completedFuture(PushResult.refused(outcome, push.id(), detail));
    }

    // ------------------------------------------------------------------ connections

    private void connected(Session session) {
        if (queues.isEmpty()) {
            return;
        }
        DeviceQueue queue = queues.get(session.deviceId());
        if (queue != null) {
            queue.established(session);
        }
    }

    /** A connection has ended: one that was established before its device had a queue knows nothing of it. */
    void findAnother(DeviceQueue queue, Session ended) {
        Session other = registry.find(queue.deviceId);
        if (other == null || other == ended) {
            return;
        }
        try {
            other.onLoop(() -> {
                if (other.isEstablished()) {
                    connected(other);
                }
            });
        } catch (RejectedExecutionException gone) {
            // its loop has ended
        }
    }

    // ------------------------------------------------------------------ for queues

    Timers timers() {
        return timers;
    }

    long nextPing() {
        return lastPing.incrementAndGet();
    }

    /** A message has its result. Whether it was the last, and the queue is out of the map. */
    boolean release(DeviceQueue queue, Push push) {
        DeviceQueue left =
                queues.computeIfPresent(queue.deviceId, (id, its) -> its.uncount(push.payload().length) ? null : its);
        waiting.decrementAndGet();
        waitingBytes.addAndGet(-takes(push));
        return left == null;
    }

    void resent() {
        resends.increment();
    }

    void strayAck() {
        strayAcks.increment();
    }

    /** Takes back what waits for a device with this id; tells whether there was any. Completed on any thread. */
    public CompletionStage<Boolean> cancel(String deviceId, long messageId) {
        DeviceQueue queue = queues.get(deviceId);
        return queue == null ? CompletableFuture.completedFuture(false) : queue.cancel(messageId);
    }

    // ------------------------------------------------------------------ figures

    /** Messages without a result. */
    public long waiting() {
        return waiting.get();
    }

    /** What they take, bytes. */
    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** The most that they may take, bytes. */
    public long limitBytes() {
        return settings.totalBytes();
    }

    /** Devices with messages that wait. */
    public int queues() {
        return queues.size();
    }

    /** Messages sent again. */
    public long resends() {
        return resends.sum();
    }

    /** ACKs that nobody waited for. */
    public long strayAcks() {
        return strayAcks.sum();
    }

    /** How many messages have ended each way. */
    public void outcomes(ObjLongConsumer<Outcome> each) {
        for (Outcome outcome : Outcome.values()) {
            each.accept(outcome, outcomes[outcome.ordinal()].sum());
        }
    }
}
