package io.heartwheel.sink;

import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import java.util.HashMap;
import java.util.Map;

/**
 * Count of the events that a sink has lost and not told yet, by kind: a few numbers, however much it was. Any thread; all fields but {@code any} are guarded by
 * this. {@code any} is written under the lock and read anywhere: a reader may see it a moment old.
 */
final class LostEvents {
    private final Map<String, Long> lost = new HashMap<>();
    private long fromEpochMillis;
    private long toEpochMillis;
    private volatile boolean any;

    /** One more. */
    synchronized void note(Fact fact) {
        add(EventEncoder.label(fact), 1, fact.atEpochMillis(), fact.atEpochMillis());
    }

    /** Whether there is anything to tell. */
    boolean any() {
        return any;
    }

    /** All of it, to be told now; nothing is left. */
    synchronized Gap take(long nowEpochMillis) {
        Gap gap = new Gap(nowEpochMillis, fromEpochMillis, toEpochMillis, lost);
        lost.clear();
        any = false;
        return gap;
    }

    /** It could not be told. */
    synchronized void restore(Gap gap) {
        gap.lost().forEach((kind, count) -> add(kind, count, gap.fromEpochMillis(), gap.toEpochMillis()));
    }

    private void add(String kind, long count, long fromMillis, long toMillis) {
        fromEpochMillis = any ? Math.min(fromEpochMillis, fromMillis) : fromMillis;
        toEpochMillis = any ? Math.max(toEpochMillis, toMillis) : toMillis;
        any = true;
        lost.merge(kind, count, Long::sum);
    }
}
