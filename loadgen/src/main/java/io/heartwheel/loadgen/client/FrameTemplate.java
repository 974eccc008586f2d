package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message of a described protocol: bytes and fields one after the other. Written for a message that is sent, compared with
 * one that came; compiled at start, so that a message costs no more than its bytes. Immutable; any thread.
 */
public final class FrameTemplate {

    private static final int NONE = -1;
    /** What is as long as it is, an id or what a server told, is hardly longer. */
    private static final int MOST_OF_A_PART = 64;

    private final String text;
    private final FramedPart[] parts;
    /** Bytes from each part on; {@link FramedPart#VARIABLE} when that is not known. */
    private final int[] tails;

    private final int length;
    private final int check;

    /** What a length counts, and what is added to it. */
    record Span(Of of, int plus) {

        /** Which bytes. */
        enum Of {
            /** Those of the body. */
            BODY,
            /** Those behind the length. */
            REST,
            /** All of the message. */
            FRAME
        }
    }

    /**
     * A template of these parts.
     *
     * @throws IllegalArgumentException when it could not be read back
     */
    FrameTemplate(String text, List<FramedPart> all) {
        this.text = text;
        this.parts = all.toArray(FramedPart[]::new);
        this.tails = new int[parts.length + 1];
        for (int i = parts.length - 1; i >= 0; i--) {
            boolean known = tails[i + 1] >= 0 && parts[i].size() >= 0;
            tails[i] = known ? tails[i + 1] + parts[i].size() : FramedPart.VARIABLE;
        }
        this.length = first(FramedPart.Numeral.class, FramedPart.Numeral.What.LENGTH);
        this.check = first(FramedPart.Check.class, null);
        if (check >= 0 && tails[check] < 0) {
            throw new IllegalArgumentException("what follows a checksum needs a fixed length");
        }
        if (length >= 0 && parts[length].size() < 0) {
            throw new IllegalArgumentException("{length} needs a fixed width, for example {length:text:4}");
        }
    }

    private int first(Class<?> type, FramedPart.Numeral.@Nullable What what) {
        for (int i = 0; i < parts.length; i++) {
            if (type.isInstance(parts[i])
                    && (what == null || (parts[i] instanceof FramedPart.Numeral number && number.what() == what))) {
                return i;
            }
        }
        return NONE;
    }

    /** Checks that a message that came can be told apart by it. */
    FrameTemplate readable() {
        for (int i = 0; i < parts.length; i++) {
            boolean open = parts[i].size() < 0 && !selfDelimiting(parts[i]);
            if (open && tails[i + 1] < 0 && literalBehind(i) == null) {
                throw new IllegalArgumentException(
                        "a part without length needs fixed bytes, or nothing more of unknown length, behind it");
            }
        }
        return this;
    }

    private static boolean selfDelimiting(FramedPart part) {
        return part instanceof FramedPart.Id
                || part instanceof FramedPart.Numeral
                || (part instanceof FramedPart.Capture capture && !capture.takes());
    }

    private FramedPart.@Nullable Literal literalBehind(int part) {
        int next = part + 1;
        while (next < parts.length && parts[next] instanceof FramedPart.Mark) {
            next++;
        }
        return next < parts.length && parts[next] instanceof FramedPart.Literal literal ? literal : null;
    }

    /** Whether it says which message it answers, or which it is. */
    boolean counts() {
        return first(FramedPart.Numeral.class, FramedPart.Numeral.What.COUNTER) >= 0;
    }

    /** Whether it has a place for what a message carries. */
    boolean carries() {
        return first(FramedPart.Payload.class, null) >= 0;
    }

    /** So many bytes it can carry in a message of so many: what its other parts and its length leave. */
    int room(int bytes) {
        long most = bytes;
        int others = 0;
        for (FramedPart part : parts) {
            others += part instanceof FramedPart.Payload ? 0 : part.size() < 0 ? MOST_OF_A_PART : part.size();
        }
        if (length >= 0
                && parts[length] instanceof FramedPart.Numeral number
                && number.form().modulus() > 0) {
            Span span = number.span();
            most = Math.min(most, number.form().modulus() - 1 - (span == null ? 0 : Math.abs(span.plus())));
        }
        return (int) Math.max(0, (most - others) / (carriesBinary() ? 1 : 2));
    }

    /** Whether it carries bytes as they are. */
    public boolean carriesBinary() {
        int at = first(FramedPart.Payload.class, null);
        return at >= 0 && parts[at] instanceof FramedPart.Payload payload && !payload.isHex();
    }

    /** What is wrong with this id for it; empty: nothing. */
    String mistake(CharSequence id) {
        for (FramedPart part : parts) {
            if (part instanceof FramedPart.Id field && !field.mistake(id).isEmpty()) {
                return field.mistake(id);
            }
        }
        return "";
    }

    // ---- sending

    /** Appends the message. */
    void write(ByteBuf out, FramedValues values) {
        values.begin = out.writerIndex();
        for (int i = 0; i < parts.length; i++) {
            if (i == check) {
                patchLength(out, values, tails[check]);
            }
            parts[i].write(out, values);
        }
        if (check == NONE) {
            patchLength(out, values, 0);
        }
    }

    private void patchLength(ByteBuf out, FramedValues values, int toCome) {
        if (length >= 0 && parts[length] instanceof FramedPart.Numeral number) {
            number.form().patch(out, values.lengthAt, due(number, values, out.writerIndex() + toCome));
        }
    }

    private static long due(FramedPart.Numeral number, FramedValues values, int end) {
        Span span = number.span();
        if (span == null) {
            return 0;
        }
        int bytes =
                switch (span.of()) {
                    case BODY -> values.bodyUntil - values.bodyFrom;
                    case REST -> end - values.lengthAt - number.size();
                    case FRAME -> end - values.begin;
                };
        return (long) bytes + span.plus();
    }

    // ---- receiving

    /** Whether the message that lies here is one; what stands in its fields is then in the values. */
    boolean matches(ByteBuf in, int from, int bytes, FramedValues values) {
        values.clear();
        values.begin = from;
        int end = from + bytes;
        int at = from;
        for (int i = 0; i < parts.length; i++) {
            int until = until(i, in, at, end);
            if (until < at) {
                return false;
            }
            at = parts[i].match(in, at, until, values);
            if (at == FramedPart.OTHER) {
                return false;
            }
        }
        return at == end && rightLength(end, values);
    }

    /** Where a part must end; below its beginning when there is no room for it. */
    private int until(int part, ByteBuf in, int at, int end) {
        int size = parts[part].size();
        if (size >= 0) {
            return end - at >= size ? at + size : FramedPart.OTHER;
        }
        if (tails[part + 1] >= 0) {
            return end - tails[part + 1];
        }
        FramedPart.Literal behind = selfDelimiting(parts[part]) ? null : literalBehind(part);
        return behind == null ? end : behind.find(in, at, end);
    }

    private boolean rightLength(int end, FramedValues values) {
        if (length >= 0 && parts[length] instanceof FramedPart.Numeral number) {
            long due = due(number, values, end);
            if (values.length != due) {
                values.complaint = "length " + values.length + ": need " + due;
                return false;
            }
        }
        return true;
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}
