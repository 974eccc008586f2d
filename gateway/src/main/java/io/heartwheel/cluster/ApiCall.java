package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Request of the API that another gateway than the one that was asked answers: about a device that is connected there, or for its share of a list. Who may ask
 * was settled where it came in. It is answered by whoever gets it, and never carried on. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | command = 3 | incarnation, 8 | length, 1 | node | number, 8 | message id, 8
 *               | length, 2 | method | length, 2 | target | headers, see {@link ApiHeader} | body, the rest
 * </pre>
 *
 * @param from who asks
 * @param number of this message, each of a sender once: one that comes twice is answered once
 * @param messageId what a message to a device is called if the request does not say
 * @param target path and query, as sent
 * @param headers those that mean something to the routes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record ApiCall(
        NodeId from, long number, long messageId, String method, String target, List<ApiHeader> headers, byte[] body) {
    private static final byte VERSION = 1;
    private static final byte COMMAND = 3;

    /** Keeps a copy of the list. */
    public ApiCall {
        headers = List.copyOf(headers);
    }

    /** Whether a message of the bus is one, as far as its first bytes say. */
    public static boolean isOne(byte[] message) {
        return message.length > 1 && message[0] == VERSION && message[1] == COMMAND;
    }

    /** The same as another message. */
    public ApiCall numbered(long another) {
        return new ApiCall(from, another, messageId, method, target, headers, body);
    }

    /** For the wire. */
    public byte[] encode() {
        byte[] verb = ApiHeader.text(method);
        byte[] where = ApiHeader.text(target);
        byte[] more = ApiHeader.encode(headers);
        int texts = 2 * Short.BYTES + verb.length + where.length + more.length;
        ByteBuffer bytes = ByteBuffer.allocate(2 + from.length() + 2 * Long.BYTES + texts + body.length)
                .put(VERSION)
                .put(COMMAND);
        from.write(bytes);
        bytes.putLong(number).putLong(messageId);
        ApiHeader.write(bytes, verb);
        ApiHeader.write(bytes, where);
        return bytes.put(more).put(body).array();
    }

    /**
     * From the wire.
     *
     * @throws IllegalArgumentException if it is cut short or damaged
     */
    public static ApiCall decode(byte[] message) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(message, 2, message.length - 2);
            NodeId from = NodeId.read(bytes);
            long number = bytes.getLong();
            long messageId = bytes.getLong();
            String method = ApiHeader.readText(bytes);
            String target = ApiHeader.readText(bytes);
            List<ApiHeader> headers = ApiHeader.decode(bytes);
            byte[] body = new byte[bytes.remaining()];
            bytes.get(body);
            return new ApiCall(from, number, messageId, method, target, headers, body);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("cut short", e);
        }
    }
}
