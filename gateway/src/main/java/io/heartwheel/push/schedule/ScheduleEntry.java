package io.heartwheel.push.schedule;

import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.wheel.Deadline;
import io.heartwheel.wheel.WheelEntry;
import org.jspecify.annotations.Nullable;

/**
 * Schedule in the wheel: its key, its next time and its own entry. All else stays in its row.
 *
 * <p>Owner: the schedules' thread. The wheel's thread reads {@code wall} and {@code dueMillis}, which do not change while it is armed, and writes {@code
 * foundNanos} before it hands it over.
 */
final class ScheduleEntry extends WheelEntry {
    /** What is done with it. */
    enum State {
        /** It is being put, or its row is being written. */
        SAVING,
        /** Armed, or found due. */
        WAITING,
        /** Its message is being read or delivered. */
        RUNNING,
        /** Deleted, replaced or over. */
        GONE
    }

    final String key;
    final long generation;
    final int bytes;
    private final Schedules schedules;

    State state = State.SAVING;
    /** How far it is, if its row does not say so yet. */
    @Nullable
    Progress unwritten;
    /** Which clock {@code dueMillis} is told by. */
    private volatile boolean wall;

    private volatile long dueMillis;
    private volatile long foundNanos;

    ScheduleEntry(Schedules schedules, ScheduleRows.Waiting waiting) {
        this.schedules = schedules;
        key = waiting.key();
        generation = waiting.generation();
        bytes = waiting.bytes();
        wall = waiting.wall();
        dueMillis = waiting.dueMillis();
    }

    /** It has come so far; not while it is armed. */
    void moved(Progress progress) {
        unwritten = progress;
        wall = progress.wall();
        dueMillis = progress.dueMillis();
    }

    ScheduleRows.Begin begin() {
        return new ScheduleRows.Begin(key, generation, unwritten);
    }

    boolean isWall() {
        return wall;
    }

    long dueMillis() {
        return dueMillis;
    }

    /** When the wheel found it due the last time. */
    long foundNanos() {
        return foundNanos;
    }

    // ------------------------------------------------------------------ the wheel's thread

    @Override
    public long deadlineNanos() {
        return Deadline.after(schedules.clock().nanosOf(wall, dueMillis), 0);
    }

    @Override
    public void expire(long nowNanos) {
        foundNanos = nowNanos;
        schedules.found(this);
    }
}
