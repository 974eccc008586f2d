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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
 * be removed. Who moves it there from what he knows, by compare-and-set, has ended it; nobody else counts it. Of two loads the later has the right. A load looks at the claims on the thread of the
 * database, and a claim is forgotten only when the removal is committed: so what has ended is not loaded again, however long the disk refuses to forget it.
 *
 * <p><b>Damage.</b> A transaction in which SQLite has met a damaged page cannot be committed. So a work notes the row that it comes to; when it fails for damage, that row is ended, and the
 * work is done again without it. Numbers are found in an index alone: a row that cannot be read hides no other. One that cannot be removed is left, with its claim.
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
    /** Rows whose writing failed and that are to be removed, in case they are there after all; while there are as many, none is written. */
    static final int MOST_UNDONE = 1_024;

    /** Rows that are found, listed or removed at once. */
    static final int MOST_AT_ONCE = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(StoredMessages.class);

    /** What a row is that is neither at rest nor loaded. */
    private enum Claim {
        /** Whether it will be there is not known yet. */
        WRITING,
        /** It has come to its end and is to be removed; its key stays. */
        ENDED,
        /** It is not what was written and is to be removed; its key stays. */
        DAMAGED,
        /** It was never accepted and is to be removed, if it is there. */
        UNDONE
    }

    /**
     * Rows that were read.
     *
     * @param upTo none is missing up to this number
     * @param end whether there were no more
     * @param noRoom whether there was no memory for the next one
     */
    record Page(List<StoredRow> rows, long upTo, boolean end, boolean noRoom) {}

    /** A row without its payload. */
    record Listed(long number, String device, long id, int bytes, long acceptedMillis, long expiresMillis) {}

    /** Work that reads rows. */
    @FunctionalInterface
    private interface Reading<T> {
        /** @param at the row that it comes to, so that one that is damaged is known */
        T read(Statements on, AtomicLong at) throws SQLException;
    }

    /**
     * What was taken back.
     *
     * @param loaded whether others are loaded: their queue is to be asked
     */
    record Cancelled(int count, boolean loaded) {}

    private final Transactions database;
    private final LongSupplier wallMicros;
    /** The latest number; also of messages that are in memory alone. */
    final AtomicLong numbers = new AtomicLong();

    final StoredRoom room = new StoredRoom();
    private final ConcurrentHashMap<Long, Object> claims = new ConcurrentHashMap<>();
    private final RowRemovals removals;
    private final AtomicInteger undone = new AtomicInteger();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicLong loads = new AtomicLong();
    private final LongAdder damaged = new LongAdder();
    private final StoredKeys keys;
    private List<StoredKeys.Key> found = List.of();

    private StoredMessages(Transactions database, Timers timers, LongSupplier wallMicros) {
        this.database = database;
        this.wallMicros = wallMicros;
        keys = new StoredKeys(database);
        removals = new RowRemovals(database, timers, this::over);
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
            opened.found =
                    database.run(on -> StoredKeys.read(on, opened.nowMillis())).join();
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

    /** Keys that were found, the oldest first; once. */
    List<StoredKeys.Key> keys() {
        List<StoredKeys.Key> once = found;
        found = List.of();
        return once;
    }

    long nowMillis() {
        return wallMicros.getAsLong() / 1_000;
    }

    // ------------------------------------------------------------------ to the disk

    /** Writes a message for which there is room, with its key. */
    CompletionStage<PushResult> put(Push push, StoredKeys.@Nullable Key key) {
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
                        keys.insert(on, number.get(), key);
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
            removals.add(number, true);
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
        try (ResultSet others = withId(on, push.deviceId(), push.id()).executeQuery()) {
            while (others.next()) {
                Object claim = claims.get(others.getLong(1));
                if (others.getLong(1) != number && (claim == Claim.WRITING || !(claim instanceof Claim))) {
                    return true;
                }
            }
        }
        return false;
    }

    static PreparedStatement withId(Statements on, String device, long id) throws SQLException {
        PreparedStatement numbers = on.of("SELECT number FROM message WHERE device = ? AND id = ? ORDER BY number");
        numbers.setString(1, device);
        numbers.setLong(2, id);
        return numbers;
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

    // ------------------------------------------------------------------ from the disk

    /** Reads rows. One that is damaged on the disk is ended, and the others are read without it. */
    private <T> CompletableFuture<T> read(Reading<T> work) {
        AtomicLong at = new AtomicLong();
        return database.run(on -> {
                    at.set(0);
                    return work.read(on, at);
                })
                .exceptionallyCompose(failure -> at.get() == 0 || !StoreException.isDamage(failure)
                        ? CompletableFuture.failedFuture(failure)
                        : endUnreadable(at.get()).thenCompose(done -> read(work)));
    }

    /** Its place is given back, unless not even its size can be read. */
    private CompletableFuture<Boolean> endUnreadable(long number) {
        return database.run(on -> Optional.ofNullable(listed(on, number)))
                .exceptionallyCompose(failure -> StoreException.isDamage(failure)
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : CompletableFuture.failedFuture(failure))
                .thenCompose(row -> {
                    Object by = claims.putIfAbsent(number, Claim.DAMAGED);
                    if (by instanceof StoredRow) {
                        return CompletableFuture.failedFuture(new StoreException(
                                StoreException.Cause.OTHER,
                                "message " + number + " is damaged on the disk, and loaded"));
                    }
                    if (by == null) {
                        damaged(number, row.map(Listed::device).orElse("unknown"));
                        row.ifPresent(its -> room.give(its.device, its.bytes));
                        removals.add(number, false);
                    }
                    return CompletableFuture.completedFuture(true);
                });
    }

    private void damaged(long number, String device) {
        damaged.increment();
        LOG.error("message {} for device {} is damaged on the disk and is not delivered", number, device);
    }

    /**
     * Reads the rows of a device for its queue, as far as there is memory for them: however many devices come at once, no more is read than may wait.
     *
     * @param after those behind this number
     * @param acknowledges whether those are wanted that the device is to acknowledge
     * @param first whether none of the device is loaded yet
     */
    CompletableFuture<Page> load(MessageMemory memory, String device, long after, boolean acknowledges, boolean first) {
        return load(memory, device, after, acknowledges, first, loads.incrementAndGet());
    }

    /** The same of those that nobody has loaded, to give them away; a queue does not load them meanwhile, nor any behind them. */
    CompletableFuture<Page> loadToGive(MessageMemory memory, String device, long after) {
        return load(memory, device, after, true, after == 0, StoredRow.TO_GIVE);
    }

    private CompletableFuture<Page> load(
            MessageMemory memory, String device, long after, boolean acknowledges, boolean first, long load) {
        List<StoredRow> rows = new ArrayList<>();
        return read((on, at) -> {
                    rows.forEach(row -> unload(memory, row)); // of a first try
                    rows.clear();
                    return page(on, at, memory, device, after, acknowledges, first, load, rows);
                })
                .whenComplete((page, failure) -> {
                    if (failure != null) {
                        rows.forEach(row -> unload(memory, row));
                    }
                })
                .exceptionallyCompose(failure -> {
                    if (!StoreException.isDamage(failure)) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    damaged.increment();
                    LOG.error("messages for device {} cannot be found on the disk, which is damaged", device);
                    return CompletableFuture.completedFuture(new Page(List.of(), after, true, false));
                });
    }

    private Page page(
            Statements on,
            AtomicLong at,
            MessageMemory memory,
            String device,
            long after,
            boolean acknowledges,
            boolean first,
            long load,
            List<StoredRow> rows)
            throws SQLException {
        PreparedStatement numbers =
                on.of("SELECT number FROM message WHERE device = ? AND number > ? ORDER BY number LIMIT " + PAGE_ROWS);
        numbers.setString(1, device);
        numbers.setLong(2, after);
        int seen = 0;
        int read = 0;
        long upTo = after;
        try (ResultSet found = numbers.executeQuery()) {
            while (read < PAGE_BYTES && found.next()) {
                long number = found.getLong(1);
                Object by = claims.get(number);
                if (by == Claim.WRITING
                        || (by instanceof StoredRow other && (other.isToGive() || load == StoredRow.TO_GIVE))) {
                    return new Page(
                            rows, upTo, true,
                            false); // whoever has it tells when it is there, or is asked in the next round
                }
                at.set(number);
                StoredRow row = by instanceof Claim ? null : StoredRow.read(on, device, number, load);
                at.set(0);
                if (row != null && (acknowledges || row.damaged || row.push.ack() != Push.Ack.DEVICE)) {
                    if (!memory.enter(row, first && rows.isEmpty())) {
                        return new Page(rows, upTo, false, true);
                    }
                    if (claims.compute(number, (its, now) -> row.over(now)) == row) {
                        rows.add(row);
                    } else {
                        memory.leave(row);
                    }
                }
                upTo = number;
                seen++;
                read += row == null ? 0 : row.push.payload().length;
            }
        }
        return new Page(rows, upTo, seen < PAGE_ROWS && read < PAGE_BYTES, false);
    }

    /** A row that was loaded leaves memory, and is at rest again. */
    void unload(MessageMemory memory, StoredRow row) {
        memory.leave(row);
        claims.remove(row.number, row);
    }

    /** The row with this number without its payload; null: there is none. */
    private static @Nullable Listed listed(Statements on, long number) throws SQLException {
        PreparedStatement select =
                on.of("SELECT device, id, length(payload), accepted, expires FROM message WHERE number = ?");
        select.setLong(1, number);
        try (ResultSet row = select.executeQuery()) {
            return row.next()
                    ? new Listed(
                            number, row.getString(1), row.getLong(2), row.getInt(3), row.getLong(4), row.getLong(5))
                    : null;
        }
    }

    /** Rows with these numbers that are wanted; the first {@link #MOST_AT_ONCE}. */
    private static List<Listed> listed(Statements on, AtomicLong at, PreparedStatement numbers, LongPredicate wanted)
            throws SQLException {
        List<Listed> all = new ArrayList<>();
        try (ResultSet found = numbers.executeQuery()) {
            while (all.size() < MOST_AT_ONCE && found.next()) {
                long number = found.getLong(1);
                if (wanted.test(number)) {
                    at.set(number);
                    Listed row = listed(on, number);
                    at.set(0);
                    if (row != null) {
                        all.add(row);
                    }
                }
            }
        }
        return all;
    }

    /**
     * Rows of a device as they are listed; the first {@link #MOST_AT_ONCE}.
     *
     * @param id of those that are wanted; null: all
     */
    CompletionStage<List<Listed>> list(String device, @Nullable Long id) {
        return read(
                (on, at) -> listed(on, at, id == null ? ofDevice(on, device) : withId(on, device, id), this::isThere));
    }

    private boolean isThere(long number) {
        return !(claims.get(number) instanceof Claim);
    }

    private static PreparedStatement ofDevice(Statements on, String device) throws SQLException {
        PreparedStatement numbers = on.of("SELECT number FROM message WHERE device = ? ORDER BY number");
        numbers.setString(1, device);
        return numbers;
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
        if (claims.replace(row.number, row, Claim.DAMAGED)) {
            damaged(row.number, row.push.deviceId());
            room.give(row.push.deviceId(), row.push.payload().length);
            removals.add(row.number, false);
        }
    }

    private boolean endAtRest(Listed row) {
        boolean mine = claims.putIfAbsent(row.number, Claim.ENDED) == null;
        if (mine) {
            gone(row.device, row.number, row.bytes);
        }
        return mine;
    }

    private void gone(String device, long number, int payloadBytes) {
        room.give(device, payloadBytes);
        removals.add(number, false);
    }

    /** Takes back those with this id that are at rest. */
    CompletionStage<Cancelled> cancelAtRest(String device, long id) {
        return read((on, at) -> listed(on, at, withId(on, device, id), this::isThere))
                .thenApply(found -> {
                    int cancelled = 0;
                    boolean loaded = false;
                    for (Listed row : found) {
                        cancelled += endAtRest(row) ? 1 : 0;
                        loaded |= claims.get(row.number) instanceof StoredRow;
                    }
                    return new Cancelled(cancelled, loaded);
                });
    }

    /** Ends what has rested too long, and forgets keys; to be called about once a second. */
    void sweep(PushSettings limits, Runnable expired) {
        keys.sweep(nowMillis(), (int) (limits.keysMaxBytes() / IdempotencyKeys.ENTRY_BYTES));
        removals.sweep();
        if (room.devices() > 0 && sweeping.compareAndSet(false, true)) {
            endExpired(nowMillis(), expired);
        }
    }

    private void endExpired(long nowMillis, Runnable expired) {
        read((on, at) -> {
                    PreparedStatement numbers = on.of("SELECT number FROM message WHERE expires <= ? ORDER BY expires");
                    numbers.setLong(1, nowMillis);
                    return listed(on, at, numbers, number -> !claims.containsKey(number));
                })
                .whenComplete((found, failure) -> {
                    if (failure == null) {
                        found.stream().filter(this::endAtRest).forEach(row -> expired.run());
                    }
                    if (failure == null && found.size() == MOST_AT_ONCE) {
                        endExpired(nowMillis, expired);
                    } else {
                        sweeping.set(false);
                    }
                });
    }

    // ------------------------------------------------------------------ off the disk

    /** As {@link RowRemovals#soFar}. */
    CompletionStage<Boolean> removedSoFar(String device, long id) {
        return removals.soFar(device, id);
    }

    private void over(long number, boolean neverAccepted, boolean gone) {
        undone.addAndGet(neverAccepted ? -1 : 0);
        if (gone) {
            claims.remove(number);
        } else if (claims.get(number)
                != Claim.DAMAGED) { // else it is told; its claim stays, so that it is not loaded again
            damaged.increment();
            LOG.error("message {} is over and cannot be removed: the disk is damaged there", number);
        }
    }

    // ------------------------------------------------------------------ figures

    /** Rows that are loaded, written or to be removed. */
    int claimed() {
        return claims.size();
    }

    /** Rows that were not what was written, or could not be removed, since the start. */
    long damaged() {
        return damaged.sum();
    }
}
