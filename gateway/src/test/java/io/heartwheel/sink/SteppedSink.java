package io.heartwheel.sink;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Sink of a journal whose writer is whoever calls {@link #step}. One thread. */
public final class SteppedSink {
    private final QueuedSink sink;
    private final Journal journal;

    /** Tells of the start in the store. */
    public SteppedSink(Store store, long maxBytes, LongSupplier nanoClock, LongSupplier wallMillis) {
        StoreSettings where =
                new StoreSettings(Path.of("unused"), StoreSettings.Sync.ALWAYS, maxBytes, Duration.ofSeconds(20));
        JournalSettings settings =
                new JournalSettings(where, JournalSettings.WhenFull.REFUSE, new DedupeSettings(false, 1));
        SinkCounts counts = new SinkCounts();
        journal = new Journal(settings, store);
        JournalWriter writer = new JournalWriter(journal, counts, nanoClock, wallMillis).begin("0.1.0");
        EventQueue queue = new EventQueue(64, 1 << 20);
        sink = new QueuedSink(
                "event sink",
                new ThreadProgress("sink"),
                writer,
                queue,
                true,
                counts,
                nanoClock,
                Duration.ofSeconds(1));
    }

    public void publish(Fact fact) {
        sink.publish(fact);
    }

    public void publish(ConnectionEvent.Message message, EventSink.Reply reply) {
        sink.publish(message, reply);
    }

    /** Writes what waits; whether there was anything. */
    public boolean step() {
        return sink.writeBatch();
    }

    /** Ends in good order, with the store. */
    public void close() throws IOException {
        sink.close();
        journal.close();
    }
}
