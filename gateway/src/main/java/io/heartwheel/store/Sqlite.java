package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;

/** Shared parts of all that use the database: how it is connected to, what is written, and what its failures mean. */
final class Sqlite {
    static final String FILE = "journal.db";
    /** Chosen by measurement, as are the other sizes: see decision 0031. */
    static final int PAGE_BYTES = 4096;

    static final String BEGIN = "BEGIN IMMEDIATE";
    static final String COMMIT = "COMMIT";
    static final String INSERT_BATCH = "INSERT INTO batch(last, count, at, crc, body) VALUES(?, ?, ?, ?, ?)";
    static final String PUT_ROW = "INSERT OR REPLACE INTO row(space, key, value) VALUES(?, ?, ?)";

    private static final int CACHE_KIB = 8 << 10;

    private Sqlite() {}

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Connects. Transactions are begun and ended by SQL: after a failure SQLite may have ended one itself, of which the driver would not know.
     */
    static Connection connect(Path file, SyncPolicy sync, boolean readOnly) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setPageSize(PAGE_BYTES);
        config.setCacheSize(-CACHE_KIB);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(
                sync.mode() == SyncPolicy.Mode.ALWAYS
                        ? SQLiteConfig.SynchronousMode.FULL
                        : SQLiteConfig.SynchronousMode.NORMAL);
        config.setBusyTimeout(10_000);
        config.setReadOnly(readOnly);
        Connection connection = config.createConnection("jdbc:sqlite:" + file);
        execute(connection, "PRAGMA wal_autocheckpoint = 0");
        return connection;
    }

    /** Brings the log into the database. The log is forced before, the database behind it. */
    static void checkpoint(Connection connection, String mode) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("PRAGMA wal_checkpoint(" + mode + ")")) {
            found.next();
        }
    }

    static void insert(PreparedStatement insert, long last, int count, long atEpochMillis, byte[] body)
            throws SQLException {
        insert.setLong(4, BatchScan.crc(last, count, atEpochMillis, body));
        insertRow(insert, last, count, atEpochMillis, body);
    }

    /** With the checksum that is set already. */
    static void insertRow(PreparedStatement insert, long last, int count, long atEpochMillis, byte[] body)
            throws SQLException {
        insert.setLong(1, last);
        insert.setInt(2, count);
        insert.setLong(3, atEpochMillis);
        insert.setBytes(5, body);
        insert.executeUpdate();
    }

    static void put(PreparedStatement put, RowSpace space, byte[] key, byte[] value) throws SQLException {
        put.setInt(1, space.number());
        put.setBytes(2, key);
        put.setBytes(3, value);
        put.executeUpdate();
    }

    static StoreException failure(Path file, IOException e) {
        if (e instanceof StoreException known) {
            return known;
        }
        String text = String.valueOf(e.getMessage());
        boolean full = text.contains("No space left") || text.contains("quota exceeded");
        return full
                ? new StoreException(StoreException.Cause.DISK_FULL, file + ": " + e, e)
                : new StoreException(
                        StoreException.Cause.NOT_WRITABLE, file + ": need a place that can be written to: " + e, e);
    }

    static StoreException failure(Path file, SQLException e) {
        StoreException.Cause kind = StoreException.Cause.OTHER;
        if (BatchScan.isDamage(e)) {
            kind = StoreException.Cause.DAMAGED;
        } else {
            int code = e.getErrorCode() & 0xFF;
            if (code == SQLiteErrorCode.SQLITE_FULL.code) {
                kind = StoreException.Cause.DISK_FULL;
            } else if (code == SQLiteErrorCode.SQLITE_READONLY.code
                    || code == SQLiteErrorCode.SQLITE_CANTOPEN.code
                    || code == SQLiteErrorCode.SQLITE_AUTH.code) {
                kind = StoreException.Cause.NOT_WRITABLE;
            } else if (code == SQLiteErrorCode.SQLITE_BUSY.code || code == SQLiteErrorCode.SQLITE_LOCKED.code) {
                kind = StoreException.Cause.LOCKED;
            }
        }
        return new StoreException(kind, file + ": " + e.getMessage(), e);
    }
}
