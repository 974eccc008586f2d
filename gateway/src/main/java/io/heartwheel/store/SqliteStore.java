package io.heartwheel.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Store in one SQLite database with a write-ahead log.
 *
 * <pre>
 *   journal.db       batch(last, count, at, crc, body): records that were committed together, under the number of the last of them
 *                    row(space, key, value)
 *   journal.db-wal   what was committed and is not in there yet
 *   lock             the pid of the process that has it
 * </pre>
 *
 * <p>The newest batch is never dropped: its number is where the next begins.
 */
public final class SqliteStore implements Store {
    static final String FILE = "journal.db";

    private static final String TABLES =
            """
            CREATE TABLE IF NOT EXISTS batch(
              last INTEGER PRIMARY KEY, count INTEGER NOT NULL, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS row(
              space INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY(space, key)) WITHOUT ROWID;
            """;

    private final Path file;
    private final LongSupplier wallMillis;
    private final StoreLock lock;
    private final Connection connection;
    private final PreparedStatement insertBatch;
    private final PreparedStatement putRow;
    private final PreparedStatement deleteRow;
    private final PreparedStatement sizeOfHead;
    private final PreparedStatement dropHead;

    private final String id;
    /** Guards changes of the last number, and is waited on for them. */
    private final Object committed = new Object();

    private volatile long firstNumber;
    private volatile long lastNumber;
    private volatile long recordBytes;

