package io.heartwheel.push;

import io.heartwheel.store.Transactions.Statements;
import io.heartwheel.wheel.Deadline;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Message on the disk, as it was read for a queue. Two are never equal: it stands for the right of its loader to bring the row to an end, see {@link StoredMessages}.
 */
final class StoredRow {
    /** Load of rows that are to be given away: it takes the right from nobody, and nobody takes it. */
    static final long TO_GIVE = Long.MAX_VALUE;

    final long number;
    final Push push;
    final long expiresMillis;
    /** Number of the load that read it: a later one has the greater right. */
    final long load;
    /** It is not what was written. */
    final boolean damaged;

    StoredRow(long number, Push push, long expiresMillis, long load, boolean damaged) {
        this.number = number;
        this.push = push;
        this.expiresMillis = expiresMillis;
        this.load = load;
        this.damaged = damaged;
    }

    /** Reads a row of a device; null: there is none with this number. */
    static @Nullable StoredRow read(Statements on, String device, long number, long load) throws SQLException {
        PreparedStatement select = on.of("SELECT id, form, expires, crc, payload FROM message WHERE number = ?");
        select.setLong(1, number);
        try (ResultSet found = select.executeQuery()) {
            if (!found.next()) {
                return null;
            }
            long id = found.getLong(1);
            int form = found.getInt(2);
            long expiresMillis = found.getLong(3);
            byte[] payload = found.getBytes(5);
            Push push = new Push(device, id, isText(form), payload, ack(form), false, 1, true);
            boolean damaged = found.getLong(4) != crc(device, id, form, expiresMillis, payload);
            return new StoredRow(number, push, expiresMillis, load, damaged);
        }
    }

    /** Takes the right to end the row from whoever has it; but not from a later load, nor from its end. */
    Object over(@Nullable Object claim) {
        boolean earlier = !isToGive() && claim instanceof StoredRow other && other.load <= load;
        return claim == null || earlier ? this : claim;
    }

    /** Whether it is on its way to another gateway: a queue waits until that is over. */
    boolean isToGive() {
        return load == TO_GIVE;
    }

    /** What it takes in memory. */
    long takes() {
        return (long) PushSettings.MESSAGE_BYTES + push.payload().length;
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
}
