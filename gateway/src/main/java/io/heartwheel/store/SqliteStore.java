package io.heartwheel.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Store in one SQLite database with a write-ahead log.
 *
 * <pre>
 *   journal.db       batch(last, count, at, crc, body): records that were committed together, under the number of the last of them
 *                    row(space, key, value)
 *   journal.db-wal   what was committed and is not in there yet
 *   journal.mark     the newest number that was acknowledged: see {@link StoreMark}
 *   lock             the pid of the process that has it
 *   damaged-MILLIS   what was moved aside, for people; nothing reads or deletes it
 * </pre>
 *
 * <p>The newest batch is never dropped: its number is where the next begins. Each start begins a new generation of the log, and the log is brought into
 * the database by the store itself, between two commits.
 *
 * <p>What happens when something is wrong:
 *
 * <table>
 * <caption>Faults</caption>
 * <tr><td>the disk is full</td><td>{@link #commit} throws DISK_FULL; nothing of the transaction is there, readers go on; commits succeed again when there
 *     is room</td></tr>
 * <tr><td>the directory is missing</td><td>it is made, readable by its owner's group as the umask says</td></tr>
 * <tr><td>its parent is missing, it cannot be written to, it is a file, {@code journal.db} is a directory</td><td>{@link #open} throws NOT_WRITABLE and
 *     names it</td></tr>
 * <tr><td>another process, or this one, has it</td><td>{@link #open} throws LOCKED with the pid</td></tr>
 * <tr><td>bytes of a batch are damaged</td><td>readers get a damaged batch with the numbers that are missing, and go on behind it;
 *     {@link #damage} counts them. If they can not even be dropped, appends go on without dropping until the next start</td></tr>
 * <tr><td>the database is malformed: its header overwritten, truncated, a page damaged</td><td>found when opened (always in a database up to 64 MiB or
 *     after damage was seen, else if what is read then shows it): it is moved to {@code damaged-MILLIS} with its log, and what can be read is copied to a new
 *     one. Found later: reads go on behind it, commits that need the page throw DAMAGED, and the next start repairs it</td></tr>
 * <tr><td>the database is empty or gone while its mark is there</td><td>a new one; the numbers that were acknowledged are told as lost</td></tr>
 * <tr><td>bytes in the middle of the log are damaged, or its header</td><td>SQLite forgets what is behind; {@link WalCheck} finds it, a copy of the log is
 *     kept aside, the numbers that were acknowledged are told as lost. With {@code sync = always}, and after the machine was started anew, one commit may
 *     be torn without damage: the one that was under way. Otherwise any is told, with the remark that a power failure does it too</td></tr>
 * <tr><td>bytes at the end of the log are damaged</td><td>the same by the mark, unless a power failure left an older mark</td></tr>
 * <tr><td>the power fails</td><td>{@code always}: all that was acknowledged is there. {@code every}, {@code never}: what the mark knows is told as lost,
 *     and the store has a new {@link #id}, because numbers may be given again</td></tr>
 * <tr><td>the log cannot be forced in the background</td><td>the next {@link #commit} throws, having brought the log into the database</td></tr>
 * </table>
 *
 * <p>Lost numbers are never given again. Whenever it is not certain which was the last, the store has a new {@link #id}.
 */
public final class SqliteStore implements Store {
    private static final long CHECKPOINT_BYTES = 16 << 20;
    /** Pages that a commit changes besides its bytes. */
    private static final int PAGES_OF_COMMIT = 3;

    private final StoreSettings settings;
    private final Path file;
    private final LongSupplier wallMillis;
    private final StoreLock lock;
    private final StoreMark mark;
    private final Connection connection;
    private final @Nullable WalForcer forcer;
    /** The driver closes a statement that fails: then all are made anew. */
    private Statements statements;

    private final long idNumber;
    private final String id;
    /** Guards changes of the last number, and is waited on for them. */
    private final Object committed = new Object();

    /** Of whoever commits: about what is in the log and not in the database, and when that is too much. */
    private long logBytes;

    private long checkpointBytes = CHECKPOINT_BYTES;
    private boolean logUnsure;
    private boolean undroppable;

    private volatile long firstNumber;
    private volatile long lastNumber;
    private volatile long recordBytes;
    /** Records up to this number are dropped, or about to be: raised before the commit, so that a reader takes no dropped record for a lost one. */
    private volatile long dropped;

    private volatile boolean suspect;
    private final Damage foundAtStart;
    /** Damage found since: first number of a range to its last. Under its monitor. */
    private final TreeMap<Long, Long> foundSince = new TreeMap<>();

    /** Ranges that stand in the store as lost: each is told once, when it is found. */
    private final NavigableMap<Long, Long> knownLost;

    private SqliteStore(StoreSettings settings, StoreLock lock, StoreMark mark, LongSupplier wallMillis)
            throws SQLException, IOException {
        this.settings = settings;
        this.lock = lock;
        this.mark = mark;
        this.wallMillis = wallMillis;
        file = settings.directory().resolve(Sqlite.FILE);
        StoreOpener opener = new StoreOpener(settings, wallMillis, mark);
        connection = opener.open();
        try {
            idNumber = opener.id();
            id = opener.name();
            dropped = opener.dropped();
            firstNumber = opener.first();
            lastNumber = opener.last();
            recordBytes = opener.bytes();
            foundAtStart = opener.damage();
            knownLost = opener.knownLost();
            statements = new Statements(connection);
            forcer = settings.sync().mode() == SyncPolicy.Mode.EVERY
                    ? new WalForcer(new LogFile(file), settings.sync().everyMillis())
                    : null;
            mark(false);
        } catch (SQLException | IOException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Opens the store in this directory, or makes one.
     *
     * @param wallMillis milliseconds since 1970
     * @throws StoreException naming the directory, and the process that has it if one has
     */
    public static SqliteStore open(StoreSettings settings, LongSupplier wallMillis) throws StoreException {
        return open(settings, wallMillis, StoreMark.boot());
    }

    /** For tests: on a machine that was started at another time. */
    static SqliteStore open(StoreSettings settings, LongSupplier wallMillis, long boot) throws StoreException {
        Path directory = settings.directory();
        make(directory);
        StoreLock lock = StoreLock.take(directory);
        StoreMark mark = null;
        try {
            mark = StoreMark.open(directory, boot);
            return new SqliteStore(settings, lock, mark, wallMillis);
        } catch (SQLException e) {
            release(lock, mark);
            throw Sqlite.failure(directory.resolve(Sqlite.FILE), e);
        } catch (IOException e) {
            release(lock, mark);
            throw Sqlite.failure(directory, e);
        }
    }

    private static void make(Path directory) throws StoreException {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectory(directory);
            }
        } catch (IOException e) {
            throw new StoreException(
                    StoreException.Cause.NOT_WRITABLE,
                    directory + ": need a directory, or one that can be made in its parent: " + e,
                    e);
        }
    }

    private static void release(StoreLock lock, @Nullable StoreMark mark) {
        try (lock) {
            if (mark != null) {
                mark.close();
            }
        } catch (IOException e) {
            // what is told is why it was not opened
        }
    }

    @Override
    public void commit(Transaction transaction) throws StoreException {
        RecordBatch.Builder records = transaction.records();
        long last = lastNumber + records.count();
        long drop = Math.min(transaction.dropped(), records.count() > 0 ? lastNumber : lastNumber - 1);
        boolean drops = !undroppable && drop >= firstNumber && drop > dropped;
        checkLog();
        try {
            write(transaction, last, drops ? drop : 0);
        } catch (SQLException e) {
            StoreException failure = seen(Sqlite.failure(file, e));
            if (!drops || failure.kind() != StoreException.Cause.DAMAGED) {
                throw failure;
            }
            undroppable = true; // the damage may be in the head: then it stays until the next start, and appends go on
            writeAll(transaction, last);
        }
        logBytes += records.bytes() + (PAGES_OF_COMMIT + transaction.rows().size()) * (long) Sqlite.PAGE_BYTES;
        tell(last);
        mark(false);
        if (forcer != null) {
            forcer.committed();
        }
    }

    private void writeAll(Transaction transaction, long last) throws StoreException {
        try {
            write(transaction, last, 0);
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }

    /** Commits, or changes nothing. */
    private void write(Transaction transaction, long last, long drop) throws SQLException {
        RecordBatch.Builder records = transaction.records();
        long droppedBefore = dropped;
        try {
            statements.begin.execute();
            if (records.count() > 0) {
                Sqlite.insert(statements.insertBatch, last, records.count(), wallMillis.getAsLong(), records.body());
            }
            for (Transaction.RowChange change : transaction.rows()) {
                apply(change);
            }
            long droppedBytes = drop > 0 ? drop(drop) : 0;
            long first = drop > 0 ? measureFirst(last) : firstNumber;
            statements.commit.execute();
            firstNumber = first;
            recordBytes = recordBytes + records.bytes() - droppedBytes;
        } catch (SQLException e) {
            dropped = droppedBefore;
            rollBack(e);
            throw e;
        }
    }

    /** Before a commit: what could not be forced, and whether the log is long enough to be brought into the database. */
    private void checkLog() throws StoreException {
        IOException failure = forcer == null ? null : forcer.failure();
        if (failure != null || logUnsure) {
            logUnsure = true; // what the system could not write it forgets: only the checkpoint writes it once more
            checkpoint();
            logUnsure = false;
        }
        if (failure != null) {
            throw new StoreException(StoreException.Cause.OTHER, file + "-wal: cannot be forced: " + failure, failure);
        }
        if (logBytes > checkpointBytes) {
            try {
                checkpoint();
            } catch (StoreException e) {
                // the log grows until it can be done; the disk being full or damaged, commits tell
            }
        }
    }

    /** Brings the log into the database. By whoever commits. */
    void checkpoint() throws StoreException {
        logBytes = 0;
        try {
            Sqlite.checkpoint(connection, "PASSIVE");
        } catch (SQLException e) {
            throw seen(Sqlite.failure(file, e));
        }
    }

    private void mark(boolean clean) {
        mark.write(idNumber, dropped, lastNumber, settings.sync().mode(), clean, suspect);
    }

    private StoreException seen(StoreException failure) {
        if (failure.kind() == StoreException.Cause.DAMAGED) {
            suspect = true;
        }
        return failure;
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

    private void apply(Transaction.RowChange change) throws SQLException {
        byte[] value = change.value();
        if (value != null) {
            Sqlite.put(statements.putRow, change.space(), change.key(), value);
        } else {
            statements.deleteRow.setInt(1, change.space().number());
            statements.deleteRow.setBytes(2, change.key());
            statements.deleteRow.executeUpdate();
        }
    }

    /** Drops the batches that end here or before; returns their bytes. */
    private long drop(long upTo) throws SQLException {
        dropped = upTo;
        long bytes;
        statements.sizeOfHead.setLong(1, upTo);
        try (ResultSet found = statements.sizeOfHead.executeQuery()) {
            found.next();
            bytes = found.getLong(1);
        }
        statements.dropHead.setLong(1, upTo);
        statements.dropHead.executeUpdate();
        Sqlite.put(
                statements.putRow,
                RowSpace.META,
                StoreOpener.DROPPED_KEY,
                ByteBuffer.allocate(Long.BYTES).putLong(upTo).array());
        return bytes;
    }

    private long measureFirst(long last) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT last - count + 1 FROM batch ORDER BY last LIMIT 1")) {
            return found.next() ? found.getLong(1) : last + 1;
        }
    }

    private void rollBack(SQLException cause) throws SQLException {
        statements.close();
        try {
            Sqlite.execute(connection, "ROLLBACK");
        } catch (SQLException e) {
            cause.addSuppressed(e); // most often: SQLite has done it
        }
        statements = new Statements(connection);
    }

    @Override
    public StoreReader reader() throws StoreException {
        try {
            return new SqliteReader(this, file);
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
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

    /** Records up to this number may be missing without being lost. */
    long dropped() {
        return dropped;
    }

    /** A reader has found that these cannot be read; those that stand there as lost among them are counted already. Any thread. */
    void foundDamaged(long first, long last) {
        long from = first;
        while (from <= last) {
            Map.Entry<Long, Long> known = knownLost.floorEntry(from);
            if (known != null && known.getValue() >= from) {
                from = known.getValue() + 1;
            } else {
                Long next = knownLost.higherKey(from);
                long to = next == null ? last : Math.min(last, next - 1);
                noteDamaged(from, to);
                from = to + 1;
            }
        }
    }

    private void noteDamaged(long first, long last) {
        suspect = true;
        synchronized (foundSince) {
            Map.Entry<Long, Long> before = foundSince.floorEntry(last);
            if (before == null || before.getValue() < first) {
                foundSince.put(first, last);
            }
        }
    }

    @Override
    public Damage damage() {
        synchronized (foundSince) {
            if (foundSince.isEmpty()) {
                return foundAtStart;
            }
            long lost = 0;
            for (Map.Entry<Long, Long> range : foundSince.entrySet()) {
                lost += range.getValue() - range.getKey() + 1;
            }
            String text = file + ": " + lost + " records cannot be read, numbers " + foundSince.firstKey() + ".."
                    + foundSince.lastEntry().getValue();
            return new Damage(
                    foundAtStart.lostRecords() + lost, foundAtStart.any() ? foundAtStart.text() + ". " + text : text);
        }
    }

    /** For tests: the log is brought into the database when it has so many bytes. */
    void checkpointEvery(long bytes) {
        checkpointBytes = bytes;
    }

    /** For tests: the database gets no larger. */
    void limitPages(int pages) throws SQLException {
        Sqlite.execute(connection, "PRAGMA max_page_count = " + pages);
    }

    @Override
    public void close() throws StoreException {
        try (lock) {
            if (forcer != null) {
                forcer.close();
            }
            connection.close();
            mark(true);
            mark.close();
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        } catch (IOException e) {
            throw Sqlite.failure(file, e);
        }
    }

    /** What whoever commits executes. */
    private static final class Statements {
        private final PreparedStatement begin;
        private final PreparedStatement commit;
        private final PreparedStatement insertBatch;
        private final PreparedStatement putRow;
        private final PreparedStatement deleteRow;
        private final PreparedStatement sizeOfHead;
        private final PreparedStatement dropHead;

        Statements(Connection connection) throws SQLException {
            begin = connection.prepareStatement(Sqlite.BEGIN);
            commit = connection.prepareStatement(Sqlite.COMMIT);
            insertBatch = connection.prepareStatement(Sqlite.INSERT_BATCH);
            putRow = connection.prepareStatement(Sqlite.PUT_ROW);
            deleteRow = connection.prepareStatement("DELETE FROM row WHERE space = ? AND key = ?");
            sizeOfHead = connection.prepareStatement("SELECT sum(length(body)) FROM batch WHERE last <= ?");
            dropHead = connection.prepareStatement("DELETE FROM batch WHERE last <= ?");
        }

        void close() throws SQLException {
            for (PreparedStatement statement :
                    List.of(begin, commit, insertBatch, putRow, deleteRow, sizeOfHead, dropHead)) {
                statement.close();
            }
        }
    }

    /** The log, which may be opened and closed beside SQLite: its locks are on other files. */
    private static final class LogFile implements WalForcer.Force {
        private final RandomAccessFile log;

        LogFile(Path database) throws IOException {
            log = new RandomAccessFile(StoreSalvage.beside(database, "-wal").toFile(), "rw");
        }

        @Override
        public void force() throws IOException {
            log.getFD().sync();
        }

        @Override
        public void close() throws IOException {
            log.close();
        }
    }
}
