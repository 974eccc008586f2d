package io.heartwheel.push;

import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transactions;
import io.heartwheel.wheel.Timers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/** Database in memory without a thread: the test says when what waits is committed, and whether that fails. */
public final class TestDatabase implements Transactions, AutoCloseable {
    /** What becomes of a commit. */
    enum Fate {
        COMMITTED,
        FAILED,
        /** It is told that it failed. */
        COMMITTED_UNKNOWN
    }

    private Connection connection;
    private Statements statements;
    private static final int SQLITE_CORRUPT = 11;
    private static final int PAGE = 4_096;

    private final Queue<Task<?>> waiting = new ArrayDeque<>();
    /** Of the next commits. */
    Supplier<Fate> fate = () -> Fate.COMMITTED;
    /** Whether a work is done at once, as if its thread were quicker than any other. */
    boolean atOnce;

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

    /** One that is always ready. */
    public static TestDatabase ready() {
        TestDatabase database = new TestDatabase();
        database.atOnce = true;
        return database;
    }

    /** Messages to the devices of this gateway, kept here. */
    public Pushes pushes(VirtualGateway gateway) {
        return new Pushes(
                gateway.registry,
                gateway.timers,
                gateway::now,
                () -> 1_000_000 + gateway.now() / 1_000,
                PushSettings.DEFAULTS,
                open(gateway.timers, () -> 1_000_000 + gateway.now() / 1_000));
    }

    StoredMessages open(Timers timers, LongSupplier wallMicros) {
        try {
            return StoredMessages.open(this, timers, wallMicros);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    TestDatabase() {
        try {
            connection = DriverManager.getConnection("jdbc:sqlite::memory:");
            statements = new Statements(connection);
            for (String statement : StoredMessages.TABLES.split(";")) {
                statements.execute(statement);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public synchronized <T> CompletableFuture<T> run(Work<T> work) {
        Task<T> task = new Task<>(work);
        waiting.add(task);
        if (atOnce) {
            step(1);
        }
        return task.result;
    }

    /** Commits so many works at most; whether there were any. */
    boolean step(int most) {
        List<Task<?>> batch = new ArrayList<>();
        while (batch.size() < most && !waiting.isEmpty()) {
            batch.add(waiting.remove());
        }
        if (!batch.isEmpty()) {
            commit(batch);
        }
        return !batch.isEmpty();
    }

    /** As {@link io.heartwheel.store.Database} does it. */
    private void commit(List<Task<?>> batch) {
        Fate now = fate.get();
        try {
            statements.execute("BEGIN");
            for (Task<?> each : batch) {
                each.run(statements);
            }
            statements.execute(now == Fate.FAILED ? "ROLLBACK" : "COMMIT");
        } catch (SQLException e) {
            if (e.getErrorCode() != SQLITE_CORRUPT) {
                throw new AssertionError(e);
            }
            change("ROLLBACK");
            statements = new Statements(connection);
            fail(batch, new StoreException(StoreException.Cause.DAMAGED, "disk: damaged"));
            return;
        }
        if (now == Fate.COMMITTED) {
            batch.forEach(Task::complete);
        } else {
            fail(batch, new StoreException(StoreException.Cause.DISK_FULL, "disk: no room"));
        }
    }

    private void fail(List<Task<?>> batch, StoreException failure) {
        if (batch.size() == 1) {
            batch.get(0).result.completeExceptionally(failure);
        } else {
            batch.forEach(each -> commit(List.of(each)));
        }
    }

    /** Zeros the first page that is like this; what was read of it is forgotten. */
    void damage(Predicate<String> page) {
        try {
            byte[] file = damaged(((SQLiteConnection) connection).serialize("main"), page);
            connection.close();
            connection = DriverManager.getConnection("jdbc:sqlite::memory:");
            ((SQLiteConnection) connection).deserialize("main", file);
            statements = new Statements(connection);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** A database file, the first page of which that is like this, if there is one, is zeros. */
    public static byte[] damaged(byte[] file, Predicate<String> like) {
        byte[] damaged = file.clone();
        for (int page = 0; page < file.length; page += PAGE) {
            if (like.test(new String(file, page, PAGE, StandardCharsets.ISO_8859_1))) {
                Arrays.fill(damaged, page, page + PAGE, (byte) 0);
                break;
            }
        }
        return damaged;
    }

    /** Whether a page has nothing but a part of a payload, which is this character again and again, and the number of the next such page. */
    public static Predicate<String> payloadOf(char character) {
        return page -> page.endsWith(String.valueOf(character).repeat(PAGE - 4));
    }

    /** Works that wait. */
    int waiting() {
        return waiting.size();
    }

    /** The process ends: what is not committed is lost, and nobody hears of it. */
    void kill() {
        waiting.clear();
    }

    /** A number out of it. */
    long ask(String sql) {
        try (ResultSet found = statements.of(sql).executeQuery()) {
            return found.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Changes it behind everybody's back. */
    void change(String sql) {
        try {
            statements.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
