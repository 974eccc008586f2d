package io.heartwheel.push;

import io.heartwheel.wheel.Timer;
import io.heartwheel.wheel.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Loader of the rows of one device for its queue: a page at a time, in the order of their numbers, from the first on for each connection.
 *
 * <pre>
 *   reset -- want --&gt; load --&gt; page --&gt; messages of the queue        no room: when the memory tells of some, or one of the device has ended
 *              ^                  |                                  the disk fails: again in 1 s
 *              '---- not the last-'
 * </pre>
 *
 * <p>Owner: the loop of the queue.
 */
final class RowLoader implements MessageMemory.Waiter {
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Queue that is loaded for. */
    interface Taker {
        /** Takes in a row, or what is wrong with it; false if there is no room. */
        boolean take(StoredRow row);

        /** Whether any row is taken that has not ended. */
        boolean hasRows();

        /** Loading may go on, or it is over. */
        void loaded();
    }

    private final String device;
    private final Taker queue;
    private final Supplier<StoredMessages> stored;
    private final MessageMemory memory;
    private final Timers timers;
    private final Executor home;

    /** There may be rows above {@link #loadedUpTo}. */
    private boolean more;

    private @Nullable CompletableFuture<StoredMessages.Page> loading;
    private long loadedUpTo;
    private @Nullable Timer again;
    /** It waits for the memory to tell of room. */
    private boolean awaits;

    /** @param stored is asked only if anything is wanted */
    RowLoader(
            String device,
            Taker queue,
            Supplier<StoredMessages> stored,
            MessageMemory memory,
            Timers timers,
            Executor home) {
        this.device = device;
        this.queue = queue;
        this.stored = stored;
        this.memory = memory;
        this.timers = timers;
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
        awaitNoMore();
        if (again != null) {
            again.cancel();
            again = null;
        }
    }

    /** One of those that were loaded has ended, or the device does not want it now. */
    void progressed() {
        awaitNoMore();
    }

    private void awaitNoMore() {
        if (awaits) {
            awaits = false;
            memory.awaitNoMore(this);
        }
    }

    /**
     * Reads the next page, if there may be one and nothing is read now.
     *
     * @param acknowledges whether those are wanted that the device is to acknowledge
     */
    void load(boolean acknowledges) {
        if (!more || loading != null || again != null || awaits) {
            return;
        }
        more = false;
        CompletableFuture<StoredMessages.Page> begun =
                stored.get().load(memory, device, loadedUpTo, acknowledges, !queue.hasRows());
        loading = begun;
        begun.whenComplete((page, failure) -> home.execute(() -> loaded(begun, page)));
    }

    /** @param page null: it could not be read */
    private void loaded(CompletableFuture<StoredMessages.Page> by, StoredMessages.@Nullable Page page) {
        List<StoredRow> rows = page == null ? List.of() : page.rows();
        if (loading != by) {
            rows.forEach(this::unload); // for a connection that has ended
            memory.tell();
            return;
        }
        loading = null;
        int taken = 0;
        while (taken < rows.size() && queue.take(rows.get(taken))) {
            loadedUpTo = rows.get(taken).number;
            taken++;
        }
        rows.subList(taken, rows.size()).forEach(this::unload);
        boolean wheelFull = taken < rows.size();
        if (page == null) {
            more = true;
            loadLater();
        } else if (page.noRoom() || wheelFull) {
            more = true;
            await();
        } else {
            more |= !page.end();
            loadedUpTo = page.upTo();
        }
        if (page != null && !wheelFull) {
            memory.tell(); // there may be room for the next; or for this one, since it looked
        }
        queue.loaded();
    }

    private void unload(StoredRow row) {
        stored.get().unload(memory, row);
    }

    private void await() {
        awaits = true;
        memory.await(this, !queue.hasRows());
    }

    @Override
    public void told() {
        try {
            home.execute(this::tryAgain);
        } catch (RejectedExecutionException ended) {
            // and the process with it
        }
    }

    private void tryAgain() {
        if (awaits) {
            awaits = false;
            queue.loaded();
        }
        if (loading == null) {
            memory.tell();
        }
    }

    private void loadLater() {
        try {
            again = timers.once(RETRY_NANOS, this::loadAgain, home);
        } catch (RejectedExecutionException noRoom) {
            await(); // all that waits is told once a second
        }
    }

    private void loadAgain() {
        if (again != null) {
            again = null;
            queue.loaded();
        }
    }
}
