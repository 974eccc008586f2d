package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import io.heartwheel.store.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Schedules on the disk, a row each. Constants of enums stand there by their names. */
public final class DatabaseRows implements ScheduleRows {
    /** Layout of the tables. The payload comes last: who reads the rest of a row does not read its pages. */
    public static final String TABLES =
            """
            CREATE TABLE schedule(key TEXT PRIMARY KEY, generation INTEGER NOT NULL,
             run INTEGER NOT NULL, remaining INTEGER NOT NULL, wall INTEGER NOT NULL, due INTEGER NOT NULL, last INTEGER NOT NULL, result TEXT,
             kind TEXT NOT NULL, name TEXT NOT NULL, start TEXT NOT NULL, start_millis INTEGER NOT NULL, repeat TEXT NOT NULL, every INTEGER NOT NULL,
             times INTEGER NOT NULL, missed TEXT NOT NULL, ack TEXT NOT NULL, timeout INTEGER NOT NULL, store INTEGER NOT NULL, text INTEGER NOT NULL,
             bytes INTEGER NOT NULL, payload BLOB NOT NULL);
            CREATE TABLE schedule_clock(id INTEGER PRIMARY KEY, steps INTEGER NOT NULL)
            """;

    private static final String COLUMNS = "key, generation, run, remaining, wall, due, last, result,"
            + " kind, name, start, start_millis, repeat, every, times, missed, ack, timeout, store, text, bytes";
    private static final String PUT = "INSERT OR REPLACE INTO schedule(" + COLUMNS + ", payload)"
            + " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String MOVE =
            "UPDATE schedule SET run = ?, remaining = ?, wall = ?, due = ?, last = ?, result = ?"
                    + " WHERE key = ? AND generation = ?";
    private static final String READ = "SELECT " + COLUMNS + ", payload FROM schedule WHERE key = ?";
    private static final String PAGE =
            "SELECT " + COLUMNS + " FROM schedule WHERE key > ? AND key >= ? AND key < ? ORDER BY key LIMIT ?";
    /** Behind all characters of a key. */
    private static final String LAST = "\u007f";

    private final Database database;

    /** @param database has the {@link #TABLES} */
    public DatabaseRows(Database database) {
        this.database = database;
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public CompletableFuture<Kept> load() {
        return database.run(on -> {
            long steps = 0;
            try (ResultSet found = on.of("SELECT steps FROM schedule_clock").executeQuery()) {
                if (found.next()) {
                    steps = found.getLong(1);
                }
            }
            List<Waiting> all = new ArrayList<>();
            try (ResultSet found = on.of("SELECT key, generation, wall, due, bytes FROM schedule")
                    .executeQuery()) {
                while (found.next()) {
                    all.add(new Waiting(
                            found.getString(1),
                            found.getLong(2),
                            found.getBoolean(3),
                            found.getLong(4),
                            found.getInt(5)));
                }
            }
            return new Kept(steps, all);
        });
    }

    @Override
    public CompletableFuture<Integer> put(ScheduleRow row) {
        return database.run(on -> {
            PreparedStatement put = on.of(PUT);
            put.setString(1, row.key());
            put.setLong(2, row.generation());
            set(put, 3, row.progress());
            ScheduleSpec spec = row.spec();
            put.setString(9, spec.to().kind().name());
            put.setString(10, spec.to().name());
            put.setString(11, spec.start().name());
            put.setLong(12, spec.startMillis());
            put.setString(13, spec.repeat().name());
            put.setLong(14, spec.everyMillis());
            put.setLong(15, spec.times());
            put.setString(16, spec.missed().name());
            put.setString(17, spec.ack().name());
            put.setLong(18, spec.timeoutMillis());
            put.setBoolean(19, spec.store());
            put.setBoolean(20, spec.text());
            put.setInt(21, row.bytes());
            put.setBytes(22, row.payload());
            return put.executeUpdate();
        });
    }

    private static void set(PreparedStatement statement, int first, Progress progress) throws SQLException {
        RunResult last = progress.lastResult();
        statement.setLong(first, progress.run());
        statement.setLong(first + 1, progress.left());
        statement.setBoolean(first + 2, progress.wall());
        statement.setLong(first + 3, progress.dueMillis());
        statement.setLong(first + 4, progress.lastMillis());
        statement.setString(first + 5, last == null ? null : last.name());
    }

    @Override
    public CompletableFuture<List<Move>> move(List<Move> moves) {
        return database.run(on -> {
            for (Move move : moves) {
                boolean over = move.progress().left() == 0;
                PreparedStatement change = on.of(over ? "DELETE FROM schedule WHERE key = ? AND generation = ?" : MOVE);
                if (!over) {
                    set(change, 1, move.progress());
                }
                change.setString(over ? 1 : 7, move.key());
                change.setLong(over ? 2 : 8, move.generation());
                change.executeUpdate();
            }
            return List.of();
        });
    }

    @Override
    public CompletableFuture<Boolean> delete(String key) {
        return database.run(on -> {
            PreparedStatement delete = on.of("DELETE FROM schedule WHERE key = ?");
            delete.setString(1, key);
            return delete.executeUpdate() > 0;
        });
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> read(List<String> keys) {
        return database.run(on -> {
            List<ScheduleRow> rows = new ArrayList<>(keys.size());
            PreparedStatement read = on.of(READ);
            for (String key : keys) {
                read.setString(1, key);
                try (ResultSet found = read.executeQuery()) {
                    if (found.next()) {
                        rows.add(row(found, found.getBytes(22)));
                    }
                }
            }
            return rows;
        });
    }

    @Override
    public CompletableFuture<List<ScheduleRow>> page(String after, String prefix, int limit) {
        return database.run(on -> {
            List<ScheduleRow> rows = new ArrayList<>();
            PreparedStatement page = on.of(PAGE);
            page.setString(1, after);
            page.setString(2, prefix);
            page.setString(3, prefix + LAST);
            page.setInt(4, limit);
            try (ResultSet found = page.executeQuery()) {
                while (found.next()) {
                    rows.add(row(found, null));
                }
            }
            return rows;
        });
    }

    private static ScheduleRow row(ResultSet found, byte @Nullable [] payload) throws SQLException {
        String result = found.getString(8);
        Progress progress = new Progress(
                found.getLong(3),
                found.getLong(4),
                found.getBoolean(5),
                found.getLong(6),
                found.getLong(7),
                result == null ? null : RunResult.valueOf(result));
        ScheduleSpec spec = new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.valueOf(found.getString(9)), found.getString(10)),
                ScheduleSpec.Start.valueOf(found.getString(11)),
                found.getLong(12),
                ScheduleSpec.Repeat.valueOf(found.getString(13)),
                found.getLong(14),
                found.getLong(15),
                ScheduleSpec.Missed.valueOf(found.getString(16)),
                Push.Ack.valueOf(found.getString(17)),
                found.getLong(18),
                found.getBoolean(19),
                found.getBoolean(20));
        return new ScheduleRow(found.getString(1), found.getLong(2), spec, payload, found.getInt(21), progress);
    }

    @Override
    public CompletableFuture<Integer> putSteps(long millis) {
        return database.run(on -> {
            PreparedStatement put = on.of("INSERT OR REPLACE INTO schedule_clock(id, steps) VALUES(1, ?)");
            put.setLong(1, millis);
            return put.executeUpdate();
        });
    }
}
