package io.heartwheel.outlet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Lines of events: each the object that the journal has and, as its last field, {@code event_id}, by which a repeat can be told. Its buffer is used again and
 * again. One thread.
 */
public final class JsonLines {
    private static final byte[] ID = ",\"event_id\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\"}\n".getBytes(StandardCharsets.US_ASCII);
    private static final int KEPT_BYTES = 4 << 20;

    private ByteBuffer buffer = ByteBuffer.allocate(64 << 10);

    /** All of them, each with its end; valid until the next call. */
    public ByteBuffer of(List<OutletEvent> events) {
        long bytes = 0;
        for (OutletEvent event : events) {
            bytes += event.json().length - 1 + ID.length + event.id().length() + END.length;
        }
        int needed = Math.toIntExact(bytes);
        if (buffer.capacity() < needed || (buffer.capacity() > KEPT_BYTES && needed <= KEPT_BYTES)) {
            buffer = ByteBuffer.allocate(Math.max(needed, 64 << 10));
        }
        buffer.clear();
        for (OutletEvent event : events) {
            byte[] json = event.json();
            buffer.put(json, 0, json.length - 1).put(ID);
            buffer.put(event.id().getBytes(StandardCharsets.US_ASCII)).put(END);
        }
        return buffer.flip();
    }
}
