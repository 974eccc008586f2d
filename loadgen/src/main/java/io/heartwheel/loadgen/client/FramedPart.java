package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Checksum;
import io.heartwheel.loadgen.wire.Numbers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * One part of a {@link FrameTemplate}: bytes as they are, or a field. Writes itself into a message that is sent, compares
 * itself with one that came, or takes over what stands there. Immutable.
 */
abstract class FramedPart {

    /** Answer of {@link #match}: this is another message. */
    static final int OTHER = -1;
    /** Size of a part whose length is known only when it stands there. */
    static final int VARIABLE = -1;

    /** Bytes it takes up, or {@link #VARIABLE}. */
    abstract int size();

    /** Appends itself. */
    abstract void write(ByteBuf out, FramedValues values);

    /**
     * Compares itself with what stands here.
     *
     * @param until where it ends if it has no size of its own
     * @return where the next part begins, or {@link #OTHER}
     */
    abstract int match(ByteBuf in, int at, int until, FramedValues values);

    /** What is only a place in the message: nothing is written. */
    abstract static class Mark extends FramedPart {

        @Override
        int size() {
            return 0;
        }
    }

    /** Where the body begins, or ends. */
    static final class Body extends Mark {

        private final boolean begins;

        Body(boolean begins) {
            this.begins = begins;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            mark(out.writerIndex(), values);
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            mark(at, values);
            return at;
        }

        private void mark(int at, FramedValues values) {
            if (begins) {
                values.bodyFrom = at;
            } else {
                values.bodyUntil = at;
            }
        }
    }

    /** Bytes as they are. */
    static final class Literal extends FramedPart {

        final byte[] bytes;

        Literal(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        int size() {
            return bytes.length;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            out.writeBytes(bytes);
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            for (int i = 0; i < bytes.length; i++) {
                if (in.getByte(at + i) != bytes[i]) {
                    return OTHER;
                }
            }
            return at + bytes.length;
        }

        /** Where it stands first from here on; below 0: nowhere. */
        int find(ByteBuf in, int from, int until) {
            for (int at = from; at + bytes.length <= until; at++) {
                int same = 0;
                while (same < bytes.length && in.getByte(at + same) == bytes[same]) {
                    same++;
                }
                if (same == bytes.length) {
                    return at;
                }
            }
            return -1;
        }
    }

    /** A number of the device, of the message or of the moment. */
    static final class Numeral extends FramedPart {

        /** Which. */
        enum What {
            COUNTER,
            NUMBER,
            LENGTH,
            SECONDS,
            MILLIS,
            INTERVAL_S,
            INTERVAL_MS,
            CODE
        }

        private final What what;
        private final NumberForm form;
        private final FrameTemplate.@Nullable Span span;

        Numeral(What what, NumberForm form, FrameTemplate.@Nullable Span span) {
            this.what = what;
            this.form = form;
            this.span = span;
        }

        NumberForm form() {
            return form;
        }

        What what() {
            return what;
        }

        FrameTemplate.@Nullable Span span() {
            return span;
        }

