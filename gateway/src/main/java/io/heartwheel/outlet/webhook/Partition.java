package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.OutletEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Events of some devices, whose requests go one after another: their order is kept. One thread.
 *
 * <p>It finds out how many events of a request the receiver takes. A request that is refused is halved, down to the one event that is refused alone; with each
 * that passes the next may have a sixteenth more. So one event that the receiver never takes costs about {@code log2(maxBatch)} requests.
 */
final class Partition {
    private static final int GROWTH = 16;

    private final int maxBatch;
    private final List<OutletEvent> events = new ArrayList<>();
    private int at;
    private int limit;
    private int refusals;

    Partition(int maxBatch) {
        this.maxBatch = maxBatch;
        limit = maxBatch;
    }

    /** Forgets what is left; what is known of the receiver stays. */
    void clear() {
        events.clear();
        at = 0;
        refusals = 0;
    }

    /** These are to be sent as well, last. */
    void add(OutletEvent event) {
        events.add(event);
    }

    /** Those whose turn it is, as many as the receiver may take; none: all have had it. */
    List<OutletEvent> head() {
        return List.copyOf(events.subList(at, Math.min(events.size(), at + limit)));
    }

    /** So many of the head are done with. */
    void passed(int count) {
        at += count;
        refusals = 0;
        if (count >= limit) {
            limit = Math.min(maxBatch, limit + Math.max(1, limit / GROWTH));
        }
    }

    /**
     * So many of the head were refused for what they are.
     *
     * @return how often the first alone has been; 0: there were several, and fewer are to be tried
     */
    int refused(int count) {
        if (count > 1) {
            limit = count / 2;
            return 0;
        }
        return ++refusals;
    }
}
