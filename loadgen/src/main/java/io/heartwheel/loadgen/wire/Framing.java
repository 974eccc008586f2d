package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Framing of messages on a byte stream: cuts what comes in, completes what goes out. Remembers nothing but where the
 * message it found last lies: owned by one event loop.
 *
 * <pre>
 *   length      | offset | length | ... | : offset + bytes + value + adjust bytes in all
 *   delimiter   | 7e | ... escaped ... | 7e |
 *   lines       | ... | \n |
 *   fixed       | ... N bytes ... |
 * </pre>
 */
public abstract sealed class Framing {

    /** Reason code of a breach, of those that the device tells nobody. */
    private static final int BROKEN = CloseCodes.MALFORMED;

    private final int most;
    private int at;
    private int length;

    /**
     * A framing.
     *
     * @param most bytes of a message on the wire
     */
    Framing(int most) {
        this.most = most;
    }

    /**
     * Finds the next message and moves behind it.
     *
     * @return false when more bytes are needed
     * @throws WireException when it is too long or cannot be one
     */
    public final boolean next(ByteBuf in) {
        if (!cut(in)) {
            if (in.readableBytes() > most) {
                throw new WireException(BROKEN, "a message of over " + most + " bytes");
            }
            return false;
        }
        return true;
    }

    /** Where the message found last begins. */
    public final int at() {
        return at;
    }

    /** Its length. */
    public final int length() {
        return length;
    }

    final void found(int begin, int bytes) {
        at = begin;
        length = bytes;
    }

    final int most() {
        return most;
    }

    static WireException broken(String message) {
        return new WireException(BROKEN, message);
    }

    abstract boolean cut(ByteBuf in);

    /** Writes what comes before a message. */
    public void begin(ByteBuf out) {}

    /** Completes a message that was written from here on. */
    public void end(ByteBuf out, int from) {}

    /** Whether a message may hold any byte. */
    public boolean carriesBinary() {
        return true;
    }

    /** Turns a whole message into one that is not: what a device sends that never finishes it. */
    public abstract void cutShort(ByteBuf out, int from);

    /** Bytes of the longest message that surely fits, however many of them have to be escaped. */
    public int room() {
        return most;
    }

    /** How many more bytes may follow what was cut short without finishing it. */
    public int mayFollow() {
        return most / 2;
    }

    // ---- length

    /** Each message tells its length. */
    public static final class Length extends Framing {

        private final int offset;
        private final int bytes;
        private final boolean little;
        private final int adjust;

        /**
         * A framing by length.
         *
         * @param offset where the length lies
         * @param bytes of the length: 1 to 4
         * @param adjust added to it for the bytes that follow it
         */
        public Length(int offset, int bytes, boolean little, int adjust, int most) {
            super(most);
            this.offset = offset;
            this.bytes = bytes;
            this.little = little;
            this.adjust = adjust;
        }

        @Override
        boolean cut(ByteBuf in) {
            int begin = in.readerIndex();
            if (in.readableBytes() < offset + bytes) {
                return false;
            }
            long all = offset + bytes + Bytes.get(in, begin + offset, bytes, little) + adjust;
            if (all < offset + bytes || all > most()) {
                throw broken("a message of " + all + " bytes by its length: need " + (offset + bytes) + ".." + most());
            }
            if (in.readableBytes() < all) {
                return false;
            }
            found(begin, (int) all);
            in.skipBytes((int) all);
            return true;
        }

        /** Its header remains, and says that much is to come. */
        @Override
        public void cutShort(ByteBuf out, int from) {
            long value = Math.min(mayFollow() + 1L, (1L << (8 * bytes)) - 1);
            Bytes.set(out, from + offset, bytes, little, value);
            out.writerIndex(from + offset + bytes);
        }

        @Override
        public int mayFollow() {
            return (int) Math.min(most() / 2, (1L << (8 * bytes)) - 1 - Math.abs(adjust) - 2);
        }
    }

    // ---- delimiter

    /** Certain bytes stand between messages; a single one may be escaped where it is part of a message. */
    public static sealed class Delimiter extends Framing {

        static final int NONE = -1;

