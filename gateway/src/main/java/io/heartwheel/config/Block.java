package io.heartwheel.config;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One block of the configuration, values by key. Each value by itself is good: those that were not are noted among the mistakes, and their
 * defaults stand instead, so that what one key demands of another can still be looked at. One thread.
 */
final class Block {
    private final Map<String, ConfigValue> values;
    /** Values as they were given, good or not. */
    private final Map<String, ConfigValue> given;

    private final ConfigMistakes problems;
    /** Paths with a problem. */
    private final Set<String> bad;

    private final String prefix;

    private Block(
            Map<String, ConfigValue> values,
            Map<String, ConfigValue> given,
            ConfigMistakes problems,
            Set<String> bad,
            String prefix) {
        this.values = values;
        this.given = given;
        this.problems = problems;
        this.bad = bad;
        this.prefix = prefix;
    }

    /** The whole configuration, where every value was checked already. */
    Block(Map<String, ConfigValue> values) {
        this(values, values, new ConfigMistakes(), Set.of(), "");
    }

    /** The whole configuration; checks each value by itself. */
    static Block checked(FlatConfig flat, ConfigMistakes problems) {
        Map<String, ConfigValue> given = flat.values();
        Map<String, ConfigValue> values = new TreeMap<>(given);
        Block root = new Block(values, given, problems, new HashSet<>(), "");
        given.forEach((path, value) -> {
            Key key = Keys.at(path);
            if (key.reading().apply(value).isEmpty()) {
                root.problem(path, key.needInsteadOf(value));
                values.computeIfPresent(path, (same, wrong) -> flat.fallback(path));
            }
        });
        return root;
    }

    /** A block within this one. */
    Block in(String block) {
        return new Block(values, given, problems, bad, prefix + block + ".");
    }

    /** Names of the blocks within a block, in order. */
    Set<String> names(String block) {
        Set<String> names = new TreeSet<>();
        String start = prefix + block + ".";
        values.keySet().stream()
                .filter(path -> path.startsWith(start))
                .forEach(path -> names.add(path.substring(start.length(), path.indexOf('.', start.length()))));
        return names;
    }

    /** Names of the keys of a block, dots and all. */
    List<String> keys(String block) {
        String start = prefix + block + ".";
        return values.keySet().stream()
                .filter(path -> path.startsWith(start))
                .map(path -> path.substring(start.length()))
                .toList();
    }

    // ------------------------------------------------------------------ values

    boolean flag(String key) {
        return (boolean) get(key);
    }

    int integer(String key) {
        return (int) get(key);
    }

    double decimal(String key) {
        return (double) get(key);
    }

    Duration duration(String key) {
        return (Duration) get(key);
    }

    /** A number of bytes. */
    long bytes(String key) {
        return (long) get(key);
    }

    /** A number of bytes that fits an int. */
    int size(String key) {
        return Math.toIntExact(bytes(key));
    }

    String text(String key) {
        return (String) get(key);
    }

    List<String> texts(String key) {
        return ((List<?>) get(key)).stream().map(String.class::cast).toList();
    }

    /** The entries of a list as they were written. */
    ConfigList list(String key) {
        return (ConfigList) value(key);
    }

    /** A file; empty if none is named. */
    Optional<Path> path(String key) {
        return Optional.of((Path) get(key)).filter(path -> !path.toString().isEmpty());
    }

    /** The meaning of a value, of the type that the table says. */
    Object get(String key) {
        return Keys.at(prefix + key)
                .reading()
                .apply(value(key))
                .orElseThrow(() -> new IllegalStateException(prefix + key + ": the default itself is out of range"));
    }

    /** Whether the key has a value at all. */
    boolean has(String key) {
        return values.containsKey(prefix + key);
    }

    /** Whether the operator said anything of a block, but for one key, be it what the default says. */
    boolean isSaid(String block, String except) {
        String start = prefix + block + ".";
        return values.entrySet().stream()
                .anyMatch(entry -> entry.getKey().startsWith(start)
                        && !entry.getKey().equals(start + except)
                        && !ConfigMistakes.isDefault(entry.getValue().origin()));
    }

    /** The value of this key as the operator wrote it. */
    String shown(String key) {
        return ConfigMistakes.shown(value(key));
    }

    /** The same, letter by letter. */
    String written(String key) {
        return Key.text(value(key)).orElse("");
    }

    private ConfigValue value(String key) {
        return Objects.requireNonNull(values.get(prefix + key), () -> prefix + key + ": has no value");
    }

    // ------------------------------------------------------------------ mistakes

    /** Notes a problem with the value of this key. */
    void problem(String key, String need) {
        problemIn(key, given.getOrDefault(prefix + key, value(key)), need);
    }

    /**
     * Notes a problem with a value within a list.
     *
     * @param path from this block, for example {@code key[1].inner}
     */
    void problemIn(String path, ConfigValue value, String need) {
        bad.add(prefix + path);
        problems.add(prefix + path, value, need);
    }

    /** Notes a problem that is no single value's. */
    void note(String text) {
        problems.note(ConfigMistakes.ROOT + "." + text, null);
    }

    /** Whether nothing is wrong in this block: only then does it make sense to look for contradictions. */
    boolean isGood() {
        return bad.stream().noneMatch(path -> path.startsWith(prefix));
    }

    /** Whether nothing is wrong with these keys. */
    boolean areGood(String... keys) {
        return List.of(keys).stream().noneMatch(key -> bad.contains(prefix + key));
    }

    /** Looks for a file that can be read now; an absent name is a problem if it is required. */
    Optional<Path> readable(String key, boolean required) {
        Optional<Path> path = path(key);
        Optional<String> need =
                path.map(ReadableFile::need).orElse(required ? Optional.of("need a file") : Optional.empty());
        need.ifPresent(text -> problem(key, text));
        return need.isEmpty() ? path : Optional.empty();
    }

    /** Looks for a file that can be made: its directory exists. */
    void needWritable(String key) {
        path(key).ifPresent(path -> {
            Path parent = path.toAbsolutePath().getParent();
            if (parent == null || !Files.isDirectory(parent) || Files.isDirectory(path)) {
                problem(key, "need a file in a directory that exists");
            }
        });
    }
}
