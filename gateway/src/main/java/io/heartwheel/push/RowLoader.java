package io.heartwheel.push;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.wheel.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Loader of the rows of one {@link DeviceQueue}: a page at a time, in the order of their numbers, from the first on for each connection.
 *
 * <pre>
 *   reset -- want --&gt; load --&gt; page --&gt; messages of the queue        no room, or the disk fails: again in 1 s
 *              ^                  |
 *              '---- not the last-'
 * </pre>
 *
 * <p>Owner: the loop of the queue.
 */
final class RowLoader {
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DeviceQueue queue;
    private final Pushes pushes;
    private final Executor home;

    /** There may be rows above {@link #loadedUpTo}. */
    private boolean more;

    private @Nullable CompletableFuture<StoredMessages.Page> loading;
    private long loadedUpTo;
    private @Nullable Timer again;

    RowLoader(DeviceQueue queue, Pushes pushes, Executor home) {
        this.queue = queue;
        this.pushes = pushes;
        this.home = home;
    }

    /** There may be rows that were not there before. */
    void want() {
        more = true;
    }

    boolean mayBeMore() {
        return more || loading != null;
    }

    /** Whether a message with this number has to wait for rows. */
    boolean isBehind(long number) {
        return number > loadedUpTo && mayBeMore();
    }

    /** Begins anew: what was loaded is at rest again. */
    void reset() {
        more = false;
        loading = null;
        loadedUpTo = 0;
        if (again != null) {
            again.cancel();
            again = null;
        }
    }

    /**
     * Reads the next page, if there may be one and nothing is read now.
     *
     * @param acknowledges whether those are wanted that the device is to acknowledge
     */
    void load(boolean acknowledges) {
        if (!more || loading != null || again != null) {
            return;
        }
        more = false;
        CompletableFuture<StoredMessages.Page> begun = pushes.rows().load(pushes, queue, loadedUpTo, acknowledges);
        loading = begun;
        begun.whenComplete((page, failure) -> home.execute(() -> loaded(begun, page)));
    }

    /** @param page null: it could not be read */
    private void loaded(CompletableFuture<StoredMessages.Page> by, StoredMessages.@Nullable Page page) {
        List<StoredRow> rows = page == null ? List.of() : page.rows();
        if (loading != by) {
            rows.forEach(pushes::unload); // for a connection that has ended
            return;
        }
        loading = null;
        int taken = 0;
        while (taken < rows.size() && take(rows.get(taken))) {
            loadedUpTo = rows.get(taken).number;
            taken++;
        }
        rows.subList(taken, rows.size()).forEach(pushes::unload);
        if (page == null || page.noRoom() || taken < rows.size()) {
            more = true;
            loadLater();
        } else {
            more |= !page.end();
            loadedUpTo = page.upTo();
        }
        queue.loaded();
    }

    private void loadLater() {
        try {
            again = pushes.timers().once(RETRY_NANOS, this::loadAgain, home);
        } catch (RejectedExecutionException noRoom) {
            // when another message has come to its end, or the next connection is there
        }
    }

    private void loadAgain() {
        if (again != null) {
            again = null;
            queue.load();
        }
    }

    /** False if there is no room in the wheel. */
    private boolean take(StoredRow row) {
        long leftNanos = StoredRow.leftNanos(row.expiresMillis, pushes.rows().nowMillis());
        if (row.damaged) {
            pushes.damaged(row);
            return true;
        }
        if (leftNanos <= 0) {
            pushes.ended(row, Outcome.EXPIRED);
            return true;
        }
        PendingMessage message = new PendingMessage(queue, row.push, row.number, row);
        try {
            message.deadline = pushes.timers().once(leftNanos, message, home);
        } catch (RejectedExecutionException noRoom) {
            return false;
        }
        queue.insert(message);
        return true;
    }
}
