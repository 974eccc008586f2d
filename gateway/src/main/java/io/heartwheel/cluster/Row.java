package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Row of a device id: who of the fleet holds it, or held it last. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | held 0/1 | epoch, 8 | session, 8 | incarnation, 8 | length, 1 | name of the node
 * </pre>
 *
 * A row is kept when its device leaves, so that the next epoch is larger wherever the device comes back, and whatever the clock there says.
 *
 * @param node who holds it, or held it last; null: nobody ever did
 * @param sessionId the connection, unique in that incarnation
 * @param epoch of that connection; 0: nobody ever held it
 * @param held whether it is held, as far as the row knows
 * @param revision what a write must expect; 0: there is no row
 */
public record Row(@Nullable NodeId node, long sessionId, long epoch, boolean held, long revision) {
    private static final byte VERSION = 1;

    /** No epoch comes near it within 100,000 years; who writes a later one has no clock but a fault. */
    private static final long GREATEST_EPOCH = Long.MAX_VALUE / 2;

    /** There is none. */
    public static final Row NONE = none(0);

    /** Nothing that can be read stands there. */
    static Row none(long revision) {
        return new Row(null, 0, 0, false, revision);
    }

    /** A device that is held. */
    static Row held(NodeId node, long sessionId, long epoch) {
        return new Row(node, sessionId, epoch, true, 0);
    }

    /** Whether it is held by this connection. */
    public boolean isHeldBy(NodeId who, long session) {
        return held && who.equals(node) && sessionId == session;
    }

    /** Whether it is held, and not by this node. */
    public boolean isHeldElsewhere(NodeId here) {
        return held && !here.equals(node);
    }

    /** The same, and nobody has it. */
    public Row released() {
        return new Row(node, sessionId, epoch, false, revision);
    }

    /** For the store; about 35 bytes. */
    public byte[] encode() {
        if (node == null) {
            throw new IllegalStateException("nobody held it");
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 + 2 * Long.BYTES + node.length())
                .put(VERSION)
                .put((byte) (held ? 1 : 0))
                .putLong(epoch)
                .putLong(sessionId);
        node.write(bytes);
        return bytes.array();
    }

    /** From the store; what cannot be read counts as no row, and is written over. */
    public static Row decode(byte[] from, long revision) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(from);
            byte version = bytes.get();
            boolean held = bytes.get() == 1;
            long epoch = bytes.getLong();
            long session = bytes.getLong();
            NodeId node = NodeId.read(bytes);
            boolean sound = version == VERSION && epoch > 0 && epoch <= GREATEST_EPOCH;
            return sound ? new Row(node, session, epoch, held, revision) : none(revision);
        } catch (BufferUnderflowException | IllegalArgumentException damaged) {
            return none(revision);
        }
    }
}
