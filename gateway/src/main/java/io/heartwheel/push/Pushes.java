package io.heartwheel.push;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.Outbox;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.wheel.Timers;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
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
    /** A message that is loaded just when it is taken back, or put back to rest, is looked for again. */
    private static final int CANCELS = 5;

    private final SessionRegistry registry;
    private final Timers timers;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMicros;
    private volatile PushSettings settings;
    private final IdempotencyKeys keys;
    private final @Nullable StoredMessages stored;
    private final @Nullable KeptMessages kept;

    private final ConcurrentHashMap<String, DeviceQueue> queues = new ConcurrentHashMap<>();
    private final MessageMemory memory;
    /** From a random number on, so that no peer sends one back by chance. */
    private final AtomicLong lastPing =
            new AtomicLong(ThreadLocalRandom.current().nextLong());

    /** The latest number of a message: their order. */
    private final AtomicLong numbers;

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
     * @param stored where messages are kept; null: nowhere
     */
    public Pushes(
            SessionRegistry registry,
            Timers timers,
            LongSupplier nanoClock,
            LongSupplier wallMicros,
            PushSettings settings,
            @Nullable StoredMessages stored) {
        this.registry = registry;
        this.timers = timers;
        this.nanoClock = nanoClock;
        this.wallMicros = wallMicros;
        this.settings = settings;
        this.stored = stored;
        memory = new MessageMemory(this::limitBytes);
        kept = stored == null ? null : new KeptMessages(stored, memory, this::leftNanos, this::announced);
        numbers = stored == null ? new AtomicLong() : stored.numbers;
        keys = new IdempotencyKeys(nanoClock, () -> this.settings, this::count);
        if (stored != null) {
            stored.keys()
                    .forEach(key -> keys.restore(
                            key.name(),
                            key.fingerprint(),
                            PushResult.refused(Outcome.QUEUED, key.id(), ""),
                            TimeUnit.MILLISECONDS.toNanos(key.untilMillis() - stored.nowMillis())));
        }
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
     * Sends a message, now or in its turn; or keeps it. Any thread.
     *
     * @return completed once, on any thread; the dependents must be quick
     */
    public CompletionStage<PushResult> send(Push push) {
        return push.store() ? patiently(push, store(push, null)) : sendNow(push);
    }

    /**
     * The same under an Idempotency-Key: sends it if no message was sent under the key.
     *
     * @param fingerprint of all that makes the message what it is; nobody changes it
     */
    public CompletionStage<PushResult> send(Push push, String key, byte[] fingerprint) {
        if (!push.store()) {
            return keys.once(key, fingerprint, push.id(), () -> sendNow(push));
        }
        return patiently(push, keys.once(key, fingerprint, push.id(), () -> {
            long untilMillis =
                    wallMicros.getAsLong() / 1_000 + settings.keepKeys().toMillis();
            return store(push, new StoredKeys.Key(key, fingerprint, push.id(), untilMillis));
        }));
    }

    /** Either its loop comes to it in time, or it is never sent. */
    private CompletionStage<PushResult> sendNow(Push push) {
        CompletableFuture<Boolean> begun = new CompletableFuture<Boolean>()
                .completeOnTimeout(false, SessionCall.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        CompletionStage<PushResult> late =
                refused(Outcome.UNKNOWN, push, "the device's loop has not answered in time: nothing will be written");
        CompletableFuture<CompletionStage<PushResult>> answer = new SessionCall<>(
                        registry,
                        push.deviceId(),
                        session -> begun.complete(true) ? push(session, push) : late,
                        refused(Outcome.OFFLINE, push, "the device is not connected"))
                .go();
        answer.whenComplete((result, fault) -> begun.complete(true));
        begun.thenAccept(inTime -> {
            if (!inTime) {
                answer.complete(late);
            }
        });
        return answer.thenCompose(result -> result).thenApply(this::counted);
    }

    /** Whoever asks does not wait for a disk that stands still; what becomes of the message is still told to its key. */
    private CompletionStage<PushResult> patiently(Push push, CompletionStage<PushResult> result) {
        CompletableFuture<PushResult> asked = result.toCompletableFuture().copy();
        CompletableFuture<PushResult> late = new CompletableFuture<PushResult>()
                .completeOnTimeout(
                        PushResult.refused(
                                Outcome.UNKNOWN,
                                push.id(),
                                "the disk has not answered in time: the message may be kept or not"),
                        SessionCall.PATIENCE.toMillis(),
                        TimeUnit.MILLISECONDS);
        asked.whenComplete((told, fault) -> late.cancel(false));
        late.thenAccept(told -> {
            if (asked.complete(told)) {
                count(Outcome.UNKNOWN);
            }
        });
        return asked;
    }

    private CompletionStage<PushResult> store(Push push, StoredKeys.@Nullable Key key) {
        StoredMessages to = stored;
        if (to == null) {
            return refused(Outcome.NO_STORE, push, "messages.directory is empty: nothing is kept")
                    .thenApply(this::counted);
        }
        PushSettings limits = settings;
        long takes = takes(push);
        String limit = memory.take(takes);
        if (limit == null) {
            limit = to.room.take(push.deviceId(), push.payload().length, limits);
            if (limit != null) {
                memory.give(takes);
            }
        }
        if (limit != null) {
            return refused(Outcome.FULL, push, limit).thenApply(this::counted);
        }
        return to.put(push, key)
                .thenCompose(result -> {
                    memory.give(takes);
                    return result.outcome() == Outcome.QUEUED ? announced(push, result) : done(result);
                })
                .thenApply(this::counted);
    }

    private static CompletionStage<PushResult> done(PushResult result) {
        return CompletableFuture.completedFuture(result);
    }

    /** The result, once a queue knows of the row if the device is there: what is pushed after that comes behind it. */
    private CompletionStage<PushResult> announced(Push push, PushResult result) {
        return announced(push.deviceId()).thenApply(isKnown -> {
            if (!isKnown) {
                away(push.deviceId());
            }
            return result;
        });
    }

    /** Tells the queue of the device that there may be rows, if the device is there; whether it is. */
    CompletionStage<Boolean> announced(String deviceId) {
        CompletableFuture<Boolean> known = new CompletableFuture<>();
        return new SessionCall<CompletionStage<Boolean>>(
                        registry,
                        deviceId,
                        session -> {
                            rowsWait(session, () -> known.complete(true));
                            return known;
                        },
                        CompletableFuture.completedFuture(false))
                .go()
                .thenCompose(isKnown -> isKnown)
                .completeOnTimeout(false, SessionCall.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(fault -> false);
    }

    private void away(String deviceId) {
        if (kept != null) {
            kept.isAway(deviceId);
        }
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
        String total = memory.take(takes);
        if (total != null) {
            return refused(Outcome.FULL, push, total);
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
            memory.give(takes);
            return refused(Outcome.FULL, push, limit);
        }
        memory.count(1);
        PendingMessage message = new PendingMessage(queue, push, numbers.incrementAndGet(), null);
        queue.enter(through, message);
        return message;
    }

    private static long takes(Push push) {
        return (long) PushSettings.MESSAGE_BYTES + push.payload().length;
    }

    private static CompletionStage<PushResult> refused(Outcome outcome, Push push, String detail) {
        return CompletableFuture.completedFuture(PushResult.refused(outcome, push.id(), detail));
    }

    // ------------------------------------------------------------------ connections

    private void connected(Session session) {
        if (stored != null && stored.room.has(session.deviceId())) {
            rowsWait(session, () -> {});
        } else if (!queues.isEmpty()) {
            DeviceQueue queue = queues.get(session.deviceId());
            if (queue != null) {
                queue.established(session);
            }
        }
    }

    /** Rows wait for the device, whose queue is counted for them. Loop of the session, which is established. */
    private void rowsWait(Session session, Runnable known) {
        Outbox<Session> home = session.sessionContext().outbox();
        DeviceQueue queue = Objects.requireNonNull(queues.compute(session.deviceId(), (id, there) -> {
            DeviceQueue its = there == null ? new DeviceQueue(this, id, home) : there;
            its.hold(1);
            return its;
        }));
        queue.rowsWait(session, known);
    }

    /** A connection has ended: one that was established before its device had a queue knows nothing of it. */
    void findAnother(DeviceQueue queue, Session ended) {
        Session other = registry.find(queue.deviceId);
        if (other == null || other == ended) {
            away(queue.deviceId);
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

    /** What is on the disk, to be given to other gateways; null: nothing is kept. */
    public @Nullable KeptMessages kept() {
        return kept;
    }

    // ------------------------------------------------------------------ for queues

    Timers timers() {
        return timers;
    }

    long nowNanos() {
        return nanoClock.getAsLong();
    }

    long nextPing() {
        return lastPing.incrementAndGet();
    }

    /** A message has its result. Whether it was the last, and the queue is out of the map. */
    boolean release(DeviceQueue queue, Push push) {
        DeviceQueue left =
                queues.computeIfPresent(queue.deviceId, (id, its) -> its.uncount(push.payload().length) ? null : its);
        memory.count(-1);
        memory.give(takes(push));
        return left == null;
    }

    /** What held the queue is over; as {@link #release(DeviceQueue, Push)}. */
    boolean release(DeviceQueue queue) {
        return queues.computeIfPresent(queue.deviceId, (id, its) -> its.hold(-1) ? null : its) == null;
    }

    /** Where rows are; there is one if there are any. */
    StoredMessages rows() {
        return Objects.requireNonNull(stored);
    }

    MessageMemory memory() {
        return memory;
    }

    /** A row that was loaded leaves memory, and is at rest again. */
    void unload(StoredRow row) {
        rows().unload(memory, row);
    }

    /** How long a row that was loaded may still wait; 0: it is damaged or too old, and this was its end. */
    long leftNanos(StoredRow row) {
        if (row.damaged) {
            memory.leave(row);
            memory.tell();
            rows().damaged(row);
            return 0;
        }
        long leftNanos = Math.max(0, StoredRow.leftNanos(row.expiresMillis, rows().nowMillis()));
        if (leftNanos == 0) {
            ended(row, Outcome.EXPIRED);
        }
        return leftNanos;
    }

    /** A row that was loaded has come to its end. */
    void ended(StoredRow row, Outcome outcome) {
        memory.leave(row);
        memory.tell();
        if (rows().end(row)) {
            count(outcome);
        }
    }

    void resent() {
        resends.increment();
    }

    void strayAck() {
        strayAcks.increment();
    }

    // ------------------------------------------------------------------ what waits

    /** To be called about once a second: ends what has been kept too long. Any thread. */
    public void sweep() {
        memory.tell(); // in case somebody waits for room elsewhere
        if (stored != null) {
            stored.sweep(settings, () -> count(Outcome.EXPIRED));
        }
    }

    /**
     * Message that waits for a device.
     *
     * @param stored whether it is on the disk
     * @param sent whether it was written to the connection that stands
     * @param ageMillis since it was accepted
     * @param leftMillis until it is given up
     */
    public record Waiting(long id, int bytes, boolean stored, boolean sent, long ageMillis, long leftMillis) {}

    /** The most that {@link #waiting(String)} tells. */
    public static final int MOST_LISTED = StoredMessages.MOST_AT_ONCE;

    /** What waits for a device, in order; {@link #MOST_LISTED} at most. Completed on any thread. */
    public CompletionStage<List<Waiting>> waiting(String deviceId) {
        return listed(deviceId, null);
    }

    /** What waits for a device with this id. Completed on any thread. */
    public CompletionStage<List<Waiting>> waiting(String deviceId, long messageId) {
        return listed(deviceId, messageId);
    }

    private CompletionStage<List<Waiting>> listed(String deviceId, @Nullable Long messageId) {
        NavigableMap<Long, Waiting> all = new TreeMap<>();
        return (stored == null || !stored.room.has(deviceId)
                        ? CompletableFuture.completedFuture(List.<StoredMessages.Listed>of())
                        : stored.list(deviceId, messageId))
                .thenCompose(rows -> {
                    long nowMillis = wallMicros.getAsLong() / 1_000;
                    for (StoredMessages.Listed row : rows) {
                        long age = Math.max(0, nowMillis - row.acceptedMillis());
                        long left = Math.max(0, row.expiresMillis() - nowMillis);
                        all.put(row.number(), new Waiting(row.id(), row.bytes(), true, false, age, left));
                    }
                    DeviceQueue queue = queues.get(deviceId);
                    return queue == null ? CompletableFuture.completedFuture(true) : queue.list(all);
                })
                .thenApply(listed -> all.values().stream()
                        .filter(each -> messageId == null || each.id() == messageId)
                        .limit(MOST_LISTED)
                        .toList());
    }

    /**
     * Takes back what waits for a device with this id; tells whether there was any. Any thread; completed on any.
     *
     * @param alsoStored whether also from the disk, for after a restart too: then completed when none is there. Else no disk is asked
     */
    public CompletionStage<Boolean> cancel(String deviceId, long messageId, boolean alsoStored) {
        StoredMessages from = alsoStored ? stored : null;
        CompletionStage<Boolean> cancelled = cancel(from, deviceId, messageId, CANCELS);
        return from == null
                ? cancelled
                : cancelled.thenCompose(
                        any -> from.removedSoFar(deviceId, messageId).thenApply(gone -> any));
    }

    private CompletionStage<Boolean> cancel(
            @Nullable StoredMessages from, String deviceId, long messageId, int triesLeft) {
        DeviceQueue queue = queues.get(deviceId);
        CompletionStage<Boolean> inMemory =
                queue == null ? CompletableFuture.completedFuture(false) : queue.cancel(messageId);
        if (from == null || !from.room.has(deviceId)) {
            return inMemory;
        }
        return inMemory.thenCompose(
                any -> from.cancelAtRest(deviceId, messageId).thenCompose(done -> {
                    for (int i = done.count(); i > 0; i--) {
                        count(Outcome.CANCELLED);
                    }
                    boolean some = any || done.count() > 0;
                    return done.loaded() && triesLeft > 1
                            ? Objects.requireNonNull(kept)
                                    .settled(deviceId)
                                    .thenCompose(settled -> cancel(from, deviceId, messageId, triesLeft - 1))
                                    .thenApply(more -> some || more)
                            : CompletableFuture.completedFuture(some);
                }));
    }

    // ------------------------------------------------------------------ figures

    /** How long a message is kept at most. */
    public Duration maxAge() {
        return settings.stored().maxAge();
    }

    /** Messages on the disk, or on the way there. */
    public long stored() {
        return stored == null ? 0 : stored.room.count();
    }

    /** What they take, 512 bytes and the payload each; and what others keep there, who add what they take. */
    public AtomicLong storedBytes() {
        return stored == null ? new AtomicLong() : stored.room.bytes();
    }

    /** Messages that were damaged on the disk: not delivered, or not removed. */
    public long damaged() {
        return stored == null ? 0 : stored.damaged();
    }

    /** The most that may be on the disk, bytes. */
    public long limitStoredBytes() {
        return settings.stored().maxBytes();
    }

    /** Messages without a result. */
    public long waiting() {
        return memory.count();
    }

    /** What they take, bytes. */
    public long waitingBytes() {
        return memory.bytes();
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
