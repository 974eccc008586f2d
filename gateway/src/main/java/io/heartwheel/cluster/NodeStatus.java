package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Gateway as it describes itself to the others, once a second. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | incarnation, 8 | length, 1 | node | devices, 8 | admitted a second, 4 | length, 2 | address
 * </pre>
 *
 * An earlier release does not say what stands behind the devices, and passes over it; so does this one with what comes behind the address.
 *
 * @param node which
 * @param devices connected to it
 * @param admitPerSecond connections a second that it takes now; 0: none, or it does not say; {@link #ENDS}: it takes nothing any more
 * @param address where devices reach it, {@code host:port}, at most 255 bytes of UTF-8; empty: it does not say
 */
public record NodeStatus(NodeId node, long devices, int admitPerSecond, String address) {
    /** It has given back what it runs, and ends; an earlier release takes it for 0. */
    public static final int ENDS = -1;

    private static final byte VERSION = 1;
    private static final int LONGEST_ADDRESS = 255;

    /** One that says no more. */
    public NodeStatus(NodeId node, long devices) {
        this(node, devices, 0, "");
    }

    /** For the wire. */
    public byte[] encode() {
        byte[] where = ApiHeader.text(address);
        ByteBuffer bytes = ByteBuffer.allocate(
                        1 + node.length() + Long.BYTES + Integer.BYTES + Short.BYTES + where.length)
                .put(VERSION);
        node.write(bytes);
        ApiHeader.write(bytes.putLong(devices).putInt(admitPerSecond), where);
        return bytes.array();
    }

    /**
     * From the wire.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static NodeStatus decode(byte[] from) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(from);
            if (bytes.get() != VERSION) {
                throw new IllegalArgumentException("another version");
            }
            NodeId node = NodeId.read(bytes);
            long devices = bytes.getLong();
            if (!bytes.hasRemaining()) {
                return new NodeStatus(node, devices);
            }
            int admits = Math.max(ENDS, bytes.getInt());
            String address = ApiHeader.readText(bytes);
            boolean fits = ApiHeader.text(address).length <= LONGEST_ADDRESS; // else no device can be told
            return new NodeStatus(node, devices, admits, fits ? address : "");
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("cut short", e);
        }
    }
}
