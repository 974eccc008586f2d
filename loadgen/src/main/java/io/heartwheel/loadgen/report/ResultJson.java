package io.heartwheel.loadgen.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Latencies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A result as JSON, and back. Names are those of the records in lower case with underscores, so that a path in {@code jq}
 * reads like the names of counts and timings inside it: {@code .timings.round_trip.p99_nanos}.
 *
 * <p>What a reader would compute for himself is written too and ignored when read: the sentence of each piece of evidence,
 * and of the generator's health the processors it kept busy and its share of collecting. A number that is none (there was
 * nothing to divide by) is {@code null}. Stateless; any thread.
 */
public final class ResultJson {

    private static final long MOST_BYTES = 256L << 20;
    private static final int MOST_MISTAKES = 20;
    /** Beyond this nobody reads on; it also bounds what a hostile file can make us keep. */
    private static final int MOST_KEPT = 1_000;

    /** What of a result may be null. */
    private static final Set<String> MAY_MISS = Set.of("costs", "expected_closes");

    /** Writes nothing that would have to be computed from what may be missing. */
    private static final JsonMapper PLAIN = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS))
            .addMixIn(GatewayFault.class, EvidenceFigures.class)
            .addModule(new SimpleModule("figures")
                    .addSerializer(double.class, new FiniteOrNull())
                    .addSerializer(Double.class, new FiniteOrNull())
                    .addDeserializer(double.class, new NumberOrNaN())
                    .addDeserializer(Double.class, new NumberOrNaN()))
            .build();

    private ResultJson() {}

    /** A {@link Result}, some hundred bytes a second of the run, or a {@link Comparison} as JSON text, indented. */
    public static String text(Record value) {
        try {
            return MAPPER.writeValueAsString(value) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(value.getClass() + ": has no JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Reads a result that {@link #text} gave, by this version or a later one of the same format.
     *
     * @throws IllegalArgumentException naming the file and all that is wrong with it
     * @throws IOException when the file cannot be read
     */
    public static Result read(Path file) throws IOException {
        long bytes;
        try {
            bytes = Files.size(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(file + ": no such file", e);
        }
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    file + " = " + Format.bytes(bytes) + ": need a result of at most " + Format.bytes(MOST_BYTES));
        }
        return parse(Files.readString(file), file.toString());
    }

    /**
     * Reads a result from text.
     *
     * @param name for messages
     * @throws IllegalArgumentException naming all that is wrong
     */
    public static Result parse(String text, String name) {
        Result result;
        try {
            JsonNode tree = MAPPER.readTree(text);
            String format = tree.path("format").asText("none");
            if (!format.equals(Result.FORMAT)) {
                throw new IllegalArgumentException(
                        name + ": format = " + Format.printable(format) + ": need " + Result.FORMAT);
            }
            result = MAPPER.treeToValue(tree, Result.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(name + ": no result: " + e.getOriginalMessage(), e);
        }
        List<String> mistakes = mistakes(result);
        if (!mistakes.isEmpty()) {
            List<String> shown = mistakes.subList(0, Math.min(MOST_MISTAKES, mistakes.size()));
            throw new IllegalArgumentException(
                    name + ": " + mistakes.size() + " mistakes\n  " + String.join("\n  ", shown));
        }
        return result;
    }

    /**
     * What is missing or not readable, by path: a file from outside may leave anything out, and the promise that nothing is
     * null holds only for what was looked at.
     */
    private static List<String> mistakes(Result result) {
        List<String> mistakes = new ArrayList<>();
        missing("", PLAIN.valueToTree(result), mistakes);
        if (mistakes.isEmpty()) {
            result.histograms().forEach((name, encoded) -> {
                try {
                    Latencies.decoded(encoded);
                } catch (IllegalArgumentException e) {
                    mistakes.add("histograms." + Format.printable(name) + ": not readable");
                }
            });
        }
        return mistakes;
    }

    private static void missing(String path, JsonNode node, List<String> mistakes) {
        if (node.isNull() && !MAY_MISS.contains(path) && mistakes.size() < MOST_KEPT) {
            mistakes.add(path + ": missing");
        }
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            missing(path + "[" + i + "]", node.get(i), mistakes);
        }
        node.properties().forEach(field -> {
            String name = Format.printable(field.getKey());
            missing(path.isEmpty() ? name : path + "." + name, field.getValue(), mistakes);
        });
    }

    private interface EvidenceFigures {
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        String line();
    }

    /** JSON knows neither NaN nor the infinite. */
    private static final class FiniteOrNull extends StdScalarSerializer<Double> {
        FiniteOrNull() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                out.writeNumber(value);
            } else {
                out.writeNull();
            }
        }
    }

    private static final class NumberOrNaN extends StdScalarDeserializer<Double> {
        NumberOrNaN() {
            super(Double.class);
        }

        @Override
        public Double deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return _parseDoublePrimitive(in, context);
        }

        @Override
        public Double getNullValue(DeserializationContext context) {
            return Double.NaN;
        }
    }
}