    private SqliteStore(StoreSettings settings, StoreLock lock, LongSupplier wallMillis) throws SQLException {
        this.lock = lock;
        this.wallMillis = wallMillis;
        file = settings.directory().resolve(FILE);
        connection = connect(file, settings.sync(), false);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(TABLES);
            connection.commit();
        }
        insertBatch =
                connection.prepareStatement("INSERT INTO batch(last, count, at, crc, body) VALUES(?, ?, ?, ?, ?)");
        putRow = connection.prepareStatement("INSERT OR REPLACE INTO row(space, key, value) VALUES(?, ?, ?)");
        deleteRow = connection.prepareStatement("DELETE FROM row WHERE space = ? AND key = ?");
        sizeOfHead = connection.prepareStatement("SELECT sum(length(body)) FROM batch WHERE last <= ?");
        dropHead = connection.prepareStatement("DELETE FROM batch WHERE last <= ?");
        id = nameOf(connection);
        measure();
    }

    /** The name that stands in its file, or a new one. */
    private String nameOf(Connection of) throws SQLException {
        try (Statement statement = of.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT value FROM row WHERE space = 1 AND key = CAST('store' AS BLOB)")) {
            if (found.next()) {
                return new String(found.getBytes(1), StandardCharsets.US_ASCII);
            }
        }
        String name = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        apply(new Transaction.RowChange(
                RowSpace.META, "store".getBytes(StandardCharsets.US_ASCII), name.getBytes(StandardCharsets.US_ASCII)));
        of.commit();
        return name;
    }

    /**
     * Opens the store in this directory, or makes one.
     *
     * @param wallMillis milliseconds since 1970
     * @throws StoreException naming the directory, and the process that has it if one has
     */
    public static SqliteStore open(StoreSettings settings, LongSupplier wallMillis) throws StoreException {
        Path directory = settings.directory();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new StoreException(
                    StoreException.Cause.NOT_WRITABLE, directory + ": not a directory that can be made: " + e, e);
        }
        StoreLock lock = StoreLock.take(directory);
        try {
            return new SqliteStore(settings, lock, wallMillis);
        } catch (SQLException e) {
            lock.release();
            throw failure(directory.resolve(FILE), e);
        }
    }

    static Connection connect(Path file, SyncPolicy sync, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(
                sync.mode() == SyncPolicy.Mode.ALWAYS
                        ? SQLiteConfig.SynchronousMode.FULL
                        : SQLiteConfig.SynchronousMode.NORMAL);
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        config.setBusyTimeout(10_000);
        config.setReadOnly(readOnly);
        Connection connection = config.createConnection("jdbc:sqlite:" + file);
        connection.setAutoCommit(readOnly);
        return connection;
    }

    private void measure() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT (SELECT last - count + 1 FROM batch ORDER BY last LIMIT 1), max(last), sum(length(body)) FROM batch")) {
            found.next();
            lastNumber = found.getLong(2);
            firstNumber = lastNumber == 0 ? 1 : found.getLong(1);
            recordBytes = found.getLong(3);
        }
        connection.commit();
    }

    @Override
    public void commit(Transaction transaction) throws StoreException {
        RecordBatch.Builder records = transaction.records();
        long last = lastNumber + records.count();
        long drop = Math.min(transaction.dropped(), records.count() > 0 ? lastNumber : lastNumber - 1);
        try {
            if (records.count() > 0) {
                insert(last, records.count(), records.body());
            }
            for (Transaction.RowChange change : transaction.rows()) {
                apply(change);
            }
            long dropped = drop >= firstNumber ? drop(drop) : 0;
            connection.commit();
            tell(last);
            long kept = recordBytes + records.bytes() - dropped;
            recordBytes = kept;
            if (dropped > 0) {
                measureFirst();
            }
        } catch (SQLException e) {
            rollBack(e);
            throw failure(file, e);
        }
    }

    private void tell(long last) {
        synchronized (committed) {
            if (last != lastNumber) {
                lastNumber = last;
                committed.notifyAll();
            }
        }
    }

    boolean await(long after, long millis) throws InterruptedException {
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (committed) {
            long leftNanos = untilNanos - System.nanoTime();
            while (lastNumber <= after && leftNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(committed, leftNanos);
                leftNanos = untilNanos - System.nanoTime();
            }
            return lastNumber > after;
        }
    }

    private void insert(long last, int count, byte[] body) throws SQLException {
        insertBatch.setLong(1, last);
        insertBatch.setInt(2, count);
        insertBatch.setLong(3, wallMillis.getAsLong());
        insertBatch.setLong(4, crc(body));
        insertBatch.setBytes(5, body);
        insertBatch.executeUpdate();
    }

    private void apply(Transaction.RowChange change) throws SQLException {
        byte[] value = change.value();
        PreparedStatement statement = value == null ? deleteRow : putRow;
        statement.setInt(1, change.space().number());
        statement.setBytes(2, change.key());
        if (value != null) {
            statement.setBytes(3, value);
        }
        statement.executeUpdate();
    }

    /** Drops the batches that end here or before; returns their bytes. */
    private long drop(long upTo) throws SQLException {
        long bytes;
        sizeOfHead.setLong(1, upTo);
        try (ResultSet found = sizeOfHead.executeQuery()) {
            found.next();
            bytes = found.getLong(1);
        }
        dropHead.setLong(1, upTo);
        dropHead.executeUpdate();
        return bytes;
    }

    private void measureFirst() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT last - count + 1 FROM batch ORDER BY last LIMIT 1")) {
            firstNumber = found.next() ? found.getLong(1) : lastNumber + 1;
        }
        connection.commit();
    }

    private void rollBack(SQLException cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    static long crc(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body, 0, body.length);
        return crc.getValue();
    }

    static StoreException failure(Path file, SQLException e) {
        StoreException.Cause kind = StoreException.Cause.OTHER;
        if (e instanceof SQLiteException sqlite) {
            SQLiteErrorCode code = sqlite.getResultCode();
            kind = switch (code.code & 0xFF) {
                case 13 -> StoreException.Cause.DISK_FULL;
                case 8, 14, 23 -> StoreException.Cause.NOT_WRITABLE;
                case 5, 6 -> StoreException.Cause.LOCKED;
                case 11, 26 -> StoreException.Cause.DAMAGED;
                default -> StoreException.Cause.OTHER;
            };
        }
        return new StoreException(kind, file + ": " + e.getMessage(), e);
    }

    @Override
    public StoreReader reader() throws StoreException {
        try {
            return new SqliteReader(this, file);
        } catch (SQLException e) {
            throw failure(file, e);
        }
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public long firstNumber() {
        return firstNumber;
    }

    @Override
    public long lastNumber() {
        return lastNumber;
    }

    @Override
    public long recordBytes() {
        return recordBytes;
    }

    @Override
    public Damage damage() {
        return Damage.NONE;
    }

    @Override
    public void close() throws StoreException {
        try (lock) {
            connection.close();
        } catch (SQLException e) {
            throw failure(file, e);
        }
    }
}
