package io.heartwheel.presence;

import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Lost;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Row of a connected device in the journal's view of who is present: put with its {@code connected}, and with each {@code present} because that may have been
 * lost; deleted with the end of its session, each in the transaction of the event. What is left of an earlier incarnation was connected when that ended without
 * a word, or its end was lost.
 *
 * <pre>
 *   key:    incarnation i64 | session i64
 *   value:  form u8 = 1 | epoch i64 | connected at i64 | device id, UTF-8
 * </pre>
 *
 * Big-endian, so that keys are in order of time. Pure functions; any thread.
 */
public final class PresenceRow {
    private static final byte FORM = 1;

    private PresenceRow() {}

    /** The key of a session's row. */
    public static byte[] key(long incarnation, long sessionId) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(incarnation)
                .putLong(sessionId)
                .array();
    }

    /** The key of a lost session's row. */
    public static byte[] key(Lost lost) {
        return key(lost.incarnation(), lost.identity().sessionId());
    }

    /** The value of the row of a session that was established then. */
    public static byte[] value(Identity identity, long connectedAtEpochMillis) {
        byte[] device = identity.deviceId().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + 2 * Long.BYTES + device.length)
                .put(FORM)
                .putLong(identity.epoch())
                .putLong(connectedAtEpochMillis)
                .put(device)
                .array();
    }

    /** The incarnation in a key; 0 if it is none. */
    static long incarnation(byte[] key) {
        return key.length == 2 * Long.BYTES ? ByteBuffer.wrap(key).getLong() : 0;
    }

    /** The lost session of a row; null if the row cannot be read. */
    static @Nullable Lost read(byte[] key, byte[] value, long nowEpochMillis) {
        try {
            ByteBuffer in = ByteBuffer.wrap(value);
            if (key.length != 2 * Long.BYTES || in.get() != FORM) {
                return null;
            }
            long epoch = in.getLong();
            long connectedAtEpochMillis = in.getLong();
            String device = new String(Arrays.copyOfRange(value, in.position(), value.length), StandardCharsets.UTF_8);
            long sessionId = ByteBuffer.wrap(key).getLong(Long.BYTES);
            return new Lost(
                    new Identity(device, sessionId, epoch), nowEpochMillis, incarnation(key), connectedAtEpochMillis);
        } catch (BufferUnderflowException tooShort) {
            return null;
        }
    }
}
