package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Rules for all JSON that leaves the gateway, in files and by HTTP.
 *
 * <ul>
 *   <li>A whole number beyond 2^53 - 1 is a string of its digits: most readers keep numbers as doubles and would round it to a neighbour.
 *   <li>U+0085, U+2028 and U+2029, which some readers take for the end of a line, are escaped.
 * </ul>
 *
 * <p>Any thread; whoever calls owns the generator.
 */
public final class JsonRules {
    /** The greatest whole number that stays a number. */
    public static final long MAX_NUMBER = (1L << 53) - 1;

    private static final int NEXT_LINE = 0x85;
    private static final int LINE_SEPARATOR = 0x2028;
    private static final int PARAGRAPH_SEPARATOR = 0x2029;

    private JsonRules() {}

    /** Makes generators that keep the rule about line ends for every {@code String}. */
    public static JsonFactory factory() {
        return new JsonFactoryBuilder()
                .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
                .characterEscapes(new LineEnds())
                .build();
    }

    /** A field with an id of 64 unsigned bits. */
    static void writeId(String name, long id, JsonGenerator json) throws IOException {
        if (isNumber(id)) {
            json.writeNumberField(name, id);
        } else {
            json.writeStringField(name, Long.toUnsignedString(id));
        }
    }

    /** Whether this id of 64 unsigned bits is written as a number. */
    public static boolean isNumber(long id) {
        return id >= 0 && id <= MAX_NUMBER;
    }

    /** A value of well-formed UTF-8. */
    static void writeText(byte[] utf8, JsonGenerator json) throws IOException {
        if (mayEndALine(utf8)) {
            json.writeString(new String(utf8, StandardCharsets.UTF_8));
        } else {
            json.writeUTF8String(utf8, 0, utf8.length);
        }
    }

    /** Whether {@code C2 85}, {@code E2 80 A8} or {@code E2 80 A9} is in it. */
    private static boolean mayEndALine(byte[] utf8) {
        for (int i = 1; i < utf8.length; i++) {
            byte octet = utf8[i];
            if (octet == (byte) 0x85 && utf8[i - 1] == (byte) 0xC2) {
                return true;
            }
            if ((octet == (byte) 0xA8 || octet == (byte) 0xA9)
                    && i >= 2
                    && utf8[i - 1] == (byte) 0x80
                    && utf8[i - 2] == (byte) 0xE2) {
                return true;
            }
        }
        return false;
    }

    private static final class LineEnds extends CharacterEscapes {
        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            return standardAsciiEscapesForJSON();
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            boolean endsALine =
                    character == NEXT_LINE || character == LINE_SEPARATOR || character == PARAGRAPH_SEPARATOR;
            return endsALine ? new SerializedString("\\u" + HexFormat.of().toHexDigits((char) character)) : null;
        }
    }
}
