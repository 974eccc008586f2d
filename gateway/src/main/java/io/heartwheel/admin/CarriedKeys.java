package io.heartwheel.admin;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.wheel.Deadline;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Idempotency-Keys of messages that another gateway was given: whoever asks again gets what became of it there, wherever the device is by then, and nobody
 * else is given the message. The gateway that has it has the result. As many as {@value #MOST}, the oldest go.
 *
 * <p>Any thread; the monitor is held for some steps of a map.
 */
final class CarriedKeys {
    static final int MOST = 32_768;

    /**
     * Where a message went.
     *
     * @param messageId that was proposed for it
     */
    record Place(NodeId node, long messageId) {}

    private record Kept(Place place, long untilNanos) {}

    private final LongSupplier nanoClock;
    private final Map<String, Kept> kept = new LinkedHashMap<>(); // guarded by this, oldest first

    CarriedKeys(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Where the message of this key went; null: it is not known here. */
    synchronized @Nullable Place find(String key) {
        Kept found = kept.get(key);
        return found == null || found.untilNanos() - nanoClock.getAsLong() <= 0 ? null : found.place();
    }

    /**
     * Where the message goes: there, unless it went elsewhere meanwhile.
     *
     * @param keepNanos how long it is remembered
     */
    synchronized Place put(String key, Place place, long keepNanos) {
        Place before = find(key);
        if (before != null) {
            return before;
        }
        kept.remove(key); // it is the newest again
        kept.put(key, new Kept(place, Deadline.after(nanoClock.getAsLong(), keepNanos)));
        if (kept.size() > MOST) {
            kept.remove(kept.keySet().iterator().next());
        }
        return place;
    }

    /** Nothing came of it there. */
    synchronized void forget(String key, Place place) {
        if (place.equals(find(key))) {
            kept.remove(key);
        }
    }
}
