package io.heartwheel.auth.jwt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reader of a JSON object that has one meaning only: valid UTF-8, each name once at every depth, nothing after its end, no deeper than {@value #DEEPEST}. Two
 * readers that understand a document differently are what a forger looks for. Any thread.
 */
final class StrictJson {
    private static final int DEEPEST = 16;
    private static final int LONGEST_NUMBER = 64;

    /** Names are not kept: they are the sender's, and there is no end of them. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(LONGEST_NUMBER)
                    .build())
            .build();

    /** A number letter by letter. */
    record Digits(String text) {}

    /** A value without a meaning here: null, an object, a list within a list. */
    record Other() {}

    private static final Other OTHER = new Other();

    private StrictJson() {}

    /**
     * Reads one object.
     *
     * @return its members: String, Boolean, {@link Digits}, {@link Other}, or a List of these
     * @throws IOException without a part of the document in its message
     */
    static Map<String, Object> read(byte[] utf8) throws IOException {
        String text = text(utf8);
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no JSON object");
            }
            Map<String, Object> members = new HashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                members.put(name, value(parser, parser.nextToken()));
            }
            if (parser.nextToken() != null) {
                throw new IOException("text after the JSON object");
            }
            return members;
        } catch (com.fasterxml.jackson.core.JacksonException quoting) {
            throw new IOException("not the JSON that it should be", null);
        }
    }

    private static String text(byte[] utf8) throws IOException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException("no UTF-8", e);
        }
    }

    private static Object value(JsonParser parser, JsonToken token) throws IOException {
        if (token != JsonToken.START_ARRAY) {
            return single(parser, token);
        }
        List<Object> list = new ArrayList<>();
        for (JsonToken each = parser.nextToken(); each != JsonToken.END_ARRAY; each = parser.nextToken()) {
            list.add(single(parser, each));
        }
        return list;
    }

    private static Object single(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Digits(parser.getText());
            case START_OBJECT, START_ARRAY -> skipped(parser);
            default -> OTHER;
        };
    }

    /** Looks at all of it, for names that stand twice. */
    private static Other skipped(JsonParser parser) throws IOException {
        for (int depth = 1; depth > 0; ) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw new IOException("it ends too soon");
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
        return OTHER;
    }
}
