package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the journal for one outlet: chunks of the events it wants. Records that are missing, because they are damaged or were dropped before this
 * outlet had them, become an event {@code gap} in their place. One thread; {@link #skipped} any.
 */
final class EventReader {
    /**
     * Some events, and how far they reach.
     *
     * @param events none, if all that was read is not wanted
     * @param last number of the newest record that was read for them
     */
    record Chunk(List<OutletEvent> events, long last) {}

    /** Records looked at for one chunk, so that a filter that wants next to nothing does not keep the thread. */
    private static final int MOST_LOOKED_AT = 100_000;

    private final StoreReader reader;
    private final String store;
    private final String instance;
    private final Set<EventKind> wanted;
    private final LongSupplier wallMillis;

    private long position;
    private @Nullable Iterator<RecordBatch.Entry> entries;
    /** Of the newest record that was read; 0: none was. */
    private long knownEpochMillis;

    private final AtomicLong skipped = new AtomicLong();

    /**
     * @param store its id
     * @param position number of the newest record that is known already
     */
    EventReader(
            StoreReader reader,
            String store,
            String instance,
            Set<EventKind> wanted,
            LongSupplier wallMillis,
            long position) {
        this.reader = reader;
        this.store = store;
        this.instance = instance;
        this.wanted = wanted;
        this.wallMillis = wallMillis;
        this.position = position;
    }

    /** Reads on behind this record. */
    void moveTo(long number) {
        position = number;
        entries = null;
        knownEpochMillis = 0;
    }

    /** Records that were left out because a later version wrote them. */
    long skipped() {
        return skipped.get();
    }

    /**
     * The next events.
     *
     * @param maxEvents at most so many
     * @param maxBytes of their JSON at most so many, unless the first alone has more
     * @return null if nothing follows
     */
    @Nullable
    Chunk next(int maxEvents, long maxBytes) throws StoreException {
        long from = position;
        List<OutletEvent> events = new ArrayList<>();
        long bytes = 0;
        while (events.size() < maxEvents && bytes < maxBytes && position - from < MOST_LOOKED_AT) {
            Iterator<RecordBatch.Entry> open = entries;
            if (open == null || !open.hasNext()) {
                RecordBatch batch = reader.next(position);
                if (batch == null) {
                    break;
                }
                open = open(batch, events);
                entries = open;
                continue;
            }
            RecordBatch.Entry entry = open.next();
            position = entry.number();
            knownEpochMillis = entry.atEpochMillis();
            OutletEvent event = event(entry);
            if (event != null) {
                events.add(event);
                bytes += event.json().length;
            }
        }
        return position == from ? null : new Chunk(events, position);
    }

    /** Notes what is missing before and in a batch. */
    private Iterator<RecordBatch.Entry> open(RecordBatch batch, List<OutletEvent> events) {
        long first = batch.firstNumber();
        if (first > position + 1) {
            events.add(gap(position + 1, first - 1, batch.atEpochMillis()));
            position = first - 1;
        }
        if (batch.isDamaged()) {
            events.add(gap(first, batch.lastNumber(), batch.atEpochMillis()));
            position = batch.lastNumber();
        }
        return batch.iterator();
    }

    private @Nullable OutletEvent event(RecordBatch.Entry entry) {
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
                store + "-" + entry.number(), entry.number(), kind.get(), entry.atEpochMillis(), entry.keyText(), json);
    }

    /** The kinds of what is missing are not known: all of it is counted as {@code unknown}. */
    private OutletEvent gap(long first, long last, long toEpochMillis) {
        long now = wallMillis.getAsLong();
        long from = knownEpochMillis == 0 ? toEpochMillis : Math.min(knownEpochMillis, toEpochMillis);
        String json = "{\"event\":\"gap\",\"at\":\"" + time(now) + "\",\"from\":\"" + time(from) + "\",\"to\":\""
                + time(toEpochMillis) + "\",\"lost\":{\"unknown\":" + (last - first + 1) + "}"
                + (instance.isEmpty() ? "" : ",\"instance\":\"" + instance + "\"") + "}";
        return new OutletEvent(
                store + "-" + first + "-" + last, last, EventKind.GAP, now, "", json.getBytes(StandardCharsets.UTF_8));
    }

    /** With milliseconds, as in all events. */
    private static String time(long epochMillis) {
        String text = Instant.ofEpochMilli(epochMillis).toString();
        return text.length() == "1970-01-01T00:00:00Z".length() ? text.substring(0, text.length() - 1) + ".000Z" : text;
    }
}
