package io.heartwheel.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * A gateway of the fleet, from one start to its end; in order of name and incarnation. Immutable; any thread.
 *
 * @param name the operator's, unique in the fleet
 * @param incarnation larger with each start: the clock at the start, microseconds since 1970
 */
public record NodeId(String name, long incarnation) implements Comparable<NodeId> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,32}");

    /** @throws IllegalArgumentException if no gateway can be called so */
    public NodeId {
        if (!isName(name)) {
            throw new IllegalArgumentException("node = " + name + ": need 1..32 characters of [A-Za-z0-9_-]");
        }
    }

    /** Whether a gateway can be called so. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    @Override
    public int compareTo(NodeId other) {
        int names = name.compareTo(other.name);
        return names != 0 ? names : Long.compare(incarnation, other.incarnation);
    }

    /** Bytes of {@link #write}. */
    int length() {
        return Long.BYTES + 1 + name.length();
    }

    void write(ByteBuffer to) {
        to.putLong(incarnation).put((byte) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
    }

    /** @throws RuntimeException if there is none */
    static NodeId read(ByteBuffer from) {
        long incarnation = from.getLong();
        byte[] name = new byte[Byte.toUnsignedInt(from.get())];
        from.get(name);
        return new NodeId(new String(name, StandardCharsets.US_ASCII), incarnation);
    }
}
