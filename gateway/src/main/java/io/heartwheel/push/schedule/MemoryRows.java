package io.heartwheel.push.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Schedules that end with the process. The schedules' thread only. */
public final class MemoryRows implements ScheduleRows {
    private final NavigableMap<String, ScheduleRow> rows = new TreeMap<>();
    private long stepsMillis;

    @Override
    public boolean isDurable() {
        return false;
    }

    @Override
    public CompletableFuture<Kept> load() {
        List<Waiting> all = new ArrayList<>();
        for (ScheduleRow row : rows.values()) {
            ScheduleRow.Progress at = row.progress();
            all.add(new Waiting(row.key(), row.generation(), at.wall(), at.dueMillis(), row.bytes()));
        }
        return CompletableFuture.completedFuture(new Kept(stepsMillis, all));
    }

    @Override
    public CompletableFuture<@Nullable Void> put(ScheduleRow row) {
        rows.put(row.key(), row);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Move>> move(List<Move> moves) {
        for (Move move : moves) {
            rows.computeIfPresent(move.key(), (key, row) -> {
                if (row.generation() != move.generation()) {
                    return row;
                }
                return move.progress().left() == 0 ? null : row.with(move.progress());
            });
        }
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<Boolean> delete(String key) {
        return CompletableFuture.completedFuture(rows.remove(key) != null);
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> read(List<String> keys) {
        return CompletableFuture.completedFuture(
                keys.stream().map(rows::get).filter(Objects::nonNull).toList());
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit) {
        NavigableMap<String, ScheduleRow> behind =
                after.compareTo(prefix) < 0 ? rows.tailMap(prefix, true) : rows.tailMap(after, false);
        return CompletableFuture.completedFuture(behind.values().stream()
                .takeWhile(row -> row.key().startsWith(prefix))
                .limit(limit)
                .toList());
    }

    @Override
    public CompletableFuture<@Nullable Void> putSteps(long millis) {
        stepsMillis = millis;
        return CompletableFuture.completedFuture(null);
    }
}
