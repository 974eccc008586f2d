package io.heartwheel.push;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.wheel.Deadline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Results of messages by Idempotency-Key: a message is sent once however often it is asked for, and all who ask get the one result.
 *
 * <p>A key is held while its message waits, and its result for a while afterwards, in memory: the oldest go when there is no room. Those of
 * stored messages are on the disk beside, and found there after a restart. A result that says that
 * nothing was written is not kept, so that a repeat tries anew.
 *
 * <p>Any thread. The monitor is held for a few steps of a map; never while sending, or while others are told (jcstress: {@code
 * KeyAskedTwiceIsOneMessageStress}).
 */
public final class IdempotencyKeys {
    /** An entry of a map, the result and what it refers to, beside the key and the reply. */
    static final int ENTRY_BYTES = 512;

    private final LongSupplier nanoClock;
    private final Supplier<PushSettings> settings;
    private final Consumer<Outcome> refused;

    // ---- guarded by this
    private final Map<String, Entry> waiting = new HashMap<>();
    /** Oldest first. */
    private final LinkedHashMap<String, Entry> kept = new LinkedHashMap<>();

    private long bytes;
    /** Those of {@code kept}. */
    private long keptBytes;

    private long repeats;

    private static final class Entry {
        private final byte[] fingerprint;
        private final CompletableFuture<PushResult> result = new CompletableFuture<>();
        private long bytes;
        private long untilNanos;

        private Entry(String key, byte[] fingerprint) {
            this.fingerprint = fingerprint;
            bytes = ENTRY_BYTES + 2L * key.length();
        }
    }

    /**
     * @param nanoClock monotonic nanoseconds
     * @param refused is told what is refused here
     */
    IdempotencyKeys(LongSupplier nanoClock, Supplier<PushSettings> settings, Consumer<Outcome> refused) {
        this.refused = refused;
        this.nanoClock = nanoClock;
        this.settings = settings;
    }

    /**
     * The result under this key: of the message that is sent now, or of one that was.
     *
     * @param fingerprint of all that makes the message what it is; nobody changes it
     * @param messageId for the refusal of a key that came with another message
     * @param send sends it; called here, or never
     */
    public CompletionStage<PushResult> once(
            String key, byte[] fingerprint, long messageId, Supplier<CompletionStage<PushResult>> send) {
        Entry mine = new Entry(key, fingerprint);
        Entry there;
        synchronized (this) {
            there = find(key);
            if (there != null) {
                repeats++;
            } else if (hasRoom(mine.bytes)) {
                bytes += mine.bytes;
                waiting.put(key, mine);
            } else {
                return refused(
                        Outcome.FULL,
                        messageId,
                        "messages.idempotency.max-bytes = " + settings.get().keysMaxBytes()
                                + "B: keys of messages that wait take as much");
            }
        }
        if (there == null) {
            send(key, mine, send);
            return mine.result.copy();
        }
        return Arrays.equals(there.fingerprint, fingerprint)
                ? there.result.copy()
                : refused(Outcome.KEY_REUSED, messageId, "this Idempotency-Key came with another message before");
    }

    /** Whether a message was sent under this key, or is being sent, and is remembered. */
    public synchronized boolean has(String key) {
        return find(key) != null;
    }

    /** How long a key is remembered that comes now, nanoseconds. */
    public long keepNanos() {
        return settings.get().keepKeys().toNanos();
    }

    /** A key that was on the disk. */
    void restore(String key, byte[] fingerprint, PushResult result, long leftNanos) {
        Entry entry = new Entry(key, fingerprint);
        entry.result.complete(result);
        synchronized (this) {
            keep(key, entry, leftNanos);
        }
    }

    private void send(String key, Entry mine, Supplier<CompletionStage<PushResult>> send) {
        try {
            send.get().whenComplete((result, fault) -> ended(key, mine, result, fault));
        } catch (RuntimeException fault) {
            ended(key, mine, null, fault);
        }
    }

    private CompletionStage<PushResult> refused(Outcome outcome, long messageId, String detail) {
        refused.accept(outcome);
        return CompletableFuture.completedFuture(PushResult.refused(outcome, messageId, detail));
    }

    private @Nullable Entry find(String key) {
        long nowNanos = nanoClock.getAsLong();
        Iterator<Entry> oldest = kept.values().iterator();
        while (oldest.hasNext()) {
            Entry entry = oldest.next();
            if (entry.untilNanos - nowNanos > 0) {
                break;
            }
            forget(oldest, entry);
        }
        Entry found = waiting.get(key);
        return found == null ? kept.get(key) : found;
    }

    /** Whether there is room for so many bytes more, if need be in the place of the oldest. */
    private boolean hasRoom(long more) {
        long most = settings.get().keysMaxBytes();
        if (bytes - keptBytes + more > most) {
            return false; // not in the place of all of them either
        }
        Iterator<Entry> oldest = kept.values().iterator();
        while (bytes + more > most) {
            forget(oldest, oldest.next());
        }
        return true;
    }

    private void forget(Iterator<Entry> oldest, Entry entry) {
        bytes -= entry.bytes;
        keptBytes -= entry.bytes;
        oldest.remove();
    }

    private void keep(String key, Entry entry, long nanos) {
        if (hasRoom(entry.bytes)) {
            entry.untilNanos = Deadline.after(nanoClock.getAsLong(), nanos);
            bytes += entry.bytes;
            keptBytes += entry.bytes;
            kept.put(key, entry);
        }
    }

    private void ended(String key, Entry entry, @Nullable PushResult result, @Nullable Throwable fault) {
        synchronized (this) {
            waiting.remove(key);
            bytes -= entry.bytes;
            if (result != null && result.outcome().isKept()) {
                entry.bytes += result.replyBytes();
                keep(key, entry, settings.get().keepKeys().toNanos());
            }
        }
        if (result == null) {
            entry.result.completeExceptionally(fault == null ? new IllegalStateException("no result") : fault);
        } else {
            entry.result.complete(result);
        }
    }

    /** Keys held, of messages that wait or are over. */
    public synchronized long size() {
        return (long) waiting.size() + kept.size();
    }

    /** What they take, bytes. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Requests that got the result of one before. */
    public synchronized long repeats() {
        return repeats;
    }
}
