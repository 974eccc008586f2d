package io.heartwheel.push;

import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transactions;
import io.heartwheel.store.Transactions.Statements;
import io.heartwheel.wheel.Timers;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages on the disk, rows of a table in the order of their numbers; and in memory, how much each device has there.
 *
 * <pre>
 *   put ---&gt; at rest ---load---&gt; loaded by a queue ---end---&gt; to be removed ---commit---&gt; gone
 *               |    &lt;--unload--'                              ^
 *               '-- its time is over, or it is taken back -----'
 * </pre>
 *
 * <p><b>Who ends a row.</b> {@code claims} says where each row stands that is not at rest: with the {@link StoredRow} of the queue that loaded it last, or as one that is being written or is to
 * be removed. Who moves it there from what he knows, by compare-and-set, has ended it; nobody else counts it. A load looks at the claims on the thread of the
 * database, and a claim is forgotten only when the removal is committed: so what has ended is not loaded again, however long the disk refuses to forget it.
 *
 * <p><b>Numbers.</b> One is drawn on the thread of the database, so numbers grow in the order of commits, and no load that has passed a number misses a row below it.
 *
 * <p>Any thread.
 */
public final class StoredMessages {
    /** Layout of their tables. */
    public static final String TABLES =
            """
            CREATE TABLE message(number INTEGER PRIMARY KEY, device TEXT NOT NULL, id INTEGER NOT NULL, form INTEGER NOT NULL, accepted INTEGER NOT NULL,
                expires INTEGER NOT NULL, crc INTEGER NOT NULL, payload BLOB NOT NULL);
            CREATE INDEX message_of_device ON message(device, number);
            CREATE INDEX message_of_id ON message(device, id);
            CREATE INDEX message_expires ON message(expires);
            CREATE TABLE message_key(number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, fingerprint BLOB NOT NULL, id INTEGER NOT NULL, until INTEGER NOT NULL);
            CREATE INDEX message_key_until ON message_key(until)
            """;

    /** Rows and bytes that are read at once; one row is in any case. */
    static final int PAGE_ROWS = 16;

    private static final int PAGE_BYTES = 256 << 10;
    private static final int MOST_AT_ONCE = 1_000;
    /** Rows whose writing failed and that are to be removed, in case they are there after all; while there are as many, none is written. */
    static final int MOST_UNDONE = 1_024;

    /** Of the list of a device. */
    static final int MOST_LISTED = 1_000;

    private static final int SWEEPS_OF_KEYS = 16;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(StoredMessages.class);

    /** What a row is that is neither at rest nor loaded. */
    private enum Claim {
        /** Whether it will be there is not known yet. */
        WRITING,
        /** It has come to its end and is to be removed; its key stays. */
        ENDED,
        /** It was never accepted and is to be removed, if it is there. */
        UNDONE
    }

    /**
     * Idempotency-Key of a message on the disk.
     *
     * @param id of the message
     * @param untilMillis how long it is kept, milliseconds since 1970
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Key(String name, byte[] fingerprint, long id, long untilMillis) {}

    /**
     * Rows that were read.
     *
     * @param upTo none is missing up to this number
     * @param end whether there were no more
     * @param noRoom whether there was no memory for the next one
     */
    record Page(List<StoredRow> rows, long upTo, boolean end, boolean noRoom) {}

    /** Memory that rows take while they are loaded. Any thread. */
    interface Memory {
        /** Takes it for a row; false if there is no room. */
        boolean enter(StoredRow row);

        /** Gives it back. */
        void leave(StoredRow row);

        /** Gives it back, and the row is at rest again. */
        void unload(StoredRow row);
    }

    /** A row as it is listed. */
    record Listed(long number, long id, int bytes, long acceptedMillis, long expiresMillis) {}

    /**
     * What was taken back.
     *
     * @param loaded whether others are loaded: their queue is to be asked
     */
    record Cancelled(int count, boolean loaded) {}

    /** @param committed is told; null: nobody waits for it */
    private record Removed(long number, Claim why, @Nullable CompletableFuture<Boolean> committed) {}

    private record Found(long number, String device, int bytes) {}

