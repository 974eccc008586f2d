package io.heartwheel.net;

import java.util.Arrays;

/**
 * A cursor over DER (X.690), as much of it as an answer of OCSP and the head of a public key need: definite lengths up to four bytes, tags of one. One
 * thread.
 */
public final class Der {
    private final byte[] bytes;
    private final int end;
    private int at;

    /** Before the first element of these bytes, which nobody changes. */
    public Der(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private Der(byte[] bytes, int at, int end) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
    }

    /** Whether the next element has this tag. */
    public boolean isNext(int tag) {
        return at < end && (bytes[at] & 0xff) == tag;
    }

    /**
     * Steps over the next element, which has this tag, and gives what is in it.
     *
     * @throws IllegalArgumentException if it is not so
     */
    public Der next(int tag) {
        if (!isNext(tag)) {
            throw new IllegalArgumentException("it is not the DER that it should be");
        }
        return step();
    }

    /** The same with its head. */
    public byte[] nextWhole(int tag) {
        int from = at;
        next(tag);
        return Arrays.copyOfRange(bytes, from, at);
    }

    /** Steps over the next element, whatever it is. */
    public Der step() {
        if (end - at < 2) {
            throw new IllegalArgumentException("it ends too soon");
        }
        int length = bytes[at + 1] & 0xff;
        int from = at + 2;
        if (length >= 0x80) {
            int digits = length & 0x7f;
            if (digits == 0 || digits > 4 || end - from < digits) {
                throw new IllegalArgumentException("it is not the DER that it should be");
            }
            length = 0;
            for (int i = 0; i < digits; i++) {
                length = length << 8 | (bytes[from + i] & 0xff);
            }
            from += digits;
        }
        if (length < 0 || length > end - from) {
            throw new IllegalArgumentException("it ends too soon");
        }
        at = from + length;
        return new Der(bytes, from, at);
    }

    /** What is left of it. */
    public byte[] content() {
        return Arrays.copyOfRange(bytes, at, end);
    }
}
