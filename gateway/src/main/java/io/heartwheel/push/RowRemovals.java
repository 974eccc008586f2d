package io.heartwheel.push;

import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transactions;
import io.heartwheel.store.Transactions.Statements;
import io.heartwheel.wheel.Timers;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Rows of messages on their way off the disk, many in one transaction. If that fails it is tried again in a second; but a row that is damaged there is left, and the others go without it.
 *
 * <p>Any thread. Nobody but whoever set {@code removing} takes any out of the queue.
 */
final class RowRemovals {
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Whoever is told what became of rows, on the thread of the database. */
    @FunctionalInterface
    interface Owner {
        /** @param gone whether it is off the disk; else it cannot be removed, and is not tried again */
        void over(long number, boolean withKey, boolean gone);
    }

    /** @param committed is told, and there is no such row; null: nobody waits for it */
    private record Removal(long number, boolean withKey, @Nullable CompletableFuture<Boolean> committed) {}

    private final Transactions database;
    private final Timers timers;
    private final Owner owner;
    private final Queue<Removal> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean removing = new AtomicBoolean();
    /** Numbers of those that cannot be removed. */
    private final Set<Long> left = ConcurrentHashMap.newKeySet();

    /** The one that the transaction has come to; null: none. Whoever is removing. */
    private @Nullable Removal at;

    RowRemovals(Transactions database, Timers timers, Owner owner) {
        this.database = database;
        this.timers = timers;
        this.owner = owner;
    }

    /** @param withKey whether its Idempotency-Key goes too */
    void add(long number, boolean withKey) {
        waiting.add(new Removal(number, withKey, null));
        removeSoon();
    }

    /**
     * Completed when all that was added before is off the disk.
     *
     * @return fails with a {@link StoreException} if a message of the device with this id cannot be removed
     */
    CompletionStage<Boolean> soFar(String device, long id) {
        CompletableFuture<Boolean> committed = new CompletableFuture<>();
        waiting.add(new Removal(0, false, committed));
        removeSoon();
        return committed.thenCompose(done -> left.isEmpty() ? committed : notLeft(device, id));
    }

    private CompletionStage<Boolean> notLeft(String device, long id) {
        return database.run(on -> isLeft(on, device, id))
                .thenCompose(isLeft -> isLeft
                        ? CompletableFuture.failedFuture(new StoreException(
                                StoreException.Cause.DAMAGED,
                                "the message is damaged on the disk and cannot be removed"))
                        : CompletableFuture.completedFuture(true));
    }

    private boolean isLeft(Statements on, String device, long id) throws SQLException {
        boolean any = false;
        try (ResultSet found = StoredMessages.withId(on, device, id).executeQuery()) {
            while (found.next()) {
                any |= left.contains(found.getLong(1));
            }
        }
        return any;
    }

    /** Goes on where neither the disk nor the wheel took it; to be called about once a second. */
    void sweep() {
        if (!waiting.isEmpty()) {
            removeSoon();
        }
    }

    private void removeSoon() {
        if (removing.compareAndSet(false, true)) {
            database.run(this::remove).whenComplete(this::removed);
        }
    }

    /** Removes the first ones. */
    private int remove(Statements on) throws SQLException {
        PreparedStatement rows = on.of("DELETE FROM message WHERE number = ?");
        int removed = 0;
        for (Removal each : waiting) {
            if (removed == StoredMessages.MOST_AT_ONCE) {
                break;
            }
            removed++;
            if (each.committed == null) {
                at = each;
                rows.setLong(1, each.number);
                rows.executeUpdate();
                if (each.withKey) {
                    StoredKeys.delete(on, each.number);
                }
            }
        }
        at = null;
        return removed;
    }

    private void removed(@Nullable Integer done, @Nullable Throwable failure) {
        Removal failed = at;
        at = null;
        if (failure == null) {
            for (int i = Objects.requireNonNull(done); i > 0; i--) {
                Removal gone = Objects.requireNonNull(waiting.poll());
                if (gone.committed == null) {
                    owner.over(gone.number, gone.withKey, true);
                } else {
                    gone.committed.complete(true);
                }
            }
            again();
        } else if (failed != null && StoreException.isDamage(failure)) {
            waiting.remove(failed);
            left.add(failed.number);
            owner.over(failed.number, failed.withKey, false);
            again();
        } else {
            try {
                timers.once(RETRY_NANOS, this::again);
            } catch (RejectedExecutionException noRoom) {
                removing.set(false); // with the next one, or the next sweep
            }
        }
    }

    private void again() {
        removing.set(false);
        sweep();
    }
}
