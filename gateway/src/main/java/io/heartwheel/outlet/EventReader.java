package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the journal for one outlet: chunks of the events it wants. Records that are missing, because they are damaged or were dropped before this
 * outlet had them, become an event {@code gap} in their place.
 *
 * <p>It does not know how far it has come: whoever asks says behind which place, and is told the next. So nothing is left out when a read fails: what was
 * read before the failure is given with its place, and the next call meets the failure again. The newest batch is kept, for the next chunk may begin in it.
 * One thread; {@link #skipped} and {@link #onGap} any.
 */
final class EventReader {
    /**
     * Place behind a record.
     *
     * @param number of the record; 0: before all
     * @param epochMillis when that one happened; 0: not known
     */
    record Position(long number, long epochMillis) {}

    /**
     * Some events, and how far they reach.
     *
     * @param events none, if all that was read is not wanted
     * @param end behind the newest record that was read for them
     */
    record Chunk(List<OutletEvent> events, Position end) {}

    /** Bytes looked at for one chunk, so that a filter that wants next to nothing does not keep the thread. */
    private static final long MOST_LOOKED_AT = 16 << 20;

    private final StoreReader reader;
    private final String store;
    private final String instance;
    private final Set<EventKind> wanted;
    private final LongSupplier wallMillis;
    private final AtomicLong skipped = new AtomicLong();

    private volatile Runnable gapListener = () -> {};
    private @Nullable RecordBatch latest;

    /** @param store its id, of gaps */
    EventReader(StoreReader reader, String store, String instance, Set<EventKind> wanted, LongSupplier wallMillis) {
        this.reader = reader;
        this.store = store;
        this.instance = instance;
        this.wanted = wanted;
        this.wallMillis = wallMillis;
    }

    /** Whom to tell of each gap that is found; quick. Replaces the one before. */
    void onGap(Runnable listener) {
        gapListener = listener;
    }

    /** Records that were left out because a later version wrote them. */
    long skipped() {
        return skipped.get();
    }

    /**
     * The events that follow.
     *
     * @param after where to begin
     * @param maxEvents at most so many
     * @param maxBytes of their JSON at most so many, unless the first alone has more
     * @return null if nothing follows
     * @throws StoreException if nothing can be read at this place
     */
    @Nullable
    Chunk next(Position after, int maxEvents, long maxBytes) throws StoreException {
        List<OutletEvent> events = new ArrayList<>();
        Position at = after;
        long bytes = 0;
        long lookedAt = 0;
        while (events.size() < maxEvents && bytes < maxBytes && lookedAt < MOST_LOOKED_AT) {
            RecordBatch batch = batch(at.number(), at.number() == after.number());
            if (batch == null) {
                break;
            }
            long missing = batch.isDamaged() ? batch.lastNumber() : batch.firstNumber() - 1;
            if (missing > at.number()) {
                events.add(gap(at, missing, batch.atEpochMillis()));
                at = new Position(missing, at.epochMillis());
                continue;
            }
            String writtenTo = batch.store();
            for (RecordBatch.Entry entry : batch) {
                if (events.size() == maxEvents || bytes >= maxBytes) {
                    break;
                }
                if (entry.number() > at.number()) {
                    at = new Position(entry.number(), entry.atEpochMillis());
                    lookedAt += entry.payload().remaining();
                    OutletEvent event = event(entry, writtenTo);
                    if (event != null) {
                        events.add(event);
                        bytes += event.json().length;
                    }
                }
            }
        }
        return at.number() == after.number() ? null : new Chunk(events, at);
    }

    /** The batch with the record that follows; null: there is none, or it cannot be read and something was read before it. */
    private @Nullable RecordBatch batch(long after, boolean first) throws StoreException {
        RecordBatch kept = latest;
        if (kept == null || kept.firstNumber() > after + 1 || kept.lastNumber() <= after) {
            try {
                kept = reader.next(after);
            } catch (StoreException e) {
                if (first) {
                    throw e;
                }
                return null;
            }
            latest = kept;
        }
        return kept;
    }

    private @Nullable OutletEvent event(RecordBatch.Entry entry, String writtenTo) {
        Optional<EventKind> kind = EventKind.of(entry.type());
        if (kind.isEmpty()) {
            skipped.incrementAndGet();
            return null;
        }
        if (!wanted.contains(kind.get()) && kind.get() != EventKind.GAP) {
            return null;
        }
        byte[] json = new byte[entry.payload().remaining()];
        entry.payload().duplicate().get(json);
        return new OutletEvent(
                writtenTo + "-" + entry.number(),
                entry.number(),
                kind.get(),
                entry.atEpochMillis(),
                entry.keyText(),
                json);
    }

    /** The kinds of what is missing are not known: all of it is counted as {@code unknown}. */
    private OutletEvent gap(Position after, long last, long toEpochMillis) {
        long first = after.number() + 1;
        long from = after.epochMillis() == 0 ? toEpochMillis : Math.min(after.epochMillis(), toEpochMillis);
        long now = wallMillis.getAsLong();
        String id = store + "-" + first + "-" + last;
        gapListener.run();
        return OutletEvent.gap(id, last, "", now, from, toEpochMillis, "unknown", last - first + 1, instance);
    }
}
