package io.heartwheel.config;

import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.net.Network;
import io.heartwheel.net.Networks;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One key of the configuration: what its value may be and when a change of it takes effect. Ranges are written as in the reference configuration,
 * {@code "100ms..24h"}. Immutable; any thread.
 *
 * @param path below {@code heartwheel}; of a listener, that of {@code tcp}
 * @param range what a number, duration or size may be; empty for other types
 * @param need what the value must be, for error texts
 * @param hint what to add to {@code need} for a value as it was written; often empty
 * @param reading the meaning of a value; empty if it has none here
 * @param change when a change takes effect
 */
record Key(
        String path,
        String range,
        String need,
        UnaryOperator<String> hint,
        Function<ConfigValue, Optional<?>> reading,
        Change change) {

    /** Time at which a changed value takes effect in a running gateway. */
    enum Change {
        /** With the next reload. */
        AT_RELOAD,
        /** With the next reload, unless a switch {@code enabled} of a block around it changed too; then at restart. */
        WITH_SWITCH,
        /** At the next start: it shapes what is built there. */
        AT_RESTART
    }

    static Key flag(String path) {
        return scalar(path, "", "need true or false", Key::noHint, text -> switch (text) {
            case "true", "yes", "on" -> Optional.of(true);
            case "false", "no", "off" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    static Key integer(String path, String range) {
        UnaryOperator<String> hint = written -> Units.isGrouped(written) ? ", its thousands not set apart" : "";
        return scalar(path, range, "need " + range, hint, text -> whole(text, range));
    }

    /** An integer, or this word in its place. */
    static Key integerOr(String path, String range, String word, int valueOfWord) {
        return scalar(
                path,
                range,
                "need " + range + " or " + word,
                Key::noHint,
                text -> word.equals(text) ? Optional.of(valueOfWord) : whole(text, range));
    }

    static Key decimal(String path, String range) {
        return scalar(path, range, "need " + range, Key::noHint, text -> number(text, range)
                .map(BigDecimal::doubleValue));
    }

    static Key duration(String path, String range) {
        return quantity(path, range, Units.DURATIONS, Units::duration);
    }

    /** A duration, or this word in its place. */
    static Key durationOr(String path, String range, String word) {
        Key plain = duration(path, range);
        Optional<?> said = Optional.of(word);
        return new Key(
                path,
                range,
                plain.need + " or " + word,
                plain.hint,
                value -> text(value).equals(said) ? said : plain.reading.apply(value),
                plain.change);
    }

    /** A number of bytes. */
    static Key size(String path, String range) {
        return quantity(path, range, Units.SIZES, Units::bytes);
    }

    private static <T extends Comparable<T>> Key quantity(
            String path, String range, String units, Function<String, Optional<T>> parser) {
        T min = parser.apply(least(range)).orElseThrow();
        T max = parser.apply(greatest(range)).orElseThrow();
        return scalar(path, range, "need " + range, text -> Units.complaint(text, units), text -> parser.apply(text)
                .filter(value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0));
    }

    /** One of the constants, each written as the word at its place. */
    static <E extends Enum<E>> Key choice(String path, Class<E> type, String... words) {
        E[] constants = type.getEnumConstants();
        List<String> known = List.of(words);
        String need =
                "need " + String.join(", ", known.subList(0, known.size() - 1)) + " or " + known.get(known.size() - 1);
        return scalar(path, "", need, Key::noHint, text -> Optional.of(known.indexOf(text))
                .filter(at -> at >= 0)
                .map(at -> constants[at]));
    }

    static Key text(String path, String need, Predicate<String> good) {
        return scalar(path, "", need, Key::noHint, text -> Optional.of(text).filter(good));
    }

    /** What the parser makes of the text; it rejects by an IllegalArgumentException. */
    static Key parsed(String path, String need, Function<String, ?> parser) {
        return scalar(path, "", need, Key::noHint, text -> {
            try {
                return Optional.of(parser.apply(text));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    /** A file or nothing, relative to where the process was started. */
    static Key path(String path) {
        return parsed(path, "need a path", Path::of);
    }

    /** A list of texts, at most this many. */
    static Key texts(String path, int most, String need, Predicate<String> good) {
        return new Key(
                path,
                "",
                need,
                Key::noHint,
                value -> list(value)
                        .filter(texts -> texts.size() <= most
                                && texts.stream().allMatch(each -> each instanceof String text && good.test(text))),
                Change.AT_RELOAD);
    }

    /** A list of blocks, each looked at by its reader. */
    static Key blocks(String path, String need) {
        return new Key(path, "", need, Key::noHint, Key::list, Change.AT_RELOAD);
    }

    Key atRestart() {
        return new Key(path, range, need, hint, reading, Change.AT_RESTART);
    }

    Key withSwitch() {
        return new Key(path, range, need, hint, reading, Change.WITH_SWITCH);
    }

    /** What is needed instead of this value. */
    String needInsteadOf(ConfigValue value) {
        return need + hint.apply(text(value).orElse(""));
    }

    /** A scalar letter by letter: 100.000 is not 100.0. Empty for a list. */
    static Optional<String> text(ConfigValue value) {
        return switch (value.valueType()) {
            case STRING -> Optional.of((String) value.unwrapped());
            case NUMBER, BOOLEAN -> Optional.of(ConfigMistakes.written(value));
            default -> Optional.empty();
        };
    }

    private static String noHint(String written) {
        return "";
    }

    private static Optional<List<?>> list(ConfigValue value) {
        return value.valueType() == ConfigValueType.LIST ? Optional.of((List<?>) value.unwrapped()) : Optional.empty();
    }

    private static Key scalar(
            String path, String range, String need, UnaryOperator<String> hint, Function<String, Optional<?>> reading) {
        return new Key(path, range, need, hint, value -> text(value).flatMap(reading), Change.AT_RELOAD);
    }

    private static Optional<Integer> whole(String text, String range) {
        return number(text, range).filter(number -> number.scale() <= 0).map(BigDecimal::intValueExact);
    }

    private static Optional<BigDecimal> number(String text, String range) {
        BigDecimal min = new BigDecimal(least(range));
        BigDecimal max = new BigDecimal(greatest(range));
        return text.matches("-?[0-9]{1,30}(\\.[0-9]{1,30})?")
                ? Optional.of(new BigDecimal(text))
                        .filter(number -> number.compareTo(min) >= 0 && number.compareTo(max) <= 0)
                : Optional.empty();
    }

    static String least(String range) {
        return range.substring(0, range.indexOf(".."));
    }

    static String greatest(String range) {
        return range.substring(range.indexOf("..") + 2);
    }

    /** Addresses and networks. */
    static Key networks(String path) {
        return texts(
                path,
                Networks.MOST,
                "need at most " + Networks.MOST
                        + " networks, each address/bits with no bit set behind them, or an address",
                Network::isNetwork);
    }
}
