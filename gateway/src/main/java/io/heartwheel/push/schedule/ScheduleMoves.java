package io.heartwheel.push.schedule;

import io.heartwheel.push.schedule.ScheduleEntry.State;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves on their way to the rows: one batch at a time, in which everything is that has come while the one before was on its way, so that thousands of runs are a
 * few transactions. What cannot be written goes on in memory, and is written again once a second, unless its row is damaged. Schedules' thread.
 */
final class ScheduleMoves {
    private static final int MOST_AT_ONCE = 1_000;

    private final ScheduleRows rows;
    private final Executor thread;
    private final Consumer<ScheduleEntry> goesOn;
    private final Consumer<ScheduleEntry> isOver;

    private Set<ScheduleEntry> next = new LinkedHashSet<>();
    private final Set<ScheduleEntry> failed = new LinkedHashSet<>();
    private boolean writing;

    /**
     * @param goesOn one waits for its next time
     * @param isOver the row of one is deleted
     */
    ScheduleMoves(ScheduleRows rows, Executor thread, Consumer<ScheduleEntry> goesOn, Consumer<ScheduleEntry> isOver) {
        this.rows = rows;
        this.thread = thread;
        this.goesOn = goesOn;
        this.isOver = isOver;
    }

    /** It has come so far. */
    void add(ScheduleEntry entry, Progress to) {
        entry.moved(to);
        entry.state = State.SAVING;
        next.add(entry);
        write();
    }

    /** Writes what could not be written. */
    void writeAgain() {
        next.addAll(failed);
        failed.clear();
        write();
    }

    private void write() {
        if (writing || next.isEmpty()) {
            return;
        }
        List<ScheduleEntry> batch = new ArrayList<>();
        List<ScheduleRows.Move> moves = new ArrayList<>();
        Set<ScheduleEntry> rest = new LinkedHashSet<>();
        for (ScheduleEntry entry : next) {
            Progress to = entry.unwritten;
            if (moves.size() == MOST_AT_ONCE) {
                rest.add(entry);
            } else if (to != null && entry.state != State.GONE) {
                batch.add(entry);
                moves.add(new ScheduleRows.Move(entry.key, entry.generation, to));
            }
        }
        next = rest;
        writing = true;
        rows.move(moves)
                .whenCompleteAsync(
                        (left, failure) -> {
                            if (StoreException.isDamage(failure) && moves.size() > 1) {
                                writeEach(batch, moves);
                            } else {
                                written(batch, moves, left, failure);
                                goOn();
                            }
                        },
                        thread);
    }

    /** One whose row is damaged holds up no other. */
    private void writeEach(List<ScheduleEntry> batch, List<ScheduleRows.Move> moves) {
        for (int i = 0; i < batch.size(); i++) {
            List<ScheduleEntry> entry = List.of(batch.get(i));
            List<ScheduleRows.Move> move = List.of(moves.get(i));
            rows.move(move).whenCompleteAsync((left, failure) -> written(entry, move, left, failure), thread);
        }
        rows.move(List.of()).whenCompleteAsync((none, failure) -> goOn(), thread);
    }

    private void goOn() {
        writing = false;
        write();
    }

    /** @param left null: all */
    private void written(
            List<ScheduleEntry> batch,
            List<ScheduleRows.Move> moves,
            @Nullable List<ScheduleRows.Move> left,
            @Nullable Throwable failure) {
        Set<ScheduleRows.Move> notMoved = Set.copyOf(left == null ? moves : left);
        boolean damaged = StoreException.isDamage(failure);
        for (int i = 0; i < batch.size(); i++) {
            written(batch.get(i), moves.get(i).progress(), !notMoved.contains(moves.get(i)), damaged);
        }
    }

    private void written(ScheduleEntry entry, Progress progress, boolean done, boolean damaged) {
        if (entry.state == State.GONE || !progress.equals(entry.unwritten)) {
            return; // it is out of date: the latest is on its way
        }
        if (done) {
            entry.unwritten = null;
        } else if (!damaged) {
            failed.add(entry);
        }
        if (progress.left() > 0) {
            if (entry.state == State.SAVING) {
                goesOn.accept(entry);
            }
        } else if (done || damaged) {
            isOver.accept(entry);
        }
    }
}
