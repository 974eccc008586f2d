package io.heartwheel.cluster;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Row of one start of a gateway: a {@link Row} read otherwise, under a key that no device can have.
 *
 * <pre>
 *   held by the node itself       it lives, as far as anybody has said
 *   released by the node itself   it has ended in order; in the session, whether it left nothing
 *   held by another node          that one looks after what it left: whether it is lost or has ended, and whether it was told, is in the session
 *   released by another node      what it left is given back
 *
 *   epoch     one more with each write
 *   session   0 | 1 lost | 2 + 4 x revision of the row that said lost: lost and told | 3 ended in order
 *   more      lost and told, rows in several buckets: the latest revision of each other bucket then
 * </pre>
 *
 * <p>Pure functions; any thread.
 */
public final class NodeRow {
    /** Begins no UTF-8. */
    private static final byte MARK = (byte) 0xFF;

    private static final int LIVES = 0;
    private static final int LOST = 1;
    private static final int TOLD = 2;
    private static final int ENDED = 3;
    private static final int PHASES = 4;
    private static final byte[] NOTHING = {};

    private NodeRow() {}

    /** Its key: 0xFF, name, dot, incarnation. */
    public static byte[] key(NodeId node) {
        return key(node.name() + "." + Long.toUnsignedString(node.incarnation()));
    }

    /** Whether a key is one of a node. */
    public static boolean isKey(byte[] key) {
        return key.length > 0 && key[0] == MARK;
    }

    /** Name, dot and incarnation of a key. */
    public static String text(byte[] key) {
        return new String(key, 1, key.length - 1, StandardCharsets.US_ASCII);
    }

    /** The key of this text. */
    public static byte[] key(String text) {
        byte[] key = (" " + text).getBytes(StandardCharsets.US_ASCII);
        key[0] = MARK;
        return key;
    }

    /** @throws IllegalArgumentException if it is none */
    public static NodeId node(byte[] key) {
        String text = text(key);
        int dot = text.lastIndexOf('.');
        return new NodeId(text.substring(0, Math.max(0, dot)), Long.parseUnsignedLong(text.substring(dot + 1)));
    }

    /** Whether the node says that it lives, and nobody else has said anything since. */
    public static boolean lives(Row row, NodeId node) {
        return row.isHeldBy(node, LIVES);
    }

    /** Whether nothing is left to do. */
    public static boolean isDone(Row row, NodeId node) {
        return row.node() != null && !row.held() && (!node.equals(row.node()) || phase(row) == ENDED);
    }

    /** Whether it ended in order, also if another looks after what it left. */
    public static boolean hasEnded(Row row, NodeId node) {
        return node.equals(row.node()) ? !row.held() : phase(row) == ENDED;
    }

    /** Whether that it is lost has been told, as far as is needed. */
    public static boolean isTold(Row row) {
        return phase(row) == TOLD || phase(row) == ENDED;
    }

    /** The moment behind which only those who looked after it have released its rows; null: nobody has. */
    public static @Nullable Moment lostAt(Row row) {
        return phase(row) == TOLD ? Moment.of(row.sessionId() / PHASES, row.more()) : null;
    }

    private static int phase(Row row) {
        return (int) (row.sessionId() % PHASES);
    }

    /** It lives. */
    public static Row living(Row before, NodeId node) {
        return Row.held(node, LIVES, before.epoch() + 1);
    }

    /**
     * It has ended in order.
     *
     * @param leavesNothing whether it has given all ids back: then nobody has to look
     */
    public static Row ended(Row before, NodeId node, boolean leavesNothing) {
        return Row.held(node, leavesNothing ? ENDED : LIVES, before.epoch() + 1).released();
    }

    /** That one looks after what the node left, and goes on where one before has stopped. */
    public static Row taken(Row before, NodeId node, NodeId by) {
        boolean taken = before.node() != null && !node.equals(before.node());
        long session = taken ? before.sessionId() : hasEnded(before, node) ? ENDED : LOST;
        return new Row(by, session, before.epoch() + 1, true, 0, taken ? before.more() : NOTHING);
    }

    /**
     * It was told that the node is lost.
     *
     * @param lostAt when {@code before} was the latest
     */
    public static Row told(Row before, NodeId by, Moment lostAt) {
        return new Row(by, before.revision() * PHASES + TOLD, before.epoch() + 1, true, 0, lostAt.others());
    }

    /** Nothing is left to do. */
    public static Row done(Row before, NodeId by) {
        return Row.held(by, before.sessionId(), before.epoch() + 1).released();
    }
}
