package io.heartwheel.push;

import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Room on the disk: how much each device has there, and all together. Any thread. */
final class StoredRoom {
    private final ConcurrentHashMap<String, Held> devices = new ConcurrentHashMap<>();
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** What a device has. */
    private record Held(int count, long bytes) {
        private static final Held NOTHING = new Held(0, 0);
    }

    void clear() {
        devices.clear();
        count.set(0);
        bytes.set(0);
    }

    /** A device has so many messages with so many bytes of payloads. */
    void found(String device, int messages, long payloadBytes) {
        devices.put(device, new Held(messages, payloadBytes));
        count.addAndGet(messages);
        bytes.addAndGet(payloadBytes + (long) PushSettings.MESSAGE_BYTES * messages);
    }

    boolean has(String device) {
        return devices.containsKey(device);
    }

    /** Takes room for one more; else tells the limit that is reached. One alone is always taken by its device. */
    @Nullable
    String take(String device, int payloadBytes, PushSettings limits) {
        long most = limits.stored().maxBytes();
        long takes = (long) PushSettings.MESSAGE_BYTES + payloadBytes;
        if (bytes.addAndGet(takes) > most) {
            giveBytes(takes);
            return "messages.stored-bytes = " + most + "B: what is on the disk takes " + bytes.get() + ", and this one "
                    + takes;
        }
        @Nullable String[] reached = new String[1];
        devices.compute(device, (id, there) -> {
            Held held = there == null ? Held.NOTHING : there;
            reached[0] = limits.reached(held.count, held.bytes, payloadBytes);
            return reached[0] == null ? new Held(held.count + 1, held.bytes + payloadBytes) : there;
        });
        if (reached[0] == null) {
            count.incrementAndGet();
        } else {
            giveBytes(takes);
        }
        return reached[0];
    }

    /** A message of the device is there no longer. */
    void give(String device, int payloadBytes) {
        devices.computeIfPresent(
                device, (id, held) -> held.count == 1 ? null : new Held(held.count - 1, held.bytes - payloadBytes));
        count.decrementAndGet();
        giveBytes((long) PushSettings.MESSAGE_BYTES + payloadBytes);
    }

    private void giveBytes(long less) {
        bytes.addAndGet(-less);
    }

    /** Messages, those on the way there included. */
    long count() {
        return count.get();
    }

    /** What they take, {@link PushSettings#MESSAGE_BYTES} and the payload each, and what others keep. */
    AtomicLong bytes() {
        return bytes;
    }

    /** Ids of devices with any; those that come or go meanwhile may be among them. */
    Iterator<String> ids() {
        return devices.keySet().iterator();
    }

    /** Devices with any. */
    int devices() {
        return devices.size();
    }
}
