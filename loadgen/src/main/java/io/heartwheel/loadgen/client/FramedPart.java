package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Bytes;
import io.heartwheel.loadgen.wire.Checksum;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * One part of a {@link FrameTemplate}: bytes as they are, or a field. Writes itself into a message that is sent, compares
 * itself with one that came, or takes over what stands there. Immutable.
 */
sealed interface FramedPart {

    /** Answer of {@link #match}: this is another message. */
    int OTHER = -1;
    /** Size of a part whose length is known only when it stands there. */
    int VARIABLE = -1;

    /** Bytes it takes up, or {@link #VARIABLE}. */
    default int size() {
        return VARIABLE;
    }

    /** Appends itself. */
    void write(ByteBuf out, FramedValues values);

    /**
     * Compares itself with what stands here.
     *
     * @param until where it ends if it has no size of its own
     * @return where the next part begins, or {@link #OTHER}
     */
    int match(ByteBuf in, int at, int until, FramedValues values);

    /** Whether it tells where it ends, though it has no size. */
    default boolean delimitsItself() {
        return false;
    }

    /**
     * Begin or end of the body: only a place, of which nothing is written.
     *
     * @param begins whether it begins here
     */
    record Body(boolean begins) implements FramedPart {

        @Override
        public int size() {
            return 0;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            match(out, out.writerIndex(), 0, values);
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            if (begins) {
                values.bodyFrom = at;
            } else {
                values.bodyUntil = at;
            }
            return at;
        }
    }

    /** Bytes as they are. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares templates
    record Literal(byte[] bytes) implements FramedPart {

        @Override
        public int size() {
            return bytes.length;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            out.writeBytes(bytes);
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            return Bytes.areAt(in, at, until, bytes) ? at + bytes.length : OTHER;
        }
    }

    /** What is written as a number. */
    sealed interface Numbered extends FramedPart {

        NumberForm form();

        @Override
        default int size() {
            return form().size();
        }
    }

    /** A number of the device, of the message or of the moment. */
    record Numeral(What what, NumberForm form) implements Numbered {

        /** Kind of the value. */
        enum What {
            COUNTER,
            NUMBER,
            SECONDS,
            MILLIS,
            INTERVAL_S,
            INTERVAL_MS,
            CODE
        }

        @Override
        public boolean delimitsItself() {
            return true;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            form.write(out, values.number(what));
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            long value = form.read(in, at, until);
            if (value < 0) {
                return OTHER;
            }
            switch (what) {
                case COUNTER -> {
                    values.counter = value;
                    values.modulus = form.modulus();
                }
                case CODE -> values.code = (int) Math.min(Integer.MAX_VALUE, value);
                case INTERVAL_S -> values.intervalMillis = value > Integer.MAX_VALUE ? Long.MAX_VALUE : 1_000 * value;
                case INTERVAL_MS -> values.intervalMillis = value;
                case NUMBER -> {
                    if (value != values.device && !values.ofAnyDevice) {
                        return OTHER;
                    }
                }
                default -> {
                    // the server's own clock
                }
            }
            return form.end(in, at, until);
        }
    }

    /**
     * The length of a part of the message.
     *
     * @param of which bytes it counts
     * @param plus what is added to their number
     */
    record Length(NumberForm form, Of of, int plus) implements Numbered {

        /** Part of the message whose bytes are counted. */
        enum Of {
            /** Those of the body. */
            BODY,
            /** Those behind the length. */
            REST,
            /** All of the message. */
            FRAME
        }

        /** Leaves room for it: {@link #patch} fills it in. */
        @Override
        public void write(ByteBuf out, FramedValues values) {
            values.lengthAt = out.writerIndex();
            form.write(out, 0);
        }

        /** Fills it in, with so many bytes still to be written. */
        void patch(ByteBuf out, FramedValues values, int toCome) {
            form.set(out, values.lengthAt, form.width(), due(values, out.writerIndex() + toCome));
        }

        /** What it has to be in a message that ends here. */
        long due(FramedValues values, int end) {
            int bytes =
                    switch (of) {
                        case BODY -> values.bodyUntil - values.bodyFrom;
                        case REST -> end - values.lengthAt - size();
                        case FRAME -> end - values.begin;
                    };
            return (long) bytes + plus;
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            values.lengthAt = at;
            values.length = form.read(in, at, until);
            return values.length < 0 ? OTHER : form.end(in, at, until);
        }
    }

