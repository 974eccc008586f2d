package io.heartwheel.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.sqlite.SQLiteErrorCode;

/** Copies what can still be read of a damaged database into a new one. Used once, by whoever opens the store. */
final class StoreSalvage {
    private static final String ROWS_UP = "SELECT key, value FROM row WHERE space = ? AND key > ? ORDER BY key LIMIT 1";
    private static final String ROWS_DOWN = "SELECT key, value FROM row WHERE space = ? ORDER BY key DESC";

    private final Path damaged;
    private final Connection to;
    private boolean rowsAreWhole = true;
    private long records;

    /**
     * A salvage.
     *
     * @param damaged the database, which is only read
     * @param to the new one, with its tables; the caller commits
     */
    StoreSalvage(Path damaged, Connection to) {
        this.damaged = damaged;
        this.to = to;
    }

    /** Moves the files of the database aside; the memory that is shared beside it is of no use any more. */
    static void moveAside(Path database, Path aside) throws IOException {
        Files.createDirectories(aside);
        for (String suffix : new String[] {"", "-wal"}) {
            Path from = beside(database, suffix);
            if (Files.exists(from)) {
                Files.move(from, aside.resolve(from.getFileName()));
            }
        }
        Files.deleteIfExists(beside(database, "-shm"));
    }

    /** A file beside the database whose name begins like its own. */
    static Path beside(Path database, String suffix) {
        return database.resolveSibling(database.getFileName() + suffix);
    }

    /**
     * Copies.
     *
     * @param last number of the newest record as far as it is known; 0 if it is not
     */
    void copy(long last) throws SQLException {
        try (Connection from = Sqlite.connect(damaged, SyncPolicy.NEVER, true)) {
            for (RowSpace space : RowSpace.values()) {
                rowsAreWhole &= copyRows(from, space);
            }
            copyBatches(from, Math.max(last, newestKey(from)));
        } catch (SQLException e) {
            if (!isUnreadable(e)) {
                throw e;
            }
            rowsAreWhole = false;
        }
    }

    /** Not a database, malformed, or without its tables. */
    static boolean isUnreadable(SQLException e) {
        return BatchScan.isDamage(e) || e.getErrorCode() == SQLiteErrorCode.SQLITE_ERROR.code;
    }

    private long newestKey(Connection from) {
        try (PreparedStatement query = from.prepareStatement(
                        "SELECT last, count, at, crc, body FROM batch ORDER BY last DESC LIMIT 64");
                ResultSet found = query.executeQuery()) {
            while (found.next()) {
                long last = found.getLong(1);
                byte[] body = found.getBytes(5);
                if (body != null && BatchScan.crc(last, found.getInt(2), found.getLong(3), body) == found.getLong(4)) {
                    return last;
                }
            }
        } catch (SQLException e) {
            // the tail cannot be read
        }
        return Long.MAX_VALUE / 4;
    }

    private void copyBatches(Connection from, long last) throws SQLException {
        try (BatchScan scan = new BatchScan(from, () -> 0);
                PreparedStatement insert = to.prepareStatement(Sqlite.INSERT_BATCH)) {
            long after = 0;
            RecordBatch batch = scan.nextGood(after, last);
            while (batch != null) {
                after = batch.lastNumber();
                Sqlite.insert(insert, after, batch.count(), batch.atEpochMillis(), batch.body());
                records += batch.count();
                batch = scan.nextGood(after, last);
            }
        }
    }

    /** Upwards until an error, then downwards until an error or what is known; returns whether there was none. */
    private boolean copyRows(Connection from, RowSpace space) throws SQLException {
        byte[] after = {};
        try (PreparedStatement put = to.prepareStatement(Sqlite.PUT_ROW);
                PreparedStatement up = from.prepareStatement(ROWS_UP)) {
            try {
                byte[] key = copyNext(up, put, space, after);
                while (Arrays.compareUnsigned(key, after) > 0) {
                    after = key;
                    key = copyNext(up, put, space, after);
                }
                return key.length == 0;
            } catch (SQLException e) {
                if (!isUnreadable(e)) {
                    throw e;
                }
                copyDown(from, put, space, after);
                return false;
            }
        }
    }

    private static byte[] copyNext(PreparedStatement up, PreparedStatement put, RowSpace space, byte[] after)
            throws SQLException {
        up.setInt(1, space.number());
        up.setBytes(2, after);
        try (ResultSet found = up.executeQuery()) {
            if (!found.next()) {
                return new byte[0];
            }
            byte[] key = found.getBytes(1);
            Sqlite.put(put, space, key, found.getBytes(2));
            return key;
        }
    }

    private static void copyDown(Connection from, PreparedStatement put, RowSpace space, byte[] known) {
        try (PreparedStatement down = from.prepareStatement(ROWS_DOWN)) {
            down.setInt(1, space.number());
            try (ResultSet found = down.executeQuery()) {
                while (found.next() && Arrays.compareUnsigned(found.getBytes(1), known) > 0) {
                    Sqlite.put(put, space, found.getBytes(1), found.getBytes(2));
                }
            }
        } catch (SQLException e) {
            // the damage from the other side
        }
    }

    /** Records that were copied. */
    long records() {
        return records;
    }

    /** Whether all rows were copied, as far as can be known. */
    boolean rowsAreWhole() {
        return rowsAreWhole;
    }
}
