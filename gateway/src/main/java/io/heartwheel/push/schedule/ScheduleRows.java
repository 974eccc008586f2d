package io.heartwheel.push.schedule;

import io.heartwheel.push.schedule.ScheduleRow.Progress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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

    /**
     * A run of a schedule that begins.
     *
     * @param unwritten how far it is, if its row does not say so yet
     */
    record Begin(String key, long generation, @Nullable Progress unwritten) {}

    /**
     * Gateway that runs a schedule.
     *
     * @param running whether a run has begun there
     */
    record Runner(String node, boolean running) {}

    /** Whether it outlives the process. */
    boolean isDurable();

    /** All that is there. */
    CompletableFuture<Kept> load();

    /** Whether others change rows too, so that one that is another's or gone is no fault. */
    default boolean isShared() {
        return false;
    }

    /**
     * Generation of a new schedule.
     *
     * @param counted grows with each that is put here
     */
    default long generation(long counted) {
        return counted;
    }

    /** Who runs the schedule of a key, as far as is known; null: this gateway, as there is no other. */
    default @Nullable Runner runner(String key) {
        return null;
    }

    /**
     * Puts one in the place of what has its key.
     *
     * @return true: it took the place of another, of which the caller may not know. With a {@link PutResult.NotTaken} if there is a better word than not stored
     */
    CompletableFuture<?> put(ScheduleRow row);

    /**
     * Moves them all, or none; those that are shared each by itself.
     *
     * @return those that were not moved, and are to be tried again
     */
    CompletableFuture<List<Move>> move(List<Move> moves);

    /** Deletes what has this key; whether there was any. */
    CompletableFuture<Boolean> delete(String key);

    /** Those of these keys that are there, with their payloads. */
    CompletableFuture<List<ScheduleRow>> read(List<String> keys);

    /** The rows of runs that begin now; others' that are shared are left out. */
    default CompletableFuture<List<ScheduleRow>> begin(List<Begin> runs) {
        return read(runs.stream().map(Begin::key).toList());
    }

    /** The first ones behind a key, in their order, without their payloads; only those whose keys begin so. */
    CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit);

    /** Keeps how far the wall clock was set in all, milliseconds. */
    CompletableFuture<?> putSteps(long millis);
}
