package io.heartwheel.outlet;

import java.nio.ByteBuffer;
import java.util.List;

/** Lines of events, each the object that the journal has. Its buffer is used again and again. One thread. */
public final class JsonLines {
    private static final int KEPT_BYTES = 4 << 20;

    private ByteBuffer buffer = ByteBuffer.allocate(64 << 10);

    /** All of them, each with its end; valid until the next call. */
    public ByteBuffer of(List<OutletEvent> events) {
        long bytes = 0;
        for (OutletEvent event : events) {
            bytes += event.json().length + 1;
        }
        int needed = Math.toIntExact(bytes);
        if (buffer.capacity() < needed || (buffer.capacity() > KEPT_BYTES && needed <= KEPT_BYTES)) {
            buffer = ByteBuffer.allocate(Math.max(needed, 64 << 10));
        }
        buffer.clear();
        for (OutletEvent event : events) {
            buffer.put(event.json()).put((byte) '\n');
        }
        return buffer.flip();
    }
}
