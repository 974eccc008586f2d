package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Gateway as it describes itself when the fleet is asked who is there. Immutable; any thread.
 *
 * @param node which
 * @param devices connected to it
 */
public record NodeStatus(NodeId node, long devices) {
    private static final byte VERSION = 1;

    /** For the wire. */
    public byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(1 + node.length() + Long.BYTES).put(VERSION);
        node.write(bytes);
        return bytes.putLong(devices).array();
    }

    /**
     * From the wire; what comes behind the fields that we know is passed over.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static NodeStatus decode(byte[] from) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(from);
            if (bytes.get() != VERSION) {
                throw new IllegalArgumentException("another version");
            }
            return new NodeStatus(NodeId.read(bytes), bytes.getLong());
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("cut short", e);
        }
    }
}