    /**
     * The device's id.
     *
     * @param bytes it takes up; 0: as many as it has characters
     */
    record Id(Form form, int bytes) implements FramedPart {

        /** Written form of an id. */
        enum Form {
            /** As text; in a field of fixed length filled up with zero bytes. */
            TEXT,
            /** Two decimal digits a byte, filled up with zeros in front. */
            BCD,
            /** Two hexadecimal digits a byte. */
            HEX
        }

        @Override
        public int size() {
            return bytes == 0 ? VARIABLE : bytes;
        }

        @Override
        public boolean delimitsItself() {
            return true;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            CharSequence id = values.id();
            if (form == Form.TEXT) {
                int written = ByteBufUtil.writeUtf8(out, id);
                out.writeZero(Math.max(0, bytes - written));
                return;
            }
            for (int i = 0; i < bytes; i++) {
                int low = id.length() - 2 * (bytes - i) + 1;
                out.writeByte(digit(id, low - 1) << 4 | digit(id, low));
            }
        }

        private static int digit(CharSequence digits, int at) {
            return at < 0 ? 0 : Character.digit(digits.charAt(at), 16);
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            if (values.ofAnyDevice) {
                return bytes > 0 ? at + bytes : endOfWord(in, at, until);
            }
            ByteBuf own = values.scratch();
            write(own, values);
            int length = own.readableBytes();
            if (until - at < length) {
                return OTHER;
            }
            if (!ByteBufUtil.equals(own, own.readerIndex(), in, at, length)) {
                values.complaint = "a message for another device";
                return OTHER;
            }
            return at + length;
        }

        private static int endOfWord(ByteBuf in, int from, int until) {
            int at = from;
            while (at < until && (Character.isLetterOrDigit(in.getByte(at)) || "-_.:".indexOf(in.getByte(at)) >= 0)) {
                at++;
            }
            return at;
        }

        /** What is wrong with this id for such a field; empty: nothing. */
        String mistake(CharSequence id) {
            int radix = form == Form.BCD ? 10 : 16;
            for (int i = 0; form != Form.TEXT && i < id.length(); i++) {
                if (Character.digit(id.charAt(i), radix) < 0) {
                    return "id = " + id + ": need digits alone for {id:" + (form == Form.BCD ? "bcd" : "hex") + "}";
                }
            }
            int most = form == Form.TEXT ? bytes : 2 * bytes;
            int length = form == Form.TEXT ? ByteBufUtil.utf8Bytes(id) : id.length();
            return bytes > 0 && length > most
                    ? "id = " + id + ": need at most " + most + (form == Form.TEXT ? " bytes" : " digits")
                    : "";
        }
    }

    /** The time of day of the generator, in twelve digits: YYMMDDhhmmss. */
    record Clock() implements FramedPart {

        static final int BYTES = 6;

        @Override
        public int size() {
            return BYTES;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            out.writeBytes(values.clock());
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            return at + BYTES;
        }
    }

    /** Content of a message. */
    record Payload(boolean hex) implements FramedPart {

        @Override
        public void write(ByteBuf out, FramedValues values) {
            values.writePayload(out, hex);
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            values.payloadHex = hex;
            values.payloadAt = at;
            values.payloadUntil = until;
            return until;
        }
    }

    /**
     * Bytes that do not matter.
     *
     * @param size how many, or {@link #VARIABLE}
     */
    record Any(int size) implements FramedPart {

        @Override
        public void write(ByteBuf out, FramedValues values) {
            out.writeZero(size);
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            return until;
        }
    }

    /**
     * Value from an answer: taken from it, used in later messages, and compared with in later answers.
     *
     * @param slot its place among those of the connection
     * @param size its length when it is taken over, or {@link #VARIABLE}
     * @param takes whether it is taken over here
     */
    record Capture(int slot, int size, boolean takes) implements FramedPart {

        /** Longer ones are a breach: what a server says must not fill our memory. */
        static final int MOST = 1_024;

        @Override
        public boolean delimitsItself() {
            return !takes;
        }

