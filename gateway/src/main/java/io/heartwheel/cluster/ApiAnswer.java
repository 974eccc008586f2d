package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Outcome of an {@link ApiCall}. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | outcome, 1 | status, 2 | headers, see {@link ApiHeader} | body, the rest
 * </pre>
 *
 * @param status of HTTP; 0 unless it is answered
 * @param headers of the answer, its Content-Type among them
 * @param body of the answer; with another outcome a text for people
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record ApiAnswer(Outcome outcome, int status, List<ApiHeader> headers, byte[] body) {
    private static final byte VERSION = 1;
    private static final List<Outcome> ON_THE_WIRE =
            List.of(Outcome.UNSUPPORTED, Outcome.ANSWERED, Outcome.ABSENT, Outcome.BUSY, Outcome.ANSWER_TOO_LARGE);

    /** What became of it. */
    public enum Outcome {
        /** The node does not know the command, as one of an earlier release: nothing was done. */
        UNSUPPORTED,
        /** Answered. */
        ANSWERED,
        /** The device is not there: nothing was done. */
        ABSENT,
        /** The node has as much under way as it takes: nothing was done. */
        BUSY,
        /** It was done, and the answer does not fit in a message. */
        ANSWER_TOO_LARGE,
        /** It does not fit in a message: nothing was done. */
        TOO_LARGE,
        /** The node is gone: nothing was done. */
        NO_NODE,
        /** No answer came in time: it may have been done, or still be. */
        LOST
    }

    /** Keeps a copy of the list. */
    public ApiAnswer {
        headers = List.copyOf(headers);
    }

    /**
     * None.
     *
     * @param text why, for people
     */
    public static ApiAnswer none(Outcome outcome, String text) {
        return new ApiAnswer(outcome, 0, List.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Why there is none, for people. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** For the wire. */
    public byte[] encode() {
        byte[] more = ApiHeader.encode(headers);
        return ByteBuffer.allocate(2 + Short.BYTES + more.length + body.length)
                .put(VERSION)
                .put((byte) ON_THE_WIRE.indexOf(outcome))
                .putShort((short) status)
                .put(more)
                .put(body)
                .array();
    }

    /** From the wire; what is not understood is {@link Outcome#UNSUPPORTED}, as is {@link BusMessage.Answer#UNKNOWN}, which earlier releases say. */
    public static ApiAnswer decode(byte[] message) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(message);
            byte version = bytes.get();
            int number = Byte.toUnsignedInt(bytes.get());
            if (version != VERSION || number == 0 || number >= ON_THE_WIRE.size()) {
                return none(Outcome.UNSUPPORTED, "");
            }
            int status = Short.toUnsignedInt(bytes.getShort());
            List<ApiHeader> headers = ApiHeader.decode(bytes);
            byte[] body = new byte[bytes.remaining()];
            bytes.get(body);
            return new ApiAnswer(ON_THE_WIRE.get(number), status, headers, body);
        } catch (BufferUnderflowException cutShort) {
            return none(Outcome.UNSUPPORTED, "");
        }
    }
}
