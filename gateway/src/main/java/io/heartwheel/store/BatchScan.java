package io.heartwheel.store;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Reads batches forward, over damage. Numbers are consecutive, so that whatever lies between two batches that are as they were written, and was not dropped,
 * is lost; it is told as one damaged batch. A row whose checksum is wrong is passed over: neither its bytes nor its numbers can be believed. Where SQLite
 * itself cannot go on, the next place where it can is sought by halving. One thread.
 */
final class BatchScan implements Closeable {
    /** Checksum of a row that stands for records known to be lost; no real one is negative. */
    static final long LOST = -1;

    private static final String NEXT = "SELECT last, count, at, crc, body FROM batch WHERE last > ? ORDER BY last";

    private final Connection connection;
    private final LongSupplier dropped;
    private PreparedStatement next;

    /**
     * A scan.
     *
     * @param dropped records up to this number may be missing without being lost; asked after each look
     */
    BatchScan(Connection connection, LongSupplier dropped) throws SQLException {
        this.connection = connection;
        next = connection.prepareStatement(NEXT);
        this.dropped = dropped;
    }

    /**
     * What follows.
     *
     * @param after number of the newest record that is known already
     * @param last number of the newest record there is
     */
    @Nullable
    RecordBatch next(long after, long last) throws SQLException {
        if (after >= last) {
            return null;
        }
        RecordBatch good = nextGood(after, last);
        long from = Math.max(after, dropped.getAsLong()) + 1;
        long behind = good == null ? last + 1 : good.firstNumber();
        if (from < behind) {
            int count = (int) Math.min(behind - from, Integer.MAX_VALUE);
            return new RecordBatch(from, count, good == null ? 0 : good.atEpochMillis(), new byte[0], 0, true);
        }
        return good;
    }

    /** The first that is as it was written, whatever lies before it; null if there is none. */
    @Nullable
    RecordBatch nextGood(long after, long last) throws SQLException {
        try {
            return good(after, after);
        } catch (SQLException e) {
            return behindDamage(after, last, e);
        }
    }

    /** The first batch behind a key that is as it was written; null if there is none. */
    private @Nullable RecordBatch good(long key, long after) throws SQLException {
        next.setLong(1, key);
        try (ResultSet found = next.executeQuery()) {
            while (found.next()) {
                RecordBatch batch = batch(found, after);
                if (batch != null) {
                    return batch;
                }
            }
            return null;
        } catch (SQLException e) {
            next.close(); // as the driver does, or has done
            next = connection.prepareStatement(NEXT);
            throw e;
        }
    }

    private static @Nullable RecordBatch batch(ResultSet found, long after) throws SQLException {
        long last = found.getLong(1);
        int count = found.getInt(2);
        long at = found.getLong(3);
        long crc = found.getLong(4);
        byte[] body = crc == LOST ? null : found.getBytes(5);
        if (body == null || crc(last, count, at, body) != crc || last <= after) {
            return null;
        }
        long first = last - count + 1;
        return new RecordBatch(first, count, at, body, (int) Math.max(0, after - first + 1), false);
    }

    /** The first good batch that can be reached: keys are tried at distances that double, then the last one is halved. */
    private @Nullable RecordBatch behindDamage(long after, long last, SQLException cause) throws SQLException {
        rethrowUnlessDamage(cause);
        long bad = after;
        long reached = last;
        RecordBatch good = null;
        for (long step = 1; last - bad > step; step *= 2) {
            try {
                good = good(bad + step, after);
                reached = bad + step;
                break;
            } catch (SQLException e) {
                rethrowUnlessDamage(e);
                bad += step;
            }
        }
        while (reached - bad > 1) {
            long middle = bad + (reached - bad) / 2;
            try {
                RecordBatch earlier = good(middle, after);
                good = earlier == null ? good : earlier;
                reached = middle;
            } catch (SQLException e) {
                rethrowUnlessDamage(e);
                bad = middle;
            }
        }
        return good;
    }

    private static void rethrowUnlessDamage(SQLException e) throws SQLException {
        if (!isDamage(e)) {
            throw e;
        }
    }

    /** Whether SQLite says that the file is malformed, none of its own, or ends in the middle of a page. */
    static boolean isDamage(SQLException e) {
        int code = e.getErrorCode() & 0xFF;
        boolean cut = e instanceof SQLiteException sqlite
                && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHORT_READ;
        return cut || code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code;
    }

    /** Checksum over a row, its numbers included. */
    static long crc(long last, int count, long atEpochMillis, byte[] body) {
        CRC32C crc = new CRC32C();
        ByteBuffer numbers = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);
        crc.update(numbers.putLong(last).putInt(count).putLong(atEpochMillis).flip());
        crc.update(body, 0, body.length);
        return crc.getValue();
    }

    @Override
    public void close() {
        try {
            next.close();
        } catch (SQLException e) {
            // with its connection
        }
    }
}
