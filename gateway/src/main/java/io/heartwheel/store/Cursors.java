package io.heartwheel.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cursors of the outlets, by their names: how far each has come. Outlets move them at any time; whoever commits stores what has moved with the next transaction, so that a
 * cursor costs no commit of its own. After a crash a cursor may be older than it was: then the same records are delivered again.
 *
 * <p>Any thread; {@link #storeInto} and {@link #stored} only by whoever commits.
 */
public final class Cursors {
    private final Map<String, Long> present = new ConcurrentHashMap<>();
    private final Set<String> released = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> stored = new HashMap<>();
    private final Map<String, Long> storing = new HashMap<>();

    /**
     * The cursor of an outlet as it was stored, or where it begins.
     *
     * @param first for one that has none yet
     */
    public long open(StoreReader reader, String outlet, long first) throws StoreException {
        byte[] found = reader.row(RowSpace.CURSORS, key(outlet));
        long number = found == null ? first : ByteBuffer.wrap(found).getLong();
        present.put(outlet, number);
        return number;
    }

    /** The number of the newest record that this outlet needs no more. */
    public void moveTo(String outlet, long number) {
        present.put(outlet, number);
    }

    /**
     * Says whether an outlet holds back what is dropped; each does until it is said.
     *
     * @param holds false: it needs nothing at the moment, being paused, and gets a gap for what is dropped meanwhile
     */
    public void holds(String outlet, boolean holds) {
        if (holds) {
            released.remove(outlet);
        } else {
            released.add(outlet);
        }
    }

    /** Whether this outlet holds back what is dropped. */
    public boolean holds(String outlet) {
        return !released.contains(outlet);
    }

    /** The least of them: no record up to it is needed by any outlet; {@link Long#MAX_VALUE} if there is none. */
    public long least() {
        long least = Long.MAX_VALUE;
        for (long number : present.values()) {
            least = Math.min(least, number);
        }
        return least;
    }

    /** Adds what has moved since it was stored; {@link #stored} once the transaction is committed. */
    public void storeInto(Transaction transaction) {
        storing.clear();
        present.forEach((outlet, number) -> {
            if (!number.equals(stored.get(outlet))) {
                storing.put(outlet, number);
                transaction.put(
                        RowSpace.CURSORS,
                        key(outlet),
                        ByteBuffer.allocate(Long.BYTES).putLong(number).array());
            }
        });
    }

    /** Whether any has moved since it was stored. */
    public boolean anyToStore() {
        return !present.equals(stored);
    }

    /** The transaction is committed. */
    public void stored() {
        stored.putAll(storing);
    }

    private static byte[] key(String outlet) {
        return outlet.getBytes(StandardCharsets.UTF_8);
    }
}
