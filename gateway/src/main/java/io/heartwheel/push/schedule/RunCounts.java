package io.heartwheel.push.schedule;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ObjLongConsumer;

/** Counts of runs by their results. Any thread. */
final class RunCounts {
    private final AtomicLongArray counts = new AtomicLongArray(RunResult.values().length);

    void add(RunResult result, long times) {
        counts.addAndGet(result.ordinal(), times);
    }

    void forEach(ObjLongConsumer<RunResult> each) {
        for (RunResult result : RunResult.values()) {
            each.accept(result, counts.get(result.ordinal()));
        }
    }
}
