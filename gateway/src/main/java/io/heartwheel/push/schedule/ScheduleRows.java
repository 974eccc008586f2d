package io.heartwheel.push.schedule;

import io.heartwheel.push.schedule.ScheduleRow.Progress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Place where schedules are kept. Called by the schedules' thread; what is asked for is done in that order, seen by what comes behind, and completes in that
 * order, on any thread; with a failure if it could not be done.
 */
public interface ScheduleRows {
    /** Schedule that waits for its time; the components are those of {@link ScheduleRow} and {@link Progress}. */
    record Waiting(String key, long generation, boolean wall, long dueMillis, int bytes) {}

    /**
     * All that is there.
     *
     * @param stepsMillis see {@link #putSteps}
     */
    record Kept(long stepsMillis, List<Waiting> schedules) {}

    /** A schedule has come so far; with nothing left it is to be deleted. Means nothing if another of its key is there. */
    record Move(String key, long generation, Progress progress) {}

    /** Whether it outlives the process. */
    boolean isDurable();

    /** All that is there. */
    CompletableFuture<Kept> load();

    /** Puts one in the place of what has its key. */
    CompletableFuture<?> put(ScheduleRow row);

    /** Moves them all, or none. */
    CompletableFuture<?> move(List<Move> moves);

    /** Deletes what has this key; whether there was any. */
    CompletableFuture<Boolean> delete(String key);

    /** Those of these keys that are there, with their payloads. */
    CompletableFuture<List<ScheduleRow>> read(List<String> keys);

    /** The first ones behind a key, in their order, without their payloads; only those whose keys begin so. */
    CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit);

    /** Keeps how far the wall clock was set in all, milliseconds. */
    CompletableFuture<?> putSteps(long millis);
}
