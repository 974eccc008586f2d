package io.heartwheel.protocol.websocket;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * JSON message of a device: one object, each name once, no deeper than {@value #DEEPEST}, nothing behind it. Members that are not known are skipped, known ones
 * have one form each, whatever the type. Faults quote nothing of the message. One thread.
 */
final class JsonMessage {
    private static final int DEEPEST = 16;
    private static final int LONGEST_NAME = 128;
    private static final int LONGEST_NUMBER = 64;
    /** Names, values and brackets: the names are remembered to find those that stand twice, and take some ten times their bytes. */
    private static final int MOST_TOKENS = 1_024;

    private static final int MOST_DIGITS = 20;
    private static final int MOST_STATUS = 255;
    /** The greatest up to which every integer is a number of its own in JavaScript. */
    private static final long MOST_EXACT = 1L << 53;

    private static final int MEMBERS_BYTES = 1024;

    /** Names are not kept: they are the sender's, and there is no end of them. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(LONGEST_NAME)
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(LONGEST_NUMBER)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxTokenCount(MOST_TOKENS)
                    .build())
            .build();

    private @Nullable String type;
    private boolean hasId;
    private long id;
    private boolean ackWanted;
    private int status;
    private @Nullable String text;
    private @Nullable String base64;
    private @Nullable String token;

    private JsonMessage() {}

    /** The largest message where payloads have at most so many bytes: room for base64, and for a text or token each of whose characters is a quotation mark. */
    static int maxBytes(int maxPayloadBytes) {
        return (int)
                Math.min(Integer.MAX_VALUE, 2L * Math.max(maxPayloadBytes, DeviceIds.MAX_TOKEN_BYTES) + MEMBERS_BYTES);
    }

    /** What the device has written. */
    static JsonMessage read(String json) throws ProtocolViolation {
        JsonMessage message = new JsonMessage();
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw malformed("need an object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                message.member(name, parser.nextToken(), parser);
            }
            if (parser.nextToken() != null) {
                throw malformed("something behind the object");
            }
        } catch (JacksonException quoting) {
            throw malformed("not well-formed, deeper than " + DEEPEST
                    + ", too many or too long members, or a name that stands twice");
        } catch (IOException e) {
            throw new AssertionError("a text was read", e);
        }
        return message;
    }

    private void member(String name, JsonToken token, JsonParser parser) throws IOException, ProtocolViolation {
        switch (name) {
            case "type" -> type = string(name, token, parser);
            case "id" -> id(token, parser);
            case "ack" -> {
                require(token.isBoolean(), "ack: need true or false");
                ackWanted = token == JsonToken.VALUE_TRUE;
            }
            case "status" -> status = (int) integer(name, token, parser, MOST_STATUS);
            case "text" -> text = string(name, token, parser);
            case "base64" -> base64 = string(name, token, parser);
            case "token" -> this.token = string(name, token, parser);
            default -> parser.skipChildren();
        }
    }

    private void id(JsonToken token, JsonParser parser) throws IOException, ProtocolViolation {
        hasId = true;
        if (token != JsonToken.VALUE_STRING) {
            id = integer("id", token, parser, MOST_EXACT);
            return;
        }
        String digits = parser.getText();
        require(
                !digits.isEmpty()
                        && digits.length() <= MOST_DIGITS
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9'),
                "id: need decimal digits");
        try {
            id = Long.parseUnsignedLong(digits);
        } catch (NumberFormatException tooLarge) {
            throw malformed("id: need at most 18446744073709551615");
        }
    }

    private static long integer(String name, JsonToken token, JsonParser parser, long most)
            throws IOException, ProtocolViolation {
        boolean small = token == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= MOST_DIGITS - 2;
        long value = small ? parser.getLongValue() : -1;
        require(value >= 0 && value <= most, name + ": need an integer of 0.." + most);
        return value;
    }

    private static String string(String name, JsonToken token, JsonParser parser)
            throws IOException, ProtocolViolation {
        require(token == JsonToken.VALUE_STRING, name + ": need a string");
        return parser.getText();
    }

    // ------------------------------------------------------------------ what it says

    /** Empty without. */
    String type() {
        return type == null ? "" : type;
    }

    /** 0 without. */
    long id() {
        return id;
    }

    void requireId() throws ProtocolViolation {
        require(hasId, "need an id");
    }

    boolean ackWanted() {
        return ackWanted;
    }

    /** 0 without. */
    int status() {
        return status;
    }

    boolean isText() {
        return text != null;
    }

    /**
     * Bytes of the text, or those in base64.
     *
     * @param most bytes that it may have
     */
    byte[] payload(int most) throws ProtocolViolation {
        require((text == null) != (base64 == null), "need either text or base64");
        byte[] payload = text == null ? decoded(base64) : utf8("text", text);
        if (payload.length > most) {
            throw new ProtocolViolation(
                    CloseReason.TOO_LARGE, "JSON: a payload of " + payload.length + " bytes: need at most " + most);
        }
        return payload;
    }

    /** Of the device, newer than the one before. */
    byte[] token() throws ProtocolViolation {
        byte[] utf8 = utf8("token", token);
        require(
                utf8.length > 0 && utf8.length <= DeviceIds.MAX_TOKEN_BYTES,
                "token: need 1.." + DeviceIds.MAX_TOKEN_BYTES + " bytes");
        return utf8;
    }

    private static byte[] decoded(@Nullable String base64) throws ProtocolViolation {
        try {
            return Base64.getDecoder().decode(base64 == null ? "" : base64);
        } catch (IllegalArgumentException e) {
            throw malformed("base64: need that of RFC 4648 section 4");
        }
    }

    /** A string of JSON may have half a character in it, which is no text: RFC 8259 section 8.2. */
    private static byte[] utf8(String name, @Nullable String text) throws ProtocolViolation {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text == null ? "" : text));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new ProtocolViolation(CloseReason.BAD_UTF8, "JSON: " + name + ": half a character");
        }
    }

    private static void require(boolean met, String need) throws ProtocolViolation {
        if (!met) {
            throw malformed(need);
        }
    }

    static ProtocolViolation malformed(String how) {
        return new ProtocolViolation(CloseReason.MALFORMED, "JSON: " + how);
    }
}
