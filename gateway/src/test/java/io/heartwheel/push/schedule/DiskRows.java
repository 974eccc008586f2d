package io.heartwheel.push.schedule;

import io.heartwheel.store.StoreException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Rows of a disk without threads: what was done is kept, what waits is lost with the process. */
final class DiskRows implements ScheduleRows {
    private final MemoryRows disk;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    /** Whether the disk fails. */
    boolean fails;
    /** Key of a row that cannot be read. */
    String unreadable = "";
    /** Key of a row that can neither be read nor moved, and never will be. */
    String damaged = "";
    /** Changes of the disk. */
    int commits;

    DiskRows(MemoryRows disk) {
        this.disk = disk;
    }

    /** Does what waits longest; false if nothing does. */
    boolean step() {
        Runnable next = waiting.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    private <T> CompletableFuture<T> add(boolean changes, Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        waiting.add(() -> {
            if (fails) {
                result.completeExceptionally(new IOException("no room"));
            } else {
                commits += changes ? 1 : 0;
                work.get().whenComplete((done, failure) -> {
                    if (failure == null) {
                        result.complete(done);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
            }
        });
        return result;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public CompletableFuture<Kept> load() {
        return add(false, disk::load);
    }

    @Override
    public CompletableFuture<?> put(ScheduleRow row) {
        return add(true, () -> disk.put(row));
    }

    @Override
    public CompletableFuture<List<Move>> move(List<Move> moves) {
        return add(
                true, () -> moves.stream().anyMatch(move -> move.key().equals(damaged)) ? damaged() : disk.move(moves));
    }

    @Override
    public CompletableFuture<Boolean> delete(String key) {
        return add(true, () -> disk.delete(key));
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> read(List<String> keys) {
        return add(
                false,
                () -> keys.contains(damaged)
                        ? damaged()
                        : keys.contains(unreadable)
                                ? CompletableFuture.failedFuture(new IOException("unreadable"))
                                : disk.read(keys));
    }

    private static <T> CompletableFuture<T> damaged() {
        return CompletableFuture.failedFuture(new StoreException(StoreException.Cause.DAMAGED, "damaged"));
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit) {
        return add(false, () -> disk.page(after, prefix, limit));
    }

    @Override
    public CompletableFuture<?> putSteps(long millis) {
        return add(true, () -> disk.putSteps(millis));
    }
}
