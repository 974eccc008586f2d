package io.heartwheel.cluster;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Row of a device id: who of the fleet holds it, or held it last. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | held 0/1 | epoch, 8 | session, 8 | incarnation, 8 | length, 1 | name of the node | more, the rest
 * </pre>
 *
 * A row is kept when its device leaves, so that the next epoch is larger wherever the device comes back, and whatever the clock there says.
 *
 * @param node who holds it, or held it last; null: nobody ever did
 * @param sessionId the connection, unique in that incarnation
 * @param epoch of that connection; 0: nobody ever held it
 * @param held whether it is held, as far as the row knows
 * @param revision what a write must expect; 0: there is no row
 * @param more what rows that are read otherwise have besides, nobody changes it; nothing in those of devices
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody where there is more
public record Row(@Nullable NodeId node, long sessionId, long epoch, boolean held, long revision, byte[] more) {
    private static final byte VERSION = 1;
    private static final byte[] NOTHING = {};

    /** No epoch comes near it within 100,000 years; who writes a later one has no clock but a fault. */
    private static final long GREATEST_EPOCH = Long.MAX_VALUE / 2;

    /** With nothing more. */
    public Row(@Nullable NodeId node, long sessionId, long epoch, boolean held, long revision) {
        this(node, sessionId, epoch, held, revision, NOTHING);
    }

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

    /** The same, where a write must expect this revision. */
    Row at(long other) {
        return new Row(node, sessionId, epoch, held, other, more);
    }

    /** For the store; about 35 bytes, and what there is more. */
    public byte[] encode() {
        if (node == null) {
            throw new IllegalStateException("nobody held it");
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 + 2 * Long.BYTES + node.length() + more.length)
                .put(VERSION)
                .put((byte) (held ? 1 : 0))
                .putLong(epoch)
                .putLong(sessionId);
        node.write(bytes);
        return bytes.put(more).array();
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
            byte[] more = bytes.hasRemaining() ? new byte[bytes.remaining()] : NOTHING;
            bytes.get(more);
            boolean sound = version == VERSION && epoch > 0 && epoch <= GREATEST_EPOCH;
            return sound ? new Row(node, session, epoch, held, revision, more) : none(revision);
        } catch (BufferUnderflowException | IllegalArgumentException damaged) {
            return none(revision);
        }
    }
}
