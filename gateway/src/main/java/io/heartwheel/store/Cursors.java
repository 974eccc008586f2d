package io.heartwheel.store;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cursors of the outlets, by their names: how far each has come. Outlets move them at any time; the store saves them once a second, and before it drops
 * what they have passed. After a crash a cursor may be older than it was: then the same records are delivered again. Any thread.
 */
public final class Cursors {
    private final Map<String, Long> stored;
    private final Map<String, Long> present = new ConcurrentHashMap<>();
    /** Those that hold nothing back when there is no room. */
    private final Set<String> yielding = ConcurrentHashMap.newKeySet();

    Cursors(Map<String, Long> stored) {
        this.stored = Map.copyOf(stored);
    }

    /**
     * The cursor of an outlet as it was stored, or where it begins. From now on it holds back what the store drops.
     *
     * @param first for one that has none yet
     */
    public long open(String outlet, long first) {
        return present.computeIfAbsent(outlet, name -> stored.getOrDefault(name, first));
    }

    /** The number of the newest record that this outlet needs no more. */
    public void moveTo(String outlet, long number) {
        present.put(outlet, number);
    }

    /** Whether an outlet holds records back also when there is no room for others: one that is paused or has ended does not. */
    public void holds(String outlet, boolean also) {
        if (also) {
            yielding.remove(outlet);
        } else {
            yielding.add(outlet);
        }
    }

    /**
     * The least of them: no record up to it is needed by any outlet; {@link Long#MAX_VALUE} if there is none.
     *
     * @param noRoom of those only that hold records back also then
     */
    long least(boolean noRoom) {
        long least = Long.MAX_VALUE;
        for (Map.Entry<String, Long> cursor : present.entrySet()) {
            if (!noRoom || !yielding.contains(cursor.getKey())) {
                least = Math.min(least, cursor.getValue());
            }
        }
        return least;
    }

    /** All that is to be stored, those of outlets that are switched off included. */
    Map<String, Long> all() {
        Map<String, Long> all = new HashMap<>(stored);
        all.putAll(present);
        return all;
    }
}
