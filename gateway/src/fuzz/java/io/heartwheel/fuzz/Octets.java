package io.heartwheel.fuzz;

import java.util.Arrays;

/** An input, taken from its front: first what decides how it is delivered, then what is delivered. Past its end there are only zeros. */
public final class Octets {
    private final byte[] bytes;
    private int at;

    public Octets(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The next byte, 0..255. */
    public int next() {
        return at < bytes.length ? bytes[at++] & 0xFF : 0;
    }

    /** Whether anything is left. */
    public boolean hasMore() {
        return at < bytes.length;
    }

    /** As many of the next bytes as there are, at most so many. */
    public byte[] take(int most) {
        int from = at;
        at = Math.min(bytes.length, at + most);
        return Arrays.copyOfRange(bytes, from, at);
    }

    /** All that is left. */
    public byte[] rest() {
        return take(bytes.length);
    }
}
