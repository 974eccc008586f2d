package io.heartwheel.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one block. Ranges are written as in the reference configuration, {@code "100ms..24h"}. A value that will not do is
 * noted among the problems and replaced by its default, so that reading goes on. One thread.
 */
final class Section {
    private final FlatConfig leaves;
    private final ConfigMistakes problems;
    private final Set<String> read;
    private final String prefix;
    private boolean good = true;

    /** @param read gathers the paths that were asked for */
    Section(FlatConfig leaves, ConfigMistakes problems, Set<String> read, String prefix) {
        this.leaves = leaves;
        this.problems = problems;
        this.read = read;
        this.prefix = prefix;
    }

    /** A block within this one. */
    Section in(String block) {
        return new Section(leaves, problems, read, prefix + block + ".");
    }

    /** Notes a problem with the value of this key. */
    void problem(String key, String need) {
        good = false;
        problems.add(prefix + key, value(key), need);
    }

    /** Whether no problem was noted here so far: only then does it make sense to look for contradictions. */
    boolean isGood() {
        return good;
    }

    /** The value of this key as the operator wrote it. */
    String shown(String key) {
        return ConfigMistakes.shown(value(key));
    }

    boolean flag(String key) {
        return parse(key, "need true or false", text -> switch (text) {
            case "true", "yes", "on" -> Optional.of(true);
            case "false", "no", "off" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    int integer(String key, String range) {
        String grouped = Units.isGrouped(written(key)) ? ", its thousands not set apart" : "";
        return decimalIn(key, range, "need " + range + grouped, true).intValueExact();
    }

    /** The same, or this word in its place. */
    int integerOr(String key, String range, String word, int valueOfWord) {
        return parse(
                key,
                "need " + range + " or " + word,
                text -> word.equals(text)
                        ? Optional.of(valueOfWord)
                        : numberIn(text, range, true).map(BigDecimal::intValueExact));
    }

    double decimal(String key, String range) {
        return decimalIn(key, range, "need " + range, false).doubleValue();
    }

    private BigDecimal decimalIn(String key, String range, String need, boolean whole) {
        return parse(key, need, text -> numberIn(text, range, whole));
    }

    private static Optional<BigDecimal> numberIn(String text, String range, boolean whole) {
        BigDecimal min = new BigDecimal(least(range));
        BigDecimal max = new BigDecimal(greatest(range));
        return number(text)
                .filter(number -> number.compareTo(min) >= 0 && number.compareTo(max) <= 0)
                .filter(number -> !whole || number.scale() <= 0);
    }

    private static Optional<BigDecimal> number(String text) {
        return text.matches("-?[0-9]{1,30}(\\.[0-9]{1,30})?") ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }

    Duration duration(String key, String range) {
        Duration min = Units.duration(least(range)).orElseThrow();
        Duration max = Units.duration(greatest(range)).orElseThrow();
        return parse(key, unitNeed(key, range, Units.DURATIONS), text -> Units.duration(text)
                .filter(duration -> duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0));
    }

    /** A number of bytes that fits an int. */
    int size(String key, String range) {
        return Math.toIntExact(bytes(key, range));
    }

    /** A number of bytes. */
    long bytes(String key, String range) {
        long min = Units.bytes(least(range)).orElseThrow();
        long max = Units.bytes(greatest(range)).orElseThrow();
        return parse(key, unitNeed(key, range, Units.SIZES), text -> Units.bytes(text)
                .filter(bytes -> bytes >= min && bytes <= max));
    }

    /** A number alone lacks its unit, and 64K has one that is none; say so. */
    private String unitNeed(String key, String range, String units) {
        return "need " + range + Units.complaint(written(key), units);
    }

    /** The value of this key, letter by letter: 100.000 is not 100.0. */
    private String written(String key) {
        return scalar(value(key)).orElse("");
    }

    /** One of the constants, each written as the word at its place. */
    <E extends Enum<E>> E choice(String key, Class<E> type, String... words) {
        E[] constants = type.getEnumConstants();
        List<String> known = List.of(words);
        return parse(key, needOneOf(known), text -> Optional.of(known.indexOf(text))
                .filter(at -> at >= 0)
                .map(at -> constants[at]));
    }

    /** The same for a key that has no default: empty if it is none of the words, which is noted. */
    <E extends Enum<E>> Optional<E> choiceWithoutDefault(String key, Class<E> type, String... words) {
        int at = scalar(value(key)).map(List.of(words)::indexOf).orElse(-1);
        if (at < 0) {
            problem(key, needOneOf(List.of(words)));
            return Optional.empty();
        }
        return Optional.of(type.getEnumConstants()[at]);
    }

    private static String needOneOf(List<String> known) {
        return "need " + String.join(", ", known.subList(0, known.size() - 1)) + " or " + known.get(known.size() - 1);
    }

    String text(String key, String need, Predicate<String> good) {
        return parse(key, need, text -> Optional.of(text).filter(good));
    }

    /** What the parser makes of the text; it says no by an IllegalArgumentException. */
    <T> T parsed(String key, String need, Function<String, T> parser) {
        return parse(key, need, text -> {
            try {
                return Optional.of(parser.apply(text));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    /** A file or nothing, taken from where the process was started. */
    Optional<Path> path(String key) {
        return Optional.of(parsed(key, "need a path", Path::of))
                .filter(path -> !path.toString().isEmpty());
    }

    /** A file that can be read now. A bad one is noted and left out, an absent name noted only if it is required. */
    Optional<Path> readable(String key, boolean required) {
        Optional<Path> path = path(key);
        Optional<String> need =
                path.map(ReadableFile::need).orElse(required ? Optional.of("need a file") : Optional.empty());
        need.ifPresent(text -> problem(key, text));
        return need.isEmpty() ? path : Optional.empty();
    }

    /** A file that can be made: its directory exists. */
    Optional<Path> writable(String key) {
        Optional<Path> path = path(key);
        if (path.isPresent()) {
            Path parent = path.get().toAbsolutePath().getParent();
            if (parent == null || !Files.isDirectory(parent) || Files.isDirectory(path.get())) {
                problem(key, "need a file in a directory that exists");
            }
        }
        return path;
    }

    List<String> texts(String key, String need, Predicate<String> good) {
        ConfigValue value = value(key);
        List<String> texts = new ArrayList<>();
        boolean allGood = value.valueType() == ConfigValueType.LIST;
        for (Object entry : allGood ? (List<?>) value.unwrapped() : List.of()) {
            texts.add(String.valueOf(entry));
            allGood &= entry instanceof String text && good.test(text);
        }
        if (!allGood) {
            problem(key, need);
        }
        return texts;
    }

    /** The entries of a list, as they were written; none if it is no list, which is noted. */
    List<ConfigValue> list(String key, String need) {
        if (value(key) instanceof ConfigList list) {
            return list;
        }
        problem(key, need);
        return List.of();
    }

    /**
     * Notes a problem with a value within a list.
     *
     * @param path from this block, for example {@code key[1].inner}
     */
    void problemIn(String path, ConfigValue value, String need) {
        good = false;
        problems.add(prefix + path, value, need);
    }

    /** How a value is read: the text of a scalar to what it means, empty if it means nothing. */
    private interface Reading<T> {
        Optional<T> of(String text);
    }

    private <T> T parse(String key, String need, Reading<T> reading) {
        Optional<T> result = scalar(value(key)).flatMap(reading::of);
        if (result.isEmpty()) {
            problem(key, need);
        }
        return result.or(() -> Optional.ofNullable(leaves.fallback(prefix + key))
                        .flatMap(Section::scalar)
                        .flatMap(reading::of))
                .orElseThrow(() -> new IllegalStateException(prefix + key + ": the default itself is out of range"));
    }

    private static Optional<String> scalar(ConfigValue value) {
        return switch (value.valueType()) {
            case STRING -> Optional.of((String) value.unwrapped());
            case NUMBER, BOOLEAN -> Optional.of(ConfigMistakes.written(value));
            default -> Optional.empty();
        };
    }

    private ConfigValue value(String key) {
        read.add(prefix + key);
        @Nullable ConfigValue value = leaves.get(prefix + key);
        if (value == null) {
            throw new IllegalStateException(prefix + key + ": not in the reference configuration");
        }
        return value;
    }

    /** Whether the key has a value at all. */
    boolean has(String key) {
        read.add(prefix + key);
        return leaves.get(prefix + key) != null;
    }

    /** Whether the operator said anything of this block, but for one key. */
    boolean isSaid(String block, String except) {
        return leaves.isSaid(prefix + block, except);
    }

    private static String least(String range) {
        return range.substring(0, range.indexOf(".."));
    }

    private static String greatest(String range) {
        return range.substring(range.indexOf("..") + 2);
    }
}
