package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Message from gateway to gateway.
 *
 * <pre>
 *   version = 1 | command, 1 | epoch, 8 | session, 8 | incarnation, 8 | length, 1 | node | device id, the rest
 *
 *   1 kick    an id has another holder: whoever has it here with an earlier epoch is closed
 *   2 where   whether the device is here; epoch and session are 0
 *   3         another form: {@link ApiCall}
 *   4 kick    as 1, and before the device id a wait, 4
 * </pre>
 *
 * and the answer: {@code version | outcome | epoch | session}. What comes behind the fields of an answer is passed over; a command that is not known is
 * answered {@link Outcome#UNKNOWN}, and so is a version.
 *
 * @param command what is asked
 * @param epoch of the new holder
 * @param sessionId of the new holder
 * @param from who asks
 * @param waitMillis how long somebody had to wait for the id, because connections take it from each other; 0: nobody did
 * @param deviceId UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record BusMessage(Command command, long epoch, long sessionId, NodeId from, int waitMillis, byte[] deviceId) {
    private static final byte VERSION = 1;
    private static final byte KICK_WITH_WAIT = 4;

    /** What is asked. */
    public enum Command {
        /** An id has another holder. */
        KICK(1),
        /** Whether a device is here. */
        WHERE(2);

        private final byte number;

        Command(int number) {
            this.number = (byte) number;
        }
    }

    /** What is answered. */
    public enum Outcome {
        /** Neither version nor command is known there, or it is not known where the device is, as it may be about to come. */
        UNKNOWN(0),
        /** The device is there; a kick: whoever has an earlier epoch is being closed. */
        HERE(1),
        /** It is not. */
        ABSENT(2);

        private final byte number;

        Outcome(int number) {
            this.number = (byte) number;
        }
    }

    /**
     * An answer.
     *
     * @param epoch of the connection that is there; 0 if none is
     * @param sessionId likewise
     */
    public record Answer(Outcome outcome, long epoch, long sessionId) {
        /** Not here. */
        public static final Answer ABSENT = new Answer(Outcome.ABSENT, 0, 0);
        /** Not understood. */
        public static final Answer UNKNOWN = new Answer(Outcome.UNKNOWN, 0, 0);

        /** For the wire. */
        public byte[] encode() {
            return ByteBuffer.allocate(2 + 2 * Long.BYTES)
                    .put(VERSION)
                    .put(outcome.number)
                    .putLong(epoch)
                    .putLong(sessionId)
                    .array();
        }

        /** From the wire; what cannot be read is {@link #UNKNOWN}. */
        public static Answer decode(byte[] from) {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(from);
                byte version = bytes.get();
                byte number = bytes.get();
                for (Outcome outcome : Outcome.values()) {
                    if (version == VERSION && outcome.number == number) {
                        return new Answer(outcome, bytes.getLong(), bytes.getLong());
                    }
                }
                return UNKNOWN;
            } catch (BufferUnderflowException cutShort) {
                return UNKNOWN;
            }
        }
    }

    /** Who answers messages. */
    public interface Answering {
        /** Quick; any thread. */
        Answer answer(BusMessage message);
    }

    /** For the wire. */
    public byte[] encode() {
        boolean waits = waitMillis > 0;
        int length = 2 + 2 * Long.BYTES + from.length() + (waits ? Integer.BYTES : 0) + deviceId.length;
        ByteBuffer bytes = ByteBuffer.allocate(length)
                .put(VERSION)
                .put(waits ? KICK_WITH_WAIT : command.number)
                .putLong(epoch)
                .putLong(sessionId);
        from.write(bytes);
        if (waits) {
            bytes.putInt(waitMillis);
        }
        return bytes.put(deviceId).array();
    }

    /** The answer to what came over the wire, whatever it is; for {@link NodeBus#serve}. */
    public static byte[] answer(byte[] from, Answering answering) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(from);
            byte version = bytes.get();
            byte number = bytes.get();
            for (Command command : Command.values()) {
                boolean waits = command == Command.KICK && number == KICK_WITH_WAIT;
                if (version == VERSION && (waits || command.number == number)) {
                    long epoch = bytes.getLong();
                    long session = bytes.getLong();
                    NodeId node = NodeId.read(bytes);
                    int wait = waits ? bytes.getInt() : 0;
                    byte[] id = new byte[bytes.remaining()];
                    bytes.get(id);
                    return answering
                            .answer(new BusMessage(command, epoch, session, node, wait, id))
                            .encode();
                }
            }
            return Answer.UNKNOWN.encode();
        } catch (BufferUnderflowException | IllegalArgumentException malformed) {
            return Answer.UNKNOWN.encode();
        }
    }
}
