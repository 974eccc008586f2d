package io.heartwheel.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.heartwheel.net.HttpError;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parameter of a path or a query: what requests are held to, and what the document of the API says of it. Immutable; any thread.
 *
 * @param <T> what it is read as
 * @param about what it does, for people
 * @param need what it must be, for the error
 * @param schema of its text
 * @param read its value; empty if the text is none
 */
record Parameter<T>(String name, String about, String need, Schema schema, Function<String, Optional<T>> read) {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,20}");
    private static final int DEFAULT_LIMIT = 100;

    /** How many entries of a list are wanted; see {@link #limit}. */
    static final Parameter<Integer> LIMIT = limitOfAPage();

    /** Where a list goes on. */
    static final Parameter<Long> CURSOR = text(
                    "cursor",
                    "[0-9a-f]{16}",
                    "one that a page ended with",
                    "where the list goes on: `next` of the page before",
                    "00000000000000ff")
            .as(text -> Long.parseUnsignedLong(text, 16));

    /** A whole number from {@code least}, 0 or more. */
    static Parameter<Integer> integer(String name, int least, int most, String about) {
        return whole(name, least, BigInteger.valueOf(most), about).as(Math::toIntExact);
    }

    /** A whole number of 64 bits without sign. */
    static Parameter<Long> unsigned(String name, String about) {
        return whole(name, 0, BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE), about);
    }

    private static Parameter<Long> whole(String name, int least, BigInteger most, String about) {
        Schema schema =
                Schema.of("integer").with("minimum", NODES.numberNode(least)).with("maximum", NODES.numberNode(most));
        return new Parameter<>(name, about, least + ".." + most, schema, text -> Optional.of(text)
                .filter(DIGITS.asMatchPredicate())
                .map(BigInteger::new)
                .filter(number -> number.compareTo(BigInteger.valueOf(least)) >= 0 && number.compareTo(most) <= 0)
                .map(BigInteger::longValue));
    }

    private static Parameter<Integer> limitOfAPage() {
        Parameter<Integer> bare = integer("limit", 1, 1_000, "entries a page at most");
        Schema schema = bare.schema.with("default", NODES.numberNode(DEFAULT_LIMIT));
        return new Parameter<>(bare.name, bare.about, bare.need, schema, bare.read);
    }

    /** How many entries of a page this request wants. */
    static int limit(Request call) {
        return LIMIT.in(call).orElse(DEFAULT_LIMIT);
    }

    /** True or false; see {@link #flag(Parameter, Request)}. */
    static Parameter<Boolean> flag(String name, String about) {
        Schema schema = Schema.FLAG.with("default", NODES.booleanNode(false));
        return new Parameter<>(name, about, "true or false", schema, text -> Optional.of(text)
                .filter(word -> word.equals("true") || word.equals("false"))
                .map(Boolean::valueOf));
    }

    /** Whether this request says true. */
    static boolean flag(Parameter<Boolean> parameter, Request call) {
        return parameter.in(call).orElse(false);
    }

    /** A time from {@code least} to {@code most}, in whole units. */
    static Parameter<Duration> duration(String name, Duration least, Duration most, String about) {
        Parameter<String> text = text(
                name,
                DURATION.pattern(),
                shown(least) + ".." + shown(most) + ", as in 500ms, 90s, 10m or 1h",
                about,
                "500ms",
                "90s",
                "10m",
                "1h");
        return new Parameter<>(name, about, text.need, text.schema, asked -> parsed(asked)
                .filter(it -> it.compareTo(least) >= 0 && it.compareTo(most) <= 0));
    }

    private static String shown(Duration time) {
        if (time.toMillis() % 1_000 != 0) {
            return time.toMillis() + "ms";
        }
        return time.isZero() || time.toHours() == 0 ? time.toSeconds() + "s" : time.toHours() + "h";
    }

    private static Optional<Duration> parsed(String text) {
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(
                parts.group(2).equals("ms")
                        ? Duration.ofMillis(Long.parseLong(parts.group(1)))
                        : Duration.parse("PT" + text));
    }

    /** One of a closed list. */
    static Parameter<String> choice(String name, Collection<String> labels, String about) {
        List<String> all = List.copyOf(labels);
        return new Parameter<>(name, about, "one of " + all, Schema.oneOf(all), text -> Optional.of(text)
                .filter(all::contains));
    }

    /**
     * A text of a pattern.
     *
     * @param examples of it
     */
    static Parameter<String> text(String name, String pattern, String need, String about, String... examples) {
        Schema schema = Schema.TEXT.with("pattern", NODES.textNode("^(?:" + pattern + ")$"));
        Predicate<String> whole = Pattern.compile(pattern).asMatchPredicate();
        return new Parameter<>(name, about, need, examples(schema, examples), text -> Optional.of(text)
                .filter(whole));
    }

    /**
     * A text of so many bytes of UTF-8.
     *
     * @param good what it must be besides
     */
    static Parameter<String> bytes(
            String name, int least, int most, Predicate<String> good, String about, String... examples) {
        Schema schema = Schema.TEXT
                .with("minLength", NODES.numberNode(least))
                .with("maxLength", NODES.numberNode(most))
                .with("pattern", NODES.textNode("^[^\\u0000-\\u001f\\u007f-\\u009f]*$"));
        Predicate<String> fits = text -> {
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            return length >= least && length <= most;
        };
        return new Parameter<>(
                name,
                about,
                least + ".." + most + " bytes of UTF-8 without control characters",
                examples(schema, examples),
                text -> Optional.of(text).filter(fits.and(good)));
    }

    private static Schema examples(Schema schema, String... examples) {
        ArrayNode list = NODES.arrayNode();
        List.of(examples).forEach(list::add);
        return schema.with("examples", list);
    }

    /** The same, read further. */
    <U> Parameter<U> as(Function<T, U> further) {
        return new Parameter<>(
                name, about, need, schema, text -> read.apply(text).map(further));
    }

    /**
     * Its value in the query of a request; empty if it is not given.
     *
     * @throws HttpError 400 if it is not what it must be
     */
    Optional<T> in(Request call) {
        String text = call.parameter(name);
        return text == null ? Optional.empty() : Optional.of(value(text));
    }

    /**
     * Its value in the headers of a request; empty if it is not given.
     *
     * @throws HttpError 400 if it is not what it must be, or there twice
     */
    Optional<T> inHeader(Request call) {
        List<String> all = call.headers().getAll(name);
        if (all.size() > 1) {
            throw HttpError.badRequest(name + ": need it once");
        }
        return all.stream().findFirst().map(this::value);
    }

    /** @throws HttpError 400 if this is no value of it */
    T value(String text) {
        return read.apply(text).orElseThrow(() -> mistake(text));
    }

    /** The refusal of a text that is no value of it. */
    HttpError mistake(String text) {
        return HttpError.badRequest(name + " = " + HttpError.quote(text) + ": need " + need);
    }
}
