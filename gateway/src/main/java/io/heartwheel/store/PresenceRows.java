package io.heartwheel.store;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Rows of who is present: a view of the log, in an SQLite database. The changes that are committed with records are read from the log and applied, together
 * with the number up to which that is done. Each row has a checksum. A database that is damaged is moved aside
 * and made anew from the log that is kept.
 *
 * <p>It is locked as long as it is open, so that nobody's look into it can keep its own log from being used again. All under one lock, which the keeper's
 * thread has while it catches up, say with all of a large log after a power failure; others do not wait for that. {@link #forget} any thread.
 */
final class PresenceRows implements Closeable {
    static final String FILE = "presence.db";

    /** Changes that are applied at once. */
    private static final int MOST_CHANGES = 20_000;

    /** Batches that are read for that: what was read is not read again. */
    static final int MOST_BATCHES = 10_000;

    private static final long LONGEST_WAIT_SECONDS = 5;

    private static final String[] SETTINGS = {
        "PRAGMA locking_mode = EXCLUSIVE",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA journal_size_limit = " + (4 << 20),
        "CREATE TABLE IF NOT EXISTS row(key BLOB PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID"
    };
    private static final Set<Integer> DAMAGE = Set.of(
            SQLiteErrorCode.SQLITE_CORRUPT.code,
            SQLiteErrorCode.SQLITE_NOTADB.code,
            SQLiteErrorCode.SQLITE_READONLY.code,
            SQLiteErrorCode.SQLITE_ERROR.code);

    private static final String PUT = "INSERT OR REPLACE INTO row(key, value, crc) VALUES(?, ?, ?)";
    private static final String DELETE = "DELETE FROM row WHERE key = ?";
    private static final String ROWS = "SELECT key, value, crc FROM row WHERE key %s ? ORDER BY key LIMIT ?";
    /** A failure that is there for so many rounds is not for a moment. */
    private static final int LASTING = 20;

    /** Key of the row that holds the number up to which the log is applied; it is before all others. */
    private static final byte[] APPLIED = {};

    private final SegmentStore store;
    private final Path file;
    private final LogReader log;
    private final Queue<byte[]> forgotten = new ConcurrentLinkedQueue<>();

    private final ReentrantLock using = new ReentrantLock();
    private @Nullable Connection connection;
    private volatile long applied;
    /** Up to here it was told that changes are not known. */
    private long toldMissing;

    private volatile int failures;

    /** A view that is opened when it is first used. */
    PresenceRows(SegmentStore store, Path file) {
        this.store = store;
        this.file = file;
        log = new LogReader(store, true);
    }

    /** Records up to this number are in it, for good. */
    long applied() {
        return applied;
    }

    /** Whether it fails again and again. */
    boolean isFailing() {
        return failures >= LASTING;
    }

    void forget(byte[] key) {
        forgotten.add(key);
    }

    /**
     * Brings it up to what is committed now: it is not to run after a load that does not end.
     *
     * @param did is run when a part is done
     */
    void apply(Runnable did) throws StoreException {
        using.lock();
        try {
            long newest = store.lastNumber();
            guarded(open -> {
                do {
                    goOn(open, newest, did);
                } while (applied < newest);
                return true;
            });
        } finally {
            using.unlock();
        }
    }

    /** As {@link StoreReader#rows}; while it is far behind it throws. */
    List<StoreReader.Row> rows(byte[] after, int limit) throws StoreException {
        long newest = store.lastNumber();
        boolean mine = false;
        try {
            mine = using.tryLock(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            if (mine) {
                return guarded(open -> {
                    goOn(open, newest, () -> {});
                    if (applied < newest) {
                        throw behind();
                    }
                    return select(open, ">", after, limit);
                });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (mine) {
                using.unlock();
            }
        }
        throw behind();
    }

    private StoreException behind() {
        return new StoreException(StoreException.Cause.OTHER, file + " is being brought up to date");
    }

    /** Applies what follows, or some of it. */
    private void goOn(Connection open, long newest, Runnable did) throws SQLException, StoreException {
        Map<ByteBuffer, Transaction.RowChange> changes = new LinkedHashMap<>();
        RecordBatch last = gather(changes, newest, did);
        if (last != null || !changes.isEmpty()) {
            write(open, changes, last);
        }
    }

    /** Reads the log on; returns the last batch whose changes are there, null if nothing follows. */
    private @Nullable RecordBatch gather(Map<ByteBuffer, Transaction.RowChange> changes, long newest, Runnable did)
            throws StoreException {
        for (byte[] key : forgotten) {
            changes.put(ByteBuffer.wrap(key), new Transaction.RowChange(key, null));
        }
        RecordBatch batch = null;
        long last = applied;
        for (int i = 0; i < MOST_BATCHES && changes.size() < MOST_CHANGES && last < newest; i++) {
            batch = requireNonNull(log.next(last));
            tellMissing(last + 1, batch.firstNumber() - 1);
            for (Transaction.RowChange row : batch.rows()) {
                changes.put(ByteBuffer.wrap(row.key()), row);
            }
            last = batch.lastNumber();
            did.run();
        }
        return batch;
    }

    /** Once, also when what follows cannot be written and is read again. */
    private void tellMissing(long from, long to) {
        if (from <= to && to > toldMissing) {
            toldMissing = to;
            store.foundDamage(0, file + ": who came and went in records " + from + ".." + to + " is not known");
        }
    }

    private void write(Connection open, Map<ByteBuffer, Transaction.RowChange> changes, @Nullable RecordBatch last)
            throws SQLException {
        execute(open, "BEGIN IMMEDIATE");
        try (PreparedStatement put = open.prepareStatement(PUT);
                PreparedStatement delete = open.prepareStatement(DELETE)) {
            for (Transaction.RowChange change : changes.values()) {
                byte[] value = change.value();
                if (value == null) {
                    delete.setBytes(1, change.key());
                    delete.executeUpdate();
                } else {
                    put(put, change.key(), value);
                }
            }
            if (last != null) {
                ByteBuffer known = ByteBuffer.allocate(2 * Long.BYTES);
                known.putLong(last.storeNumber()).putLong(last.lastNumber());
                put(put, APPLIED, known.array());
            }
        }
        execute(open, "COMMIT");
        applied = last == null ? applied : last.lastNumber();
        forgotten.removeIf(key -> changes.containsKey(ByteBuffer.wrap(key)));
    }

    private static void put(PreparedStatement put, byte[] key, byte[] value) throws SQLException {
        put.setBytes(1, key);
        put.setBytes(2, value);
        put.setLong(3, crc(key, value));
        put.executeUpdate();
    }

    private static List<StoreReader.Row> select(Connection open, String which, byte[] key, int limit)
            throws SQLException {
        List<StoreReader.Row> all = new ArrayList<>();
        try (PreparedStatement rows = open.prepareStatement(String.format(Locale.ROOT, ROWS, which))) {
            rows.setBytes(1, key);
            rows.setInt(2, limit);
            try (ResultSet found = rows.executeQuery()) {
                while (found.next()) {
                    StoreReader.Row row = new StoreReader.Row(found.getBytes(1), found.getBytes(2));
                    if (found.getLong(3) != crc(row.key(), row.value())) {
                        throw new SQLException(
                                "a row is not as it was written", "", SQLiteErrorCode.SQLITE_CORRUPT.code);
                    }
                    all.add(row);
                }
            }
        }
        return all;
    }

    private static long crc(byte[] key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        crc.update(value, 0, value.length);
        return crc.getValue();
    }

    // ------------------------------------------------------------------ the database

    /** Use of the database. */
    @FunctionalInterface
    private interface Work<T> {
        T run(Connection open) throws SQLException, IOException;
    }

    /** Does it; if the database is damaged, with a new one. After a failure it is opened again. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private <T> T guarded(Work<T> work) throws StoreException {
        failures++;
        for (boolean again = false; ; again = true) {
            try {
                T done = work.run(opened());
                failures = 0;
                return done;
            } catch (SQLException e) {
                closeConnection();
                if (again || !isDamage(e)) {
                    throw StoreException.of(file, e);
                }
                moveAside(e);
            } catch (IOException e) {
                closeConnection();
                throw StoreException.of(file, e);
            } catch (RuntimeException | Error e) {
                closeConnection(); // a transaction that is left open would look like damage
                throw e;
            }
        }
    }

    private Connection opened() throws SQLException, IOException {
        Connection open = connection;
        if (open == null) {
            if (!Files.exists(file)) {
                RealDisk.channel(file, StandardOpenOption.CREATE).close(); // with the mode that all files have
            }
            open = DriverManager.getConnection("jdbc:sqlite:" + file);
            connection = open;
            for (String setting : SETTINGS) {
                execute(open, setting);
            }
            applied = known(select(open, "=", APPLIED, 1));
        }
        return open;
    }

    /** Up to where it is that of this log: if what it has applied last is not there, as it may be after a power failure, all is applied again. */
    private long known(List<StoreReader.Row> found) throws StoreException {
        long first = store.firstNumber();
        if (found.isEmpty()) {
            tellMissing(1, first - 1);
            return first - 1;
        }
        ByteBuffer known = ByteBuffer.wrap(found.get(0).value());
        long writtenUnder = known.getLong();
        long last = known.getLong();
        RecordBatch there = last < first ? null : log.next(last - 1);
        boolean isOurs = there == null
                ? last < first
                : !there.isDamaged() && there.lastNumber() == last && there.storeNumber() == writtenUnder;
        return isOurs ? last : first - 1;
    }

    private void moveAside(SQLException cause) throws StoreException {
        Path aside = file.resolveSibling(FILE + ".damaged");
        try {
            Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
            Files.deleteIfExists(file.resolveSibling(FILE + "-wal"));
        } catch (IOException e) {
            throw StoreException.of(file, e);
        }
        store.foundDamage(0, file + " is damaged (" + cause.getMessage() + "): moved to " + aside);
    }

    private static void execute(Connection open, String sql) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Malformed, no database, of a version that may only be read, cut, or without its table. */
    private static boolean isDamage(SQLException e) {
        boolean cut = e instanceof SQLiteException sqlite
                && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHORT_READ;
        return cut || DAMAGE.contains(e.getErrorCode() & 0xFF);
    }

    private void closeConnection() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // what was not committed is read again
        }
        connection = null;
    }

    @Override
    public void close() {
        using.lock();
        try {
            closeConnection();
            log.close();
        } finally {
            using.unlock();
        }
    }
}
