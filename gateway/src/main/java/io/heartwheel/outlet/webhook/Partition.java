package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.CloudEvent;
import io.heartwheel.outlet.OutletEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Batches of a chunk that go one after another: all events of some devices. One thread. */
final class Partition {
    /**
     * Events of one request.
     *
     * @param body a JSON array of CloudEvents
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Batch(List<OutletEvent> events, byte[] body) {}

    private final List<Batch> batches;
    private int at;
    private int refusals;

    private Partition(List<Batch> batches) {
        this.batches = batches;
    }

    /** Divides a chunk: a device's events stay together and in order. */
    static List<Partition> of(List<OutletEvent> chunk, int partitions, int maxBatch, long maxBytes, CloudEvent form) {
        List<List<OutletEvent>> parts = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            parts.add(new ArrayList<>());
        }
        for (OutletEvent event : chunk) {
            parts.get(Math.floorMod(event.device().hashCode(), partitions)).add(event);
        }
        return parts.stream()
                .filter(part -> !part.isEmpty())
                .map(part -> new Partition(batches(part, maxBatch, maxBytes, form)))
                .toList();
    }

    private static List<Batch> batches(List<OutletEvent> part, int maxBatch, long maxBytes, CloudEvent form) {
        List<Batch> batches = new ArrayList<>();
        List<OutletEvent> events = new ArrayList<>();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (OutletEvent event : part) {
            byte[] one = encode(event, form);
            boolean full = events.size() == maxBatch || body.size() + one.length + 2 > maxBytes;
            if (full && !events.isEmpty()) {
                batches.add(end(events, body));
                events = new ArrayList<>();
                body = new ByteArrayOutputStream();
            }
            body.write(events.isEmpty() ? '[' : ',');
            body.writeBytes(one);
            events.add(event);
        }
        batches.add(end(events, body));
        return batches;
    }

    private static Batch end(List<OutletEvent> events, ByteArrayOutputStream body) {
        body.write(']');
        return new Batch(List.copyOf(events), body.toByteArray());
    }

    static byte[] encode(OutletEvent event, CloudEvent form) {
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        try {
            form.write(event, one);
        } catch (IOException e) {
            throw new IllegalStateException("no file is involved", e);
        }
        return one.toByteArray();
    }

    /** The batch whose turn it is; null: all have had it. */
    @Nullable
    Batch current() {
        return at < batches.size() ? batches.get(at) : null;
    }

    /** The current batch is done with. */
    void next() {
        at++;
        refusals = 0;
    }

    /** The current batch was refused for what it is; how often now. */
    int refused() {
        return ++refusals;
    }
}