        @Override
        public void write(ByteBuf out, FramedValues values) {
            out.writeBytes(values.captured(slot));
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            if (!takes) {
                byte[] known = values.captured(slot);
                return Bytes.areAt(in, at, until, known) ? at + known.length : OTHER;
            }
            if (until - at > MOST) {
                values.complaint = "a value of " + (until - at) + " bytes: need at most " + MOST;
                return OTHER;
            }
            values.capture(slot, at, until - at);
            return until;
        }
    }

    /**
     * A checksum of the bytes before it.
     *
     * @param from the first byte that counts
     */
    record Check(Checksum sum, NumberForm form, int from) implements Numbered {

        @Override
        public void write(ByteBuf out, FramedValues values) {
            form.write(out, sum.of(out, values.begin + from, out.writerIndex()));
        }

        @Override
        public int match(ByteBuf in, int at, int until, FramedValues values) {
            long seen = form.read(in, at, until);
            long due = at - values.begin < from ? -1 : sum.of(in, values.begin + from, at);
            if (seen != due) {
                values.complaint = "checksum " + Long.toHexString(seen) + ": need " + Long.toHexString(due);
                return OTHER;
            }
            return form.end(in, at, until);
        }
    }

    /** Written form of a number. */
    record NumberForm(Kind kind, int width, boolean little) {

        /** Kind of the written form. */
        enum Kind {
            BINARY,
            TEXT,
            HEX,
            BCD
        }

        private static final int MOST_DIGITS = 18;

        int size() {
            return width == 0 ? VARIABLE : width;
        }

        private int radix() {
            return kind == Kind.HEX ? 16 : 10;
        }

        /** What it has room for; 0: everything. */
        long modulus() {
            return switch (kind) {
                case BINARY -> width >= 8 ? 0 : 1L << (8 * width);
                case HEX -> width == 0 || width >= 16 ? 0 : 1L << (4 * width);
                case TEXT -> width == 0 || width > MOST_DIGITS ? 0 : power(width);
                case BCD -> 2 * width > MOST_DIGITS ? 0 : power(2 * width);
            };
        }

        private static long power(int digits) {
            long power = 1;
            for (int i = 0; i < digits; i++) {
                power *= 10;
            }
            return power;
        }

        void write(ByteBuf out, long value) {
            int bytes = width;
            for (long left = value; width == 0 && (bytes == 0 || left > 0); left /= radix()) {
                bytes++;
            }
            out.writeZero(bytes);
            set(out, out.writerIndex() - bytes, bytes, value);
        }

        /** Overwrites so many bytes with it. */
        void set(ByteBuf out, int at, int bytes, long value) {
            if (kind == Kind.BINARY) {
                Bytes.set(out, at, bytes, little, value);
                return;
            }
            long left = value;
            for (int i = bytes - 1; i >= 0; i--) {
                int low = (int) (left % radix());
                left /= radix();
                int written = Character.toUpperCase(Character.forDigit(low, radix()));
                if (kind == Kind.BCD) {
                    written = (int) (left % 10) << 4 | low;
                    left /= 10;
                }
                out.setByte(at + i, written);
            }
        }

        /** The number that stands here; below 0: none. */
        long read(ByteBuf in, int at, int until) {
            if (kind == Kind.BINARY) {
                long value = Bytes.get(in, at, width, little);
                return value < 0 ? Long.MAX_VALUE : value;
            }
            int end = end(in, at, until);
            if (end == at || end - at > MOST_DIGITS || (width > 0 && end - at != width)) {
                return -1;
            }
            long value = 0;
            for (int i = at; i < end; i++) {
                int next = in.getUnsignedByte(i);
                value = kind == Kind.BCD
                        ? 100 * value + 10L * (next >>> 4) + (next & 15)
                        : radix() * value + Character.digit(next, 16);
            }
            return value < 0 ? -1 : value;
        }

        /** Where it ends. */
        int end(ByteBuf in, int at, int until) {
            if (kind == Kind.BINARY || kind == Kind.BCD) {
                return at + width;
            }
            int last = width == 0 ? until : Math.min(until, at + width);
            int end = at;
            while (end < last && Character.digit(in.getUnsignedByte(end), radix()) >= 0) {
                end++;
            }
            return end;
        }
    }
}
