package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.Slice;
import java.util.List;

/**
 * Share of one worker process.
 *
 * @param slice its devices
 * @param loops event loops, each with one pacing loop
 * @param heapBytes its largest heap
 * @param sources addresses it connects from, evenly; empty: the kernel's choice
 */
public record WorkerShare(Slice slice, int loops, long heapBytes, List<String> sources) {

    /** Keeps its own copy. */
    public WorkerShare {
        sources = List.copyOf(sources);
    }
}
