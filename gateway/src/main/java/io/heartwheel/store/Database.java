package io.heartwheel.store;

import io.heartwheel.liveness.ThreadProgress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SQLite database in a directory of its own, with one thread: all that waits for it is one transaction, which is forced to the disk once.
 *
 * <pre>
 *   any thread -- work --&gt; [ queue ] --&gt; BEGIN, up to 1,024 works, COMMIT --&gt; their futures are completed, on this thread
 * </pre>
 *
 * <p>Works run in the order in which they were handed in, and see what those before them have written. One that fails is alone in failing: the transaction is
 * rolled back, and each of its works is run again in one of its own. A commit that fails, fails all of its works; whether they are on the disk is unknown if the
 * cause is not {@link StoreException.Cause#DISK_FULL}.
 *
 * <p>{@link #run} any thread. {@link #close} once.
 */
public final class Database implements Transactions, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);

    private static final int MOST_WAITING = 65_536;
    private static final int MOST_AT_ONCE = 1_024;
    private static final long LONGEST_CLOSE_MILLIS = 10_000;

    private final Path file;
    private final boolean forced;
    private final List<String> schema;
    private final StoreLock lock;
    private final ThreadProgress progress;
    private final BlockingQueue<Task<?>> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
    private volatile boolean closed;
    private volatile boolean ended;

    // ---- of the thread
    private @Nullable Statements statements;
    private boolean failing;

    private static final class Task<T> {
        private final Work<T> work;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private @Nullable T done;

        private Task(Work<T> work) {
            this.work = work;
        }

        private void run(Statements on) throws SQLException {
            done = work.run(on);
        }

        private void complete() {
            result.complete(done);
        }
    }

    private Database(Path file, boolean forced, List<String> schema, StoreLock lock, ThreadProgress progress) {
        this.file = file;
        this.forced = forced;
        this.schema = schema;
        this.lock = lock;
        this.progress = progress;
    }

    /**
     * Opens it, makes it if it is missing, and starts its thread.
     *
     * @param directory made if its parent exists; one process has it at a time
     * @param name of the file in it
     * @param forced whether a commit waits for the disk; else a power failure takes the latest
     * @param schema one list of statements for each version of the layout; those that the file has not seen are run
     * @param progress of its thread, which is not started yet
     * @throws StoreException if it is locked, damaged, of a later version, or cannot be written
     */
    public static Database open(
            Path directory, String name, boolean forced, List<String> schema, ThreadProgress progress)
            throws StoreException {
        RealDisk.makeDirectory(directory);
        StoreLock lock = StoreLock.take(directory);
        Database opened = new Database(directory.resolve(name), forced, schema, lock, progress);
        try {
            opened.statements = opened.connect();
        } catch (SQLException | IOException e) {
            lock.close();
            throw StoreException.of(opened.file, e);
        }
        progress.start(opened::serve, () -> !opened.waiting.isEmpty());
        return opened;
    }

    // ------------------------------------------------------------------ any thread

    @Override
    public <T> CompletableFuture<T> run(Work<T> work) {
        Task<T> task = new Task<>(work);
        if (closed || !waiting.offer(task)) {
            task.result.completeExceptionally(new StoreException(
                    StoreException.Cause.OTHER, file + (closed ? " is closed" : ": too much waits for the disk")));
        } else if (ended) {
            failRest();
        }
        return task.result;
    }

    /** Works that wait. */
    public int waiting() {
        return waiting.size();
    }

    /** Bytes of the file and of its log; 0 if they cannot be looked at. */
    public long bytes() {
        try {
            Path log = file.resolveSibling(file.getFileName() + "-wal");
            return Files.size(file) + (Files.exists(log) ? Files.size(log) : 0);
        } catch (IOException e) {
            return 0;
        }
    }

    // ------------------------------------------------------------------ its thread

    private void serve() {
        List<Task<?>> batch = new ArrayList<>();
        while (!closed || !waiting.isEmpty()) {
            try {
                progress.rests();
                batch.add(waiting.take());
                progress.works();
                waiting.drainTo(batch, MOST_AT_ONCE - 1);
                commit(batch);
            } catch (InterruptedException e) {
                closed = true;
            } finally {
                batch.clear();
            }
        }
        disconnect();
        ended = true;
        failRest();
    }

    private void failRest() {
        for (Task<?> left = waiting.poll(); left != null; left = waiting.poll()) {
            left.result.completeExceptionally(new StoreException(StoreException.Cause.OTHER, file + " is closed"));
        }
    }

    private void commit(List<Task<?>> batch) {
        Throwable failure = attempt(batch);
        if (failure == null) {
            works();
            batch.forEach(Task::complete);
        } else if (batch.size() == 1) {
            batch.get(0).result.completeExceptionally(fails(failure));
        } else {
            for (Task<?> each : batch) {
                progress.works();
                commit(List.of(each));
            }
        }
    }

    /** What went wrong; then nothing is committed, or it is not known. */
    private @Nullable Throwable attempt(List<Task<?>> batch) {
        try {
            Statements on = statements == null ? connect() : statements;
            statements = on;
            on.execute("BEGIN IMMEDIATE");
            for (Task<?> each : batch) {
                each.run(on);
            }
            on.execute("COMMIT");
            return null;
        } catch (SQLException | IOException | RuntimeException | Error e) {
            rollBack(e);
            return e;
        }
    }

    /** A full disk and a fault of a work leave the connection as it was; after any other failure it is made anew, and what the disk has is read again. */
    private void rollBack(Throwable failure) {
        Statements on = statements;
        boolean sound = failure instanceof SQLException known
                ? StoreException.of(file, known).kind() == StoreException.Cause.DISK_FULL
                : !(failure instanceof IOException);
        if (on == null || !sound) {
            disconnect();
            return;
        }
        try {
            on.execute("ROLLBACK");
        } catch (SQLException e) {
            disconnect(); // it was rolled back already
        }
    }

    private StoreException fails(Throwable failure) {
        StoreException told = failure instanceof Exception known
                ? StoreException.of(file, known)
                : new StoreException(StoreException.Cause.OTHER, file + ": " + failure, failure);
        if (!failing) {
            failing = true;
            LOG.warn("{}", told.getMessage());
        }
        return told;
    }

    private void works() {
        if (failing) {
            failing = false;
            LOG.info("{} can be written again", file);
        }
    }

    private Statements connect() throws SQLException, IOException {
        if (!Files.exists(file)) {
            RealDisk.channel(file, StandardOpenOption.CREATE).close(); // with the mode that all files have
        }
        Statements fresh = new Statements(DriverManager.getConnection("jdbc:sqlite:" + file));
        try {
            fresh.execute("PRAGMA locking_mode = EXCLUSIVE");
            fresh.execute("PRAGMA journal_mode = WAL");
            fresh.execute("PRAGMA synchronous = " + (forced ? "FULL" : "NORMAL"));
            fresh.execute("PRAGMA journal_size_limit = " + (16 << 20));
            migrate(fresh);
            return fresh;
        } catch (SQLException | IOException e) {
            fresh.connection.close();
            throw e;
        }
    }

    private void migrate(Statements fresh) throws SQLException, IOException {
        int version;
        try (ResultSet found = fresh.of("PRAGMA user_version").executeQuery()) {
            version = found.getInt(1);
        }
        if (version > schema.size()) {
            throw new StoreException(
                    StoreException.Cause.OTHER,
                    file + ": layout " + version + " is of a later version of the gateway, this one knows "
                            + schema.size());
        }
        for (int next = version; next < schema.size(); next++) {
            fresh.execute("BEGIN IMMEDIATE");
            for (String statement : schema.get(next).split(";")) {
                fresh.execute(statement);
            }
            fresh.execute("PRAGMA user_version = " + (next + 1));
            fresh.execute("COMMIT");
        }
    }

    private void disconnect() {
        Statements old = statements;
        statements = null;
        if (old != null) {
            try {
                old.connection.close();
            } catch (SQLException e) {
                LOG.debug("{}", file, e);
            }
        }
    }

    /** Does what waits, some seconds at most, and ends the thread. */
    @Override
    public void close() {
        closed = true;
        waiting.offer(new Task<>(on -> true)); // wakes it, unless there is more
        Thread thread = progress.thread();
        try {
            if (thread != null) {
                thread.join(LONGEST_CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread == null || !thread.isAlive()) {
            lock.close(); // else it still writes
        }
    }
}