        private final byte[] delimiter;
        private final boolean both;
        /** The first byte of all escapes, or {@link #NONE}. */
        private final int lead;
        /** By the byte it stands for: what follows the lead, or {@link #NONE}. */
        private final int[] escaped = new int[256];
        /** By what follows the lead: the byte it stands for, or {@link #NONE}. */
        private final int[] plain = new int[256];

        /**
         * A framing by delimiter.
         *
         * @param both whether it stands before messages too
         * @param lead first byte of all escapes; below 0: nothing is escaped
         * @param pairs each byte to be escaped, and what follows the lead for it
         */
        public Delimiter(byte[] delimiter, boolean both, int lead, int[][] pairs, int most) {
            super(most);
            this.delimiter = delimiter.clone();
            this.both = both;
            this.lead = lead;
            Arrays.fill(escaped, NONE);
            Arrays.fill(plain, NONE);
            for (int[] pair : pairs) {
                escaped[pair[0]] = pair[1];
                plain[pair[1]] = pair[0];
            }
        }

        @Override
        boolean cut(ByteBuf in) {
            while (both && Bytes.areAt(in, in.readerIndex(), in.writerIndex(), delimiter)) {
                in.skipBytes(delimiter.length);
            }
            int begin = in.readerIndex();
            int last = Math.min(in.writerIndex(), begin + most() + delimiter.length);
            int behind = Bytes.find(in, begin, last, delimiter);
            if (behind < 0) {
                return false;
            }
            in.readerIndex(behind + delimiter.length);
            found(begin, unescape(in, begin, behind));
            return true;
        }

        /** In its place: what is unescaped is never longer. */
        private int unescape(ByteBuf in, int begin, int behind) {
            if (lead == NONE) {
                return behind - begin;
            }
            int to = begin;
            for (int from = begin; from < behind; from++) {
                int next = in.getUnsignedByte(from);
                if (next == lead) {
                    from++;
                    int meant = from < behind ? plain[in.getUnsignedByte(from)] : NONE;
                    if (meant == NONE) {
                        throw broken("an escape that stands for nothing");
                    }
                    next = meant;
                }
                in.setByte(to++, next);
            }
            return to - begin;
        }

        @Override
        public void begin(ByteBuf out) {
            if (both) {
                out.writeBytes(delimiter);
            }
        }

        @Override
        public void end(ByteBuf out, int from) {
            int until = out.writerIndex();
            int more = 0;
            for (int at = from; at < until; at++) {
                more += escaped[out.getUnsignedByte(at)] == NONE ? 0 : 1;
            }
            out.ensureWritable(more + delimiter.length);
            int to = until + more;
            out.writerIndex(to);
            for (int at = until - 1; more > 0; at--) {
                int next = out.getUnsignedByte(at);
                if (escaped[next] == NONE) {
                    out.setByte(--to, next);
                } else {
                    out.setByte(--to, escaped[next]);
                    out.setByte(--to, lead);
                    more--;
                }
            }
            out.writeBytes(delimiter);
        }

        @Override
        public boolean carriesBinary() {
            return lead >= 0;
        }

        @Override
        public int room() {
            return (most() - 2 * delimiter.length) / (lead >= 0 ? 2 : 1);
        }

        @Override
        public void cutShort(ByteBuf out, int from) {
            out.writerIndex(out.writerIndex() - delimiter.length);
        }
    }

    // ---- lines

    /** A message a line. */
    public static final class Lines extends Delimiter {

        private final boolean carriageReturn;

        /** Lines that end with LF, or with CR and LF; both are understood. */
        public Lines(boolean carriageReturn, int most) {
            super(new byte[] {'\n'}, false, NONE, new int[0][], most);
            this.carriageReturn = carriageReturn;
        }

        @Override
        boolean cut(ByteBuf in) {
            boolean whole = super.cut(in);
            if (whole && length() > 0 && in.getByte(at() + length() - 1) == '\r') {
                found(at(), length() - 1);
            }
            return whole;
        }

        @Override
        public void end(ByteBuf out, int from) {
            if (carriageReturn) {
                out.writeByte('\r');
            }
            super.end(out, from);
        }
    }

    // ---- fixed
}
