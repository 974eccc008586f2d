package io.heartwheel.loadgen.workers;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.judge.WorkerResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line from a worker to its coordinator: what was asked for, or what went wrong, or neither where there is nothing to say.
 *
 * @param present sockets still there
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record WorkerReply(
        @Nullable String error,
        @Nullable MachineLimits limits,
        @Nullable RunReading reading,
        @Nullable WorkerResult part,
        @Nullable Long present) {

    static final WorkerReply DONE = new WorkerReply(null, null, null, null, null);

    static WorkerReply failure(String text) {
        return new WorkerReply(text, null, null, null, null);
    }

    /** The same, with what this worker has lost itself told as its loss. */
    WorkerReply toldBy(String name) {
        if (reading != null && !reading.lost().isEmpty()) {
            return of(new RunReading(
                    reading.elapsedNanos(), reading.ledger(), reading.usage(), told(name, reading.lost())));
        }
        return part != null && !part.lost().isEmpty() ? of(part.withLost(told(name, part.lost()))) : this;
    }

    private static List<String> told(String name, List<String> lost) {
        return lost.stream().map(text -> name + ": " + text).toList();
    }

    static WorkerReply of(MachineLimits limits) {
        return new WorkerReply(null, limits, null, null, null);
    }

    static WorkerReply of(RunReading reading) {
        return new WorkerReply(null, null, reading, null, null);
    }

    static WorkerReply of(WorkerResult part) {
        return new WorkerReply(null, null, null, part, null);
    }

    static WorkerReply of(long present) {
        return new WorkerReply(null, null, null, null, present);
    }
}
