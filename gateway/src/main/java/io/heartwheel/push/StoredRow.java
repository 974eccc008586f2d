package io.heartwheel.push;

import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transactions.Statements;
import io.heartwheel.wheel.Deadline;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Message on the disk, as it was read for a queue. Two are never equal: it stands for the right of its loader to bring the row to an end, see {@link StoredMessages}.
 */
final class StoredRow {
    /** Memory that rows take while they are loaded. Any thread. */
    interface Memory {
        /** Takes it for a row; false if there is no room. */
        boolean enter(StoredRow row);

        /** Gives it back. */
        void leave(StoredRow row);

        /** Gives it back, and the row is at rest again. */
        void unload(StoredRow row);
    }

    final long number;
    final Push push;
    final long expiresMillis;
    /** It is not what was written. */
    final boolean damaged;

    StoredRow(long number, Push push, long expiresMillis, boolean damaged) {
        this.number = number;
        this.push = push;
        this.expiresMillis = expiresMillis;
        this.damaged = damaged;
    }

    /** What it still has, 0 or less if its time is over. */
    static long leftNanos(long expiresMillis, long nowMillis) {
        return TimeUnit.MILLISECONDS.toNanos(Math.min(expiresMillis - nowMillis, Deadline.MAX_DELAY_NANOS / 1_000_000));
    }

    /** How a message is to be acknowledged, and whether it is a text. */
    static int form(Push push) {
        return push.ack().ordinal() | (push.text() ? 4 : 0);
    }

    static Push.Ack ack(int form) {
        return Push.Ack.values()[Math.min(form & 3, Push.Ack.DEVICE.ordinal())];
    }

    static boolean isText(int form) {
        return (form & 4) != 0;
    }

    static long crc(String device, long id, int form, long expiresMillis, byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update((device + ' ' + id + ' ' + form + ' ' + expiresMillis).getBytes(StandardCharsets.UTF_8));
        crc.update(payload);
        return crc.getValue();
    }

    /** The row under the cursor: number, id, form, expiry, checksum, bytes of the payload. */
    static StoredRow read(Statements on, String device, ResultSet found) throws SQLException {
        long number = found.getLong(1);
        long id = found.getLong(2);
        int form = found.getInt(3);
        long expiresMillis = found.getLong(4);
        byte[] payload = payload(on, number, found.getInt(6));
        Push push = new Push(device, id, isText(form), payload, ack(form), false, 1, true);
        boolean damaged = found.getLong(5) != crc(device, id, form, expiresMillis, payload);
        return new StoredRow(number, push, expiresMillis, damaged);
    }

    /** Zeros if the file is damaged just there: then the checksum tells. */
    private static byte[] payload(Statements on, long number, int bytes) throws SQLException {
        String sql = "SELECT payload FROM message WHERE number = ?";
        PreparedStatement select = on.of(sql);
        select.setLong(1, number);
        try (ResultSet found = select.executeQuery()) {
            return found.getBytes(1);
        } catch (SQLException e) {
            if (!StoreException.isDamage(e)) {
                throw e;
            }
            on.failed(sql);
            return new byte[bytes];
        }
    }
}
