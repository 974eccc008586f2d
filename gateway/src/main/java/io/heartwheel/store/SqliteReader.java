package io.heartwheel.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reader with a connection of its own to the database. Statements that are rare are made for each call: the driver closes one that fails. */
final class SqliteReader implements StoreReader {
    private static final String SINCE = "SELECT last - count + 1 FROM batch WHERE at >= ? ORDER BY last LIMIT 1";
    private static final String ROW = "SELECT value FROM row WHERE space = ? AND key = ?";
    private static final String ROWS = "SELECT key, value FROM row WHERE space = ? AND key > ? ORDER BY key LIMIT ?";

    private final SqliteStore store;
    private final Path file;
    private final Connection connection;
    private final BatchScan batches;

    SqliteReader(SqliteStore store, Path file) throws SQLException {
        this.store = store;
        this.file = file;
        connection = Sqlite.connect(file, SyncPolicy.NEVER, true);
        batches = new BatchScan(connection, store::dropped);
    }

    @Override
    public @Nullable RecordBatch next(long after) throws StoreException {
        try {
            RecordBatch batch = batches.next(after, store.lastNumber());
            if (batch != null && batch.isDamaged()) {
                store.foundDamaged(batch.firstNumber(), batch.lastNumber());
            }
            return batch;
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }

    @Override
    public boolean await(long after, long millis) throws InterruptedException {
        return store.await(after, millis);
    }

    @Override
    public long firstSince(long epochMillis) throws StoreException {
        try (PreparedStatement since = connection.prepareStatement(SINCE)) {
            since.setLong(1, epochMillis);
            try (ResultSet found = since.executeQuery()) {
                return found.next() ? found.getLong(1) : store.lastNumber() + 1;
            }
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }

    @Override
    public byte @Nullable [] row(RowSpace space, byte[] key) throws StoreException {
        try (PreparedStatement row = connection.prepareStatement(ROW)) {
            row.setInt(1, space.number());
            row.setBytes(2, key);
            try (ResultSet found = row.executeQuery()) {
                return found.next() ? found.getBytes(1) : null;
            }
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }

    @Override
    public List<Row> rows(RowSpace space, byte[] after, int limit) throws StoreException {
        try (PreparedStatement rows = connection.prepareStatement(ROWS)) {
            rows.setInt(1, space.number());
            rows.setBytes(2, after);
            rows.setInt(3, limit);
            List<Row> all = new ArrayList<>();
            try (ResultSet found = rows.executeQuery()) {
                while (found.next()) {
                    all.add(new Row(found.getBytes(1), found.getBytes(2)));
                }
            }
            return all;
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }

    @Override
    public void close() throws StoreException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw Sqlite.failure(file, e);
        }
    }
}