    private final Transactions database;
    private final Timers timers;
    private final LongSupplier wallMicros;
    /** The latest number; also of messages that are in memory alone. */
    final AtomicLong numbers = new AtomicLong();

    final StoredRoom room = new StoredRoom();
    private final ConcurrentHashMap<Long, Object> claims = new ConcurrentHashMap<>();
    private final Queue<Removed> removals = new ConcurrentLinkedQueue<>();
    private final AtomicInteger undone = new AtomicInteger();
    private final AtomicBoolean removing = new AtomicBoolean();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final LongAdder damaged = new LongAdder();
    private final List<Key> keys = new ArrayList<>();
    private volatile boolean hasKeys;
    private int sweeps;

    private StoredMessages(Transactions database, Timers timers, LongSupplier wallMicros) {
        this.database = database;
        this.timers = timers;
        this.wallMicros = wallMicros;
    }

    /**
     * Finds out what is there. Blocks.
     *
     * @param timers for what is tried again
     * @param wallMicros microseconds since 1970
     * @throws IOException if it cannot be read
     */
    public static StoredMessages open(Transactions database, Timers timers, LongSupplier wallMicros)
            throws IOException {
        StoredMessages opened = new StoredMessages(database, timers, wallMicros);
        try {
            database.run(opened::count).join();
            database.run(opened::readKeys).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
        return opened;
    }

    private boolean count(Statements on) throws SQLException {
        room.clear();
        try (ResultSet found = on.of("SELECT device, count(*), sum(length(payload)) FROM message GROUP BY device")
                .executeQuery()) {
            while (found.next()) {
                room.found(found.getString(1), found.getInt(2), found.getLong(3));
            }
        }
        try (ResultSet found = on.of(
                        "SELECT max(ifnull((SELECT max(number) FROM message), 0), ifnull((SELECT max(number) FROM message_key), 0))")
                .executeQuery()) {
            numbers.set(found.getLong(1));
        }
        return true;
    }

    private boolean readKeys(Statements on) throws SQLException {
        PreparedStatement select =
                on.of("SELECT name, fingerprint, id, until FROM message_key WHERE until > ? ORDER BY number");
        select.setLong(1, nowMillis());
        keys.clear();
        try (ResultSet found = select.executeQuery()) {
            while (found.next()) {
                keys.add(new Key(found.getString(1), found.getBytes(2), found.getLong(3), found.getLong(4)));
            }
        }
        hasKeys = true; // perhaps some whose time is over
        return true;
    }

    /** Keys that were found, the oldest first; once. */
    List<Key> keys() {
        List<Key> found = List.copyOf(keys);
        keys.clear();
        return found;
    }

    long nowMillis() {
        return wallMicros.getAsLong() / 1_000;
    }

    // ------------------------------------------------------------------ to the disk

    /** Writes a message for which there is room, with its key. */
    CompletionStage<PushResult> put(Push push, @Nullable Key key) {
        long acceptedMillis = nowMillis();
        long expiresMillis = acceptedMillis + Math.max(1, TimeUnit.NANOSECONDS.toMillis(push.timeoutNanos()));
        AtomicLong number = new AtomicLong();
        if (undone.get() >= MOST_UNDONE) {
            room.give(push.deviceId(), push.payload().length);
            String detail =
                    "the disk does not take it: " + MOST_UNDONE + " that it did not take are still to be removed";
            return CompletableFuture.completedFuture(PushResult.refused(Outcome.NOT_STORED, push.id(), detail));
        }
        return database.run(on -> {
                    if (number.get() == 0) {
                        number.set(numbers.incrementAndGet());
                        claims.put(number.get(), Claim.WRITING);
                    }
                    if (push.ack() == Push.Ack.DEVICE && isIdTaken(on, push, number.get())) {
                        return false;
                    }
                    insert(on, number.get(), push, acceptedMillis, expiresMillis);
                    if (key != null) {
                        insert(on, number.get(), key);
                        hasKeys = true;
                    }
                    return true;
                })
                .handle((written, failure) -> written(push, number.get(), written, failure));
    }

    private PushResult written(Push push, long number, @Nullable Boolean written, @Nullable Throwable failure) {
        if (failure == null) {
            claims.remove(number);
        }
        if (failure == null && Boolean.TRUE.equals(written)) {
            return PushResult.refused(Outcome.QUEUED, push.id(), "");
        }
        room.give(push.deviceId(), push.payload().length);
        if (failure == null) {
            return PushResult.idInUse(push.id());
        }
        if (number != 0) {
            claims.put(number, Claim.UNDONE);
            undone.incrementAndGet();
            remove(number, Claim.UNDONE);
        }
        return PushResult.refused(Outcome.NOT_STORED, push.id(), text(failure));
    }

    private static String text(Throwable failure) {
        Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                ? wrapped.getCause()
                : failure;
        boolean full = cause instanceof StoreException known && known.kind() == StoreException.Cause.DISK_FULL;
        return (full ? "the disk is full: " : "the disk does not take it: ") + cause.getMessage();
    }

    private boolean isIdTaken(Statements on, Push push, long number) throws SQLException {
        for (Found other : withId(on, push.deviceId(), push.id())) {
            Object claim = claims.get(other.number);
            if (other.number != number && claim != Claim.ENDED && claim != Claim.UNDONE) {
                return true;
            }
        }
        return false;
    }

    private static List<Found> withId(Statements on, String device, long id) throws SQLException {
        PreparedStatement select = on.of(
                "SELECT number, device, length(payload) FROM message WHERE device = ? AND id = ? ORDER BY number");
        select.setString(1, device);
        select.setLong(2, id);
        return found(select, number -> true);
    }

    private static List<Found> found(PreparedStatement select, LongPredicate wanted) throws SQLException {
        List<Found> all = new ArrayList<>();
        try (ResultSet found = select.executeQuery()) {
            while (all.size() < MOST_AT_ONCE && found.next()) {
                if (wanted.test(found.getLong(1))) {
                    all.add(new Found(found.getLong(1), found.getString(2), found.getInt(3)));
                }
            }
        }
        return all;
    }

    private static void insert(Statements on, long number, Push push, long acceptedMillis, long expiresMillis)
            throws SQLException {
        PreparedStatement put =
                on.of("INSERT OR REPLACE INTO message(number, device, id, form, accepted, expires, crc, payload)"
                        + " VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
        int form = StoredRow.form(push);
        put.setLong(1, number);
        put.setString(2, push.deviceId());
        put.setLong(3, push.id());
        put.setInt(4, form);
        put.setLong(5, acceptedMillis);
        put.setLong(6, expiresMillis);
        put.setLong(7, StoredRow.crc(push.deviceId(), push.id(), form, expiresMillis, push.payload()));
        put.setBytes(8, push.payload());
        put.executeUpdate();
    }

    private static void insert(Statements on, long number, Key key) throws SQLException {
        PreparedStatement put =
                on.of("INSERT OR REPLACE INTO message_key(number, name, fingerprint, id, until) VALUES(?, ?, ?, ?, ?)");
        put.setLong(1, number);
        put.setString(2, key.name);
        put.setBytes(3, key.fingerprint);
        put.setLong(4, key.id);
        put.setLong(5, key.untilMillis);
        put.executeUpdate();
    }

    // ------------------------------------------------------------------ from the disk

    /**
     * Reads the rows of a device for its queue, as far as there is memory for them: however many devices come at once, no more is read than may wait.
     *
     * @param after those behind this number
     * @param acknowledges whether those are wanted that the device is to acknowledge
     */
    CompletableFuture<Page> load(Memory memory, String device, long after, boolean acknowledges) {
        List<StoredRow> rows = new ArrayList<>();
        return database.run(on -> {
                    rows.forEach(memory::unload); // of a first try
                    rows.clear();
                    return page(on, memory, device, after, acknowledges, rows);
                })
                .whenComplete((page, failure) -> {
                    if (failure != null) {
                        rows.forEach(memory::unload);
                    }
                });
    }

    private Page page(
            Statements on, Memory memory, String device, long after, boolean acknowledges, List<StoredRow> rows)
            throws SQLException {
        PreparedStatement select = on.of("SELECT number, id, form, expires, crc, payload FROM message"
                + " WHERE device = ? AND number > ? ORDER BY number LIMIT " + PAGE_ROWS);
        select.setString(1, device);
        select.setLong(2, after);
        int seen = 0;
        int read = 0;
        long upTo = after;
        try (ResultSet found = select.executeQuery()) {
            while (read < PAGE_BYTES && found.next()) {
                if (claims.get(found.getLong(1)) == Claim.WRITING) {
                    return new Page(rows, upTo, true, false); // whoever writes it tells when it is there
                }
                StoredRow row = row(device, found);
                boolean wanted = acknowledges || row.damaged || row.push.ack() != Push.Ack.DEVICE;
                if (wanted && !memory.enter(row)) {
                    return new Page(rows, upTo, false, true);
                }
                upTo = row.number;
                seen++;
                read += row.push.payload().length;
                if (wanted && claims.compute(row.number, (number, by) -> by instanceof Claim ? by : row) == row) {
                    rows.add(row);
                } else if (wanted) {
                    memory.leave(row);
                }
            }
        }
        return new Page(rows, upTo, seen < PAGE_ROWS && read < PAGE_BYTES, false);
    }

    private static StoredRow row(String device, ResultSet found) throws SQLException {
        long number = found.getLong(1);
        long id = found.getLong(2);
        int form = found.getInt(3);
        long expiresMillis = found.getLong(4);
        byte[] payload = found.getBytes(6);
        Push push = new Push(device, id, StoredRow.isText(form), payload, StoredRow.ack(form), false, 1, true);
        boolean damaged = found.getLong(5) != StoredRow.crc(device, id, form, expiresMillis, payload);
        return new StoredRow(number, push, expiresMillis, damaged);
    }

    /** A row that was loaded is at rest again. */
    void unload(StoredRow row) {
        claims.remove(row.number, row);
    }

    /**
     * Rows of a device as they are listed; the first {@link #MOST_LISTED}.
     *
     * @param id of those that are wanted; null: all
     */
    CompletionStage<List<Listed>> list(String device, @Nullable Long id) {
        return database.run(on -> {
            PreparedStatement select = on.of("SELECT number, id, length(payload), accepted, expires FROM message"
                    + " WHERE device = ?1" + (id == null ? "" : " AND id = ?2") + " ORDER BY number");
            select.setString(1, device);
            if (id != null) {
                select.setLong(2, id);
            }
            List<Listed> all = new ArrayList<>();
            try (ResultSet found = select.executeQuery()) {
                while (all.size() < MOST_LISTED && found.next()) {
                    if (!(claims.get(found.getLong(1)) instanceof Claim)) {
                        all.add(new Listed(
                                found.getLong(1),
                                found.getLong(2),
                                found.getInt(3),
                                found.getLong(4),
                                found.getLong(5)));
                    }
                }
            }
            return all;
        });
    }

    // ------------------------------------------------------------------ ends

    /** A loaded row has come to its end. False if it is no longer this one's. */
    boolean end(StoredRow row) {
        boolean mine = claims.replace(row.number, row, Claim.ENDED);
        if (mine) {
            gone(row.push.deviceId(), row.number, row.push.payload().length);
        }
        return mine;
    }

    /** A loaded row is not what was written. */
    void damaged(StoredRow row) {
        if (end(row)) {
            damaged.increment();
            LOG.error("a message for device {} is damaged on the disk and is not delivered", row.push.deviceId());
        }
    }

    private boolean endAtRest(Found row) {
        boolean mine = claims.putIfAbsent(row.number, Claim.ENDED) == null;
        if (mine) {
            gone(row.device, row.number, row.bytes);
        }
        return mine;
    }

    private void gone(String device, long number, int payloadBytes) {
        room.give(device, payloadBytes);
        remove(number, Claim.ENDED);
    }

    /** Takes back those with this id that are at rest. */
    CompletionStage<Cancelled> cancelAtRest(String device, long id) {
        return database.run(on -> withId(on, device, id)).thenApply(found -> {
            int cancelled = 0;
            boolean loaded = false;
            for (Found row : found) {
                cancelled += endAtRest(row) ? 1 : 0;
                loaded |= claims.get(row.number) instanceof StoredRow;
            }
            return new Cancelled(cancelled, loaded);
        });
    }

    /** Ends what has rested too long, and forgets keys; to be called about once a second. */
    void sweep(PushSettings limits, Runnable expired) {
        if ((room.devices() == 0 && !hasKeys) || !sweeping.compareAndSet(false, true)) {
            return;
        }
        long nowMillis = nowMillis();
        int mostKeys = (int) (limits.keysMaxBytes() / IdempotencyKeys.ENTRY_BYTES);
        boolean alsoKeys = hasKeys && ++sweeps % SWEEPS_OF_KEYS == 0;
        database.run(on -> {
                    if (alsoKeys) {
                        hasKeys = forgetKeys(on, nowMillis, mostKeys);
                    }
                    PreparedStatement select = on.of(
                            "SELECT number, device, length(payload) FROM message WHERE expires <= ? ORDER BY expires");
                    select.setLong(1, nowMillis);
                    return found(select, number -> !claims.containsKey(number));
                })
                .whenComplete((found, failure) -> {
                    sweeping.set(false);
                    if (failure == null) {
                        found.stream().filter(this::endAtRest).forEach(row -> expired.run());
                        if (found.size() == MOST_AT_ONCE) {
                            sweep(limits, expired);
                        }
                    }
                });
    }

    private static boolean forgetKeys(Statements on, long nowMillis, int most) throws SQLException {
        PreparedStatement old = on.of("DELETE FROM message_key WHERE until <= ?");
        old.setLong(1, nowMillis);
        old.executeUpdate();
        PreparedStatement oldest = on.of("DELETE FROM message_key WHERE number <="
                + " (SELECT number FROM message_key ORDER BY number DESC LIMIT 1 OFFSET ?)");
        oldest.setInt(1, most);
        oldest.executeUpdate();
        try (ResultSet any = on.of("SELECT EXISTS(SELECT 1 FROM message_key)").executeQuery()) {
            return any.getBoolean(1);
        }
    }

    // ------------------------------------------------------------------ off the disk

    private void remove(long number, Claim why) {
        removals.add(new Removed(number, why, null));
        removeSoon();
    }

    /** Completed when all that has come to its end by now is off the disk. */
    CompletionStage<Boolean> removedSoFar() {
        CompletableFuture<Boolean> committed = new CompletableFuture<>();
        removals.add(new Removed(0, Claim.ENDED, committed)); // no row has this number
        removeSoon();
        return committed;
    }

    private void removeSoon() {
        if (removing.compareAndSet(false, true)) {
            database.run(this::remove).whenComplete(this::removed);
        }
    }

    /** Removes the first ones; nobody else takes any out of the queue meanwhile. */
    private int remove(Statements on) throws SQLException {
        PreparedStatement rows = on.of("DELETE FROM message WHERE number = ?");
        PreparedStatement keys = on.of("DELETE FROM message_key WHERE number = ?");
        int removed = 0;
        for (Removed each : removals) {
            if (++removed > MOST_AT_ONCE) {
                return MOST_AT_ONCE;
            }
            rows.setLong(1, each.number);
            rows.executeUpdate();
            if (each.why == Claim.UNDONE) {
                keys.setLong(1, each.number);
                keys.executeUpdate();
            }
        }
        return removed;
    }

    private void removed(@Nullable Integer done, @Nullable Throwable failure) {
        if (failure == null) {
            for (int i = Objects.requireNonNull(done); i > 0; i--) {
                Removed gone = Objects.requireNonNull(removals.poll());
                claims.remove(gone.number);
                undone.addAndGet(gone.why == Claim.UNDONE ? -1 : 0);
                if (gone.committed != null) {
                    gone.committed.complete(true);
                }
            }
            again();
            return;
        }
        try {
            timers.once(RETRY_NANOS, this::again);
        } catch (RejectedExecutionException noRoom) {
            removing.set(false); // with the next one
        }
    }

    private void again() {
        removing.set(false);
        if (!removals.isEmpty()) {
            removeSoon();
        }
    }

    // ------------------------------------------------------------------ figures

    /** Rows that are loaded, written or to be removed. */
    int claimed() {
        return claims.size();
    }

    /** Rows that were not what was written, since the start. */
    long damaged() {
        return damaged.sum();
    }
}
