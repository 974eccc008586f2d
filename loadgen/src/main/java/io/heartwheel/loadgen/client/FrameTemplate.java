package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.Bytes;
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

    private final FramedPart.@Nullable Length length;
    private final FramedPart.@Nullable Payload payload;
    private final int check;
    private final boolean counts;

    /**
     * A template of these parts.
     *
     * @throws IllegalArgumentException when it could not be read back
     */
    FrameTemplate(String text, List<FramedPart> all) {
        this.text = text;
        this.parts = all.toArray(FramedPart[]::new);
        this.tails = new int[parts.length + 1];
        FramedPart.Length firstLength = null;
        FramedPart.Payload firstPayload = null;
        int firstCheck = NONE;
        boolean counter = false;
        for (int i = parts.length - 1; i >= 0; i--) {
            boolean known = tails[i + 1] >= 0 && parts[i].size() >= 0;
            tails[i] = known ? tails[i + 1] + parts[i].size() : FramedPart.VARIABLE;
            firstLength = parts[i] instanceof FramedPart.Length found ? found : firstLength;
            firstPayload = parts[i] instanceof FramedPart.Payload found ? found : firstPayload;
            firstCheck = parts[i] instanceof FramedPart.Check ? i : firstCheck;
            counter |=
                    parts[i] instanceof FramedPart.Numeral number && number.what() == FramedPart.Numeral.What.COUNTER;
        }
        this.length = firstLength;
        this.payload = firstPayload;
        this.check = firstCheck;
        this.counts = counter;
        if (check >= 0 && tails[check] < 0) {
            throw new IllegalArgumentException("what follows a checksum needs a fixed length");
        }
        if (length != null && length.size() < 0) {
            throw new IllegalArgumentException("{length} needs a fixed width, for example {length:text:4}");
        }
    }

    /** Checks that a message that came can be told apart by it. */
    FrameTemplate readable() {
        for (int i = 0; i < parts.length; i++) {
            boolean open = parts[i].size() < 0 && !parts[i].delimitsItself();
            if (open && tails[i + 1] < 0 && literalBehind(i) == null) {
                throw new IllegalArgumentException(
                        "a part without length needs fixed bytes, or nothing more of unknown length, behind it");
            }
        }
        return this;
    }

    private FramedPart.@Nullable Literal literalBehind(int part) {
        int next = part + 1;
        while (next < parts.length && parts[next] instanceof FramedPart.Body) {
            next++;
        }
        return next < parts.length && parts[next] instanceof FramedPart.Literal literal ? literal : null;
    }

    /** Whether it says which message it answers, or which it is. */
    boolean counts() {
        return counts;
    }

    /** So many bytes it can carry in a message of so many: what its other parts and its length leave. */
    int room(int bytes) {
        long most = bytes;
        int others = 0;
        for (FramedPart part : parts) {
            others += part instanceof FramedPart.Payload ? 0 : part.size() < 0 ? MOST_OF_A_PART : part.size();
        }
        if (length != null && length.form().modulus() > 0) {
            most = Math.min(most, length.form().modulus() - 1 - Math.abs(length.plus()));
        }
        return (int) Math.max(0, (most - others) / (carriesBinary() ? 1 : 2));
    }

    /** Whether it carries bytes as they are. */
    public boolean carriesBinary() {
        return payload != null && !payload.hex();
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

    /** Appends the message. */
    void write(ByteBuf out, FramedValues values) {
        values.begin = out.writerIndex();
        for (int i = 0; i < parts.length; i++) {
            if (i == check && length != null) {
                length.patch(out, values, tails[check]);
            }
            parts[i].write(out, values);
        }
        if (check == NONE && length != null) {
            length.patch(out, values, 0);
        }
    }

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
        if (at == end && length != null && values.length != length.due(values, end)) {
            values.complaint = "length " + values.length + ": need " + length.due(values, end);
            return false;
        }
        return at == end;
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
        FramedPart.Literal behind = parts[part].delimitsItself() ? null : literalBehind(part);
        return behind == null ? end : Bytes.find(in, at, end, behind.bytes());
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }
}
