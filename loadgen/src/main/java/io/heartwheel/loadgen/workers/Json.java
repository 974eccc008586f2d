package io.heartwheel.loadgen.workers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Values as lines of JSON. Stateless; any thread. */
final class Json {

    /** Longest line of a conversation that is trusted: a scenario of many groups, or the evidence of a bad day. */
    static final int MOST_LINE_BYTES = 16 << 20;

    private static final ObjectMapper MAPPER = mapper();

    private Json() {}

    private static ObjectMapper mapper() {
        // What a later version adds is passed over, so that agents need not be changed on the same day.
        ObjectMapper mapper = JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        mapper.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(MOST_LINE_BYTES)
                        .maxNestingDepth(32)
                        .build());
        return mapper;
    }

    static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not to be told as JSON: " + value.getClass(), e);
        }
    }

    static <T> T value(String text, Class<T> type) throws IOException {
        T value = MAPPER.readValue(text, type);
        if (value == null) {
            throw new IOException("null is no " + type.getSimpleName());
        }
        return value;
    }
}