        @Override
        int size() {
            return form.size();
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            if (what == What.LENGTH) {
                values.lengthAt = out.writerIndex();
                form.write(out, 0);
                return;
            }
            form.write(out, values.number(what));
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            long value = form.read(in, at, until);
            if (value < 0) {
                return OTHER;
            }
            switch (what) {
                case COUNTER -> {
                    values.counter = value;
                    values.modulus = form.modulus();
                }
                case LENGTH -> {
                    values.lengthAt = at;
                    values.length = value;
                }
                case CODE -> values.code = (int) Math.min(Integer.MAX_VALUE, value);
                case INTERVAL_S -> values.intervalMillis = value > Integer.MAX_VALUE ? Long.MAX_VALUE : 1_000 * value;
                case INTERVAL_MS -> values.intervalMillis = value;
                case NUMBER -> {
                    if (value != values.connection().index()) {
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

    /** The device's id. */
    static final class Id extends FramedPart {

        private final Form form;
        private final int bytes;

        /** How an id is written. */
        enum Form {
            /** As text; in a field of fixed length filled up with zero bytes. */
            TEXT,
            /** Two decimal digits a byte, filled up with zeros in front. */
            BCD,
            /** Two hexadecimal digits a byte. */
            HEX
        }

        /** @param bytes it takes up; 0: as many as it has characters */
        Id(Form form, int bytes) {
            this.form = form;
            this.bytes = bytes;
        }

        @Override
        int size() {
            return bytes == 0 ? VARIABLE : bytes;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            CharSequence id = values.id();
            if (form == Form.TEXT) {
                int from = out.writerIndex();
                ByteBufUtil.writeUtf8(out, id);
                out.writeZero(Math.max(0, bytes - (out.writerIndex() - from)));
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
        int match(ByteBuf in, int at, int until, FramedValues values) {
            ByteBuf own = values.scratch();
            write(own, values);
            int length = own.readableBytes();
            if (until - at < length) {
                return OTHER;
            }
            boolean same = ByteBufUtil.equals(own, own.readerIndex(), in, at, length);
            if (!same) {
                values.complaint = "a message for another device";
                return OTHER;
            }
            return at + length;
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
    static final class Clock extends FramedPart {

        static final int BYTES = 6;

        @Override
        int size() {
            return BYTES;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            out.writeBytes(values.clock());
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            return at + BYTES;
        }
    }

    /** What a message carries. */
    static final class Payload extends FramedPart {

        private final boolean hex;

        Payload(boolean hex) {
            this.hex = hex;
        }

        boolean isHex() {
            return hex;
        }

        @Override
        int size() {
            return VARIABLE;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            values.writePayload(out, hex);
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            values.payloadHex = hex;
            values.payloadAt = at;
            values.payloadUntil = until;
            return until;
        }
    }

    /** Bytes that do not matter. */
    static final class Any extends FramedPart {

        private final int bytes;

        /** @param bytes how many, or {@link #VARIABLE} */
        Any(int bytes) {
            this.bytes = bytes;
        }

        @Override
        int size() {
            return bytes;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            out.writeZero(bytes);
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            return bytes == VARIABLE ? until : at + bytes;
        }
    }

    /** What an answer told: taken over from it, used again in what is sent, and compared with in later answers. */
    static final class Capture extends FramedPart {

        /** Longer ones are a breach: what a server says must not fill our memory. */
        static final int MOST = 1_024;

        private final int slot;
        private final int bytes;
        private final boolean takes;

        boolean takes() {
            return takes;
        }

        /**
         * @param slot its place among those of the connection
         * @param bytes its length, or {@link #VARIABLE}
         * @param takes whether it is taken over here
         */
        Capture(int slot, int bytes, boolean takes) {
            this.slot = slot;
            this.bytes = bytes;
            this.takes = takes;
        }

        @Override
        int size() {
            return takes ? bytes : VARIABLE;
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            byte[] known = values.captured(slot);
            if (known != null) {
                out.writeBytes(known);
            }
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            if (!takes) {
                byte[] known = values.captured(slot);
                int length = known == null ? 0 : known.length;
                boolean same = until - at >= length;
                for (int i = 0; same && known != null && i < length; i++) {
                    same = in.getByte(at + i) == known[i];
                }
                return same ? at + length : OTHER;
            }
            int length = bytes == VARIABLE ? until - at : bytes;
            if (length > MOST) {
                values.complaint = "a value of " + length + " bytes: need at most " + MOST;
                return OTHER;
            }
            values.capture(slot, at, length);
            return at + length;
        }
    }

    /** A checksum of the bytes before it. */
    static final class Check extends FramedPart {

        private final Checksum sum;
        private final NumberForm form;
        private final int from;

        /** @param from the first byte that counts */
        Check(Checksum sum, NumberForm form, int from) {
            this.sum = sum;
            this.form = form;
            this.from = from;
        }

        @Override
        int size() {
            return form.size();
        }

        @Override
        void write(ByteBuf out, FramedValues values) {
            form.write(out, sum.of(out, values.begin + from, out.writerIndex()));
        }

        @Override
        int match(ByteBuf in, int at, int until, FramedValues values) {
            long seen = form.read(in, at, until);
            long due = at - values.begin < from ? -1 : sum.of(in, values.begin + from, at);
            if (seen != due) {
                values.complaint = "checksum " + Long.toHexString(seen) + ": need " + Long.toHexString(due);
                return OTHER;
            }
            return form.end(in, at, until);
        }
    }

    /** How a number is written. */
    record NumberForm(Kind kind, int width, boolean little) {

        /** Which way. */
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
            int at = out.writerIndex();
            if (kind == Kind.BINARY) {
                out.writeZero(width);
                Numbers.set(out, at, width, little, value);
                return;
            }
            set(out, at, value, true);
        }

        /** Overwrites one of fixed width, or appends. */
        private void set(ByteBuf out, int at, long value, boolean append) {
            int radix = kind == Kind.HEX ? 16 : 10;
            int bytes = width;
            for (long left = value; width == 0 && (bytes == 0 || left > 0); left /= radix) {
                bytes++;
            }
            if (append) {
                out.writeZero(bytes);
            }
            long left = value;
            for (int i = bytes - 1; i >= 0; i--) {
                int low = (int) (left % radix);
                left /= radix;
                int written = Character.toUpperCase(Character.forDigit(low, radix));
                if (kind == Kind.BCD) {
                    written = (int) (left % 10) << 4 | low;
                    left /= 10;
                }
                out.setByte(at + i, written);
            }
        }

        /** Overwrites what was written before; only for a fixed width. */
        void patch(ByteBuf out, int at, long value) {
            if (kind == Kind.BINARY) {
                Numbers.set(out, at, width, little, value);
            } else {
                set(out, at, value, false);
            }
        }

        /** The number that stands here; below 0: none. */
        long read(ByteBuf in, int at, int until) {
            if (kind == Kind.BINARY) {
                long value = Numbers.get(in, at, width, little);
                return value < 0 ? Long.MAX_VALUE : value;
            }
            int end = end(in, at, until);
            if (end == at || end - at > MOST_DIGITS || (width > 0 && end - at != width)) {
                return -1;
            }
            long value = 0;
            for (int i = at; i < end; i++) {
                int next = in.getUnsignedByte(i);
                if (kind == Kind.BCD) {
                    value = 100 * value + 10L * (next >>> 4) + (next & 15);
                } else {
                    value = (kind == Kind.HEX ? 16 : 10) * value + Character.digit(next, 16);
                }
            }
            return value < 0 ? -1 : value;
        }

        /** Where it ends. */
        int end(ByteBuf in, int at, int until) {
            int last = width == 0 ? until : Math.min(until, at + width);
            if (kind == Kind.BINARY || kind == Kind.BCD) {
                return at + width;
            }
            int end = at;
            while (end < last && Character.digit(in.getUnsignedByte(end), kind == Kind.HEX ? 16 : 10) >= 0) {
                end++;
            }
            return end;
        }
    }
}
