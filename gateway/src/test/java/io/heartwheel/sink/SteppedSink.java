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
        JournalWriter writer = new JournalWriter(journal, "", counts, nanoClock, wallMillis).begin("0.1.0");
        EventQueue queue = new EventQueue(64, 1 << 20);
        sink = over(writer, queue, counts, nanoClock);
    }

    /** One of any writer; it has a thread only if it is started. */
    static QueuedSink over(EventWriter writer, EventQueue queue, SinkCounts counts, LongSupplier nanoClock) {
        ThreadProgress progress = new ThreadProgress("sink");
        return new QueuedSink("event sink", progress, writer, queue, true, counts, nanoClock, Duration.ofSeconds(30));
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
