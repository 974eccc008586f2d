package io.heartwheel.push;

import io.heartwheel.event.ConnectionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Result of a {@link Push}. Immutable; any thread.
 *
 * @param messageId the push's
 * @param to the connection that it went over; null if nothing is known to have been written to one
 * @param reply the device's, with {@link Outcome#REPLIED}
 * @param detail of a refusal, for people; else empty
 */
public record PushResult(
        Outcome outcome, long messageId, ConnectionEvent.@Nullable Identity to, @Nullable Reply reply, String detail) {
    /** What became of it. */
    public enum Outcome {
        /** Written to the connection, and no more was asked for. */
        SENT("sent", true),
        /** The peer's stack has read past it. */
        RECEIVED("received", true),
        /** The device has acknowledged it. */
        ACKNOWLEDGED("acknowledged", true),
        /** The device has answered it. */
        REPLIED("replied", true),
        /** It is on the disk. */
        QUEUED("queued", true),
        /** It was taken back. The device may have it. */
        CANCELLED("cancelled", true),
        /** It was to be kept, and there is nowhere to keep it: nothing was written. */
        NO_STORE("no_store", false),
        /** The disk does not take it: nothing will be written. */
        NOT_STORED("not_stored", false),
        /** The device is not connected: nothing was written. */
        OFFLINE("offline", false),
        /** Its time was over. The device may have it. */
        EXPIRED("expired", true),
        /** The device's protocol has no ACK: nothing was written. */
        CANNOT_ACKNOWLEDGE("cannot_acknowledge", false),
        /** One with this id waits for the device: nothing was written. */
        ID_IN_USE("id_in_use", false),
        /** Its Idempotency-Key came with another message before: nothing was written. */
        KEY_REUSED("key_reused", false),
        /** A limit is reached: nothing was written. */
        FULL("full", false),
        /** The device does not read, and it was not to wait: nothing was written. */
        BUSY("busy", false),
        /** The device's loop does not answer: nothing will be written. Or the disk does not: then perhaps it will be. */
        UNKNOWN("unknown", false);

        private final String label;
        private final boolean kept;

        Outcome(String label, boolean kept) {
            this.label = label;
            this.kept = kept;
        }

        /** As in answers and metrics. */
        public String label() {
            return label;
        }

        /** Whether a repeat of the request gets it too: the device may have the message. Else a repeat tries anew. */
        boolean isKept() {
            return kept;
        }
    }

    /** Message of the device. Nobody changes the payload. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Reply(boolean text, byte[] payload) {}

    /** Of a message of which nothing is known to have been written to a connection. */
    public static PushResult refused(Outcome outcome, long messageId, String detail) {
        return new PushResult(outcome, messageId, null, null, detail);
    }

    static PushResult done(Outcome outcome, long messageId, ConnectionEvent.Identity to) {
        return new PushResult(outcome, messageId, to, null, "");
    }

    static PushResult idInUse(long messageId) {
        return refused(
                Outcome.ID_IN_USE,
                messageId,
                "id = " + Long.toUnsignedString(messageId) + ": a message with this id waits for the device");
    }

    /** Bytes of the reply. */
    int replyBytes() {
        return reply == null ? 0 : reply.payload().length;
    }
}
