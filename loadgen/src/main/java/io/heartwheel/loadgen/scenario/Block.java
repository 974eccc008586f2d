package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.loadgen.client.Payload;
import io.heartwheel.loadgen.client.Timeouts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Block of a scenario file, read key by key. What is wrong is noted and replaced by the default, so that reading goes
 * on and all mistakes are told at once; a key nobody asked for is a mistake too. One thread.
 */
final class Block {

    private final Config config;
    private final String path;
    private final List<String> mistakes; // of all blocks of the scenario
    private final Set<String> asked = new TreeSet<>();
    private final List<Block> inner = new ArrayList<>();

    /** The whole of a scenario. */
    Block(Config config) {
        this(config, "", new ArrayList<>());
    }

    private Block(Config config, String path, List<String> mistakes) {
        this.config = config;
        this.path = path;
        this.mistakes = mistakes;
    }

    /** Notes a mistake of this key, or of one in a block within. */
    void wrong(String key, String need) {
        ConfigValue value = config.hasPath(key) ? config.getValue(key) : null;
        mistake(value == null ? config.root() : value, key, value, need);
    }

    /** Notes a mistake of the block itself. */
    void wrong(String need) {
        mistakes.add(at(config.root().origin()) + path.replaceFirst("\\.$", ": ") + need);
    }

    /** Notes a mistake of this key unless it is right. */
    void check(boolean right, String key, String need) {
        if (!right) {
            wrong(key, need);
        }
    }

    /** Notes a word that is none of these. */
    void unknown(String key, Collection<String> known) {
        String hint = Spelling.hint(text(key, ""), known);
        wrong(key, "need " + String.join(", ", known) + hint);
    }

    private void mistake(ConfigValue place, String key, @Nullable ConfigValue value, String need) {
        mistakes.add(at(place.origin()) + path + key + shown(value) + ": " + need);
    }

    /** A block or a list of blocks is not repeated. */
    private static String shown(@Nullable ConfigValue value) {
        boolean large = value instanceof ConfigObject
                || (value instanceof ConfigList list && list.stream().anyMatch(ConfigObject.class::isInstance));
        return value == null || large ? "" : " = " + value.unwrapped();
    }

    /** {@code FILE:LINE: }; empty for what stands in no file. */
    static String at(@Nullable ConfigOrigin origin) {
        if (origin == null || origin.lineNumber() < 1) {
            return "";
        }
        String file = origin.filename() == null ? origin.resource() : origin.filename();
        return file == null ? "" : file + ":" + origin.lineNumber() + ": ";
    }

    /** Whether no block of the scenario has a mistake so far. */
    boolean isGood() {
        return mistakes.isEmpty();
    }

    /**
     * Ends the reading if anything was wrong.
     *
     * @throws IllegalArgumentException with one line a mistake
     */
    void raise(String source) {
        if (!isGood()) {
            throw new IllegalArgumentException(source + ": " + mistakes.size()
                    + (mistakes.size() == 1 ? " mistake" : " mistakes") + "\n  " + String.join("\n  ", mistakes));
        }
    }

    /** What the maker makes; it rejects by an IllegalArgumentException that says what is needed. */
    <T> T made(String key, Supplier<T> maker, T otherwise) {
        try {
            return maker.get();
        } catch (IllegalArgumentException e) {
            wrong(key, String.valueOf(e.getMessage()));
            return otherwise;
        }
    }

    boolean has(String key) {
        asked.add(key);
        return config.hasPath(key);
    }

    private <T> T read(String key, T otherwise, String need, Function<String, Optional<T>> parser) {
        if (!has(key)) {
            return otherwise;
        }
        ConfigValue value = config.getValue(key);
        Optional<T> read = Optional.empty();
        if (value.valueType() != ConfigValueType.LIST && value.valueType() != ConfigValueType.OBJECT) {
            try {
                read = parser.apply(String.valueOf(value.unwrapped()));
            } catch (NumberFormatException | ConfigException e) {
                // No number or size: told below, as whatever else it is not.
            }
        }
        check(read.isPresent(), key, "need " + need);
        return read.orElse(otherwise);
    }

    String text(String key, String otherwise) {
        return read(key, otherwise, "a text", Optional::of);
    }

    /** An address to listen on or to connect to, as it was written. */
    String address(String key, String otherwise, int leastPort) {
        String address = text(key, otherwise);
        check(Addresses.of(address, leastPort).isPresent(), key, Addresses.need(leastPort));
        return address;
    }

    boolean flag(String key, boolean otherwise) {
        return read(key, otherwise, "true or false", text -> switch (text) {
            case "true", "yes", "on" -> Optional.of(true);
            case "false", "no", "off" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    /** Whether the key says the other of two words; it is the usual one when nothing is said. */
    boolean isOther(String key, String usual, String other) {
        return read(key, false, usual + " or " + other, text -> Optional.of(text.equals(other))
                .filter(isOther -> isOther || text.equals(usual)));
    }

    /** One of the constants of an enum, each known by its label. */
    <E extends Enum<E>> E choice(String key, E otherwise, Function<E, String> label) {
        Map<String, E> all = Stream.of(otherwise.getDeclaringClass().getEnumConstants())
                .collect(Collectors.toMap(label, Function.identity(), (one, other) -> one, TreeMap::new));
        E chosen = all.get(text(key, label.apply(otherwise)));
        if (chosen == null) {
            unknown(key, all.keySet());
        }
        return chosen == null ? otherwise : chosen;
    }

    double number(String key, double otherwise, double least, double most) {
        return read(key, otherwise, plain(least) + ".." + plain(most), text -> Optional.of(Double.parseDouble(text))
                .filter(value -> value >= least && value <= most));
    }

    private static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    int integer(String key, int otherwise, int least, int most) {
        return (int) whole(key, otherwise, least, most);
    }

    long whole(String key, long otherwise, long least, long most) {
        String need = "a whole number, " + least + ".." + most;
        return read(key, otherwise, need, text -> Optional.of(Long.parseLong(text.replace("_", "")))
                .filter(value -> value >= least && value <= most));
    }

    /** A duration with its unit, nanoseconds. */
    long nanos(String key, String otherwise, String least, String most) {
        long from = Durations.nanos(least).orElseThrow();
        long until = Durations.nanos(most).orElseThrow();
        long usual = Durations.nanos(otherwise).orElseThrow();
        return read(key, usual, least + ".." + most + ", with its unit", text -> Durations.nanos(text)
                .filter(nanos -> nanos >= from && nanos <= until));
    }

    long millis(String key, String otherwise, String least, String most) {
        return TimeUnit.NANOSECONDS.toMillis(nanos(key, otherwise, least, most));
    }

    /** A deadline with its unit, nanoseconds; {@code none}: {@link Timeouts#NEVER}; 0 when it is not said. */
    long limit(String key, String least, String most) {
        return says(key, "none") ? Timeouts.NEVER : nanos(key, "0s", least, most);
    }

    /** A size with its unit, bytes. */
    int bytes(String key, int otherwise, int least, int most) {
        return read(key, otherwise, least + "B.." + most + "B, with its unit", text -> Optional.of(config.getBytes(key))
                .filter(bytes -> bytes >= least && bytes <= most && !text.matches("[0-9]+"))
                .map(Long::intValue));
    }

    /** Whether the key has this very word for its value. */
    boolean says(String key, String word) {
        ConfigValue value = has(key) ? config.root().get(key) : null;
        return value != null && word.equals(value.unwrapped());
    }

    /** A word, or a list of words; empty when it is not said. */
    List<String> words(String key) {
        boolean single = has(key) && !(config.root().get(key) instanceof ConfigList);
        return single ? List.of(text(key, "")) : texts(key);
    }

    List<String> texts(String key) {
        return list(key, "need a list of texts").stream()
                .map(value -> String.valueOf(value.unwrapped()))
                .toList();
    }

    /** The texts of a list made into something, as by {@link #made}. */
    <T> List<T> eachText(String key, Function<String, T> maker) {
        List<T> made = new ArrayList<>();
        for (ConfigValue value : list(key, "need a list of texts")) {
            try {
                made.add(maker.apply(String.valueOf(value.unwrapped())));
            } catch (IllegalArgumentException e) {
                mistake(value, key, value, String.valueOf(e.getMessage()));
            }
        }
        return made;
    }

    private List<? extends ConfigValue> list(String key, String need) {
        if (!has(key)) {
            return List.of();
        }
        if (config.root().get(key) instanceof ConfigList list) {
            return list;
        }
        wrong(key, need);
        return List.of();
    }

    /** Whether the key has a block for its value. */
    boolean isBlock(String key) {
        return has(key) && config.root().get(key) instanceof ConfigObject;
    }

    /** A block within; empty when there is none. */
    Block in(String key) {
        boolean there = isBlock(key);
        check(there || !has(key), key, "need a block");
        return inner(there ? config.getConfig(key) : ConfigFactory.empty(), key);
    }

    /** A block in which nothing is said. */
    Block none() {
        return inner(ConfigFactory.empty(), "");
    }

    private Block inner(Config content, String at) {
        Block block = new Block(content, path + at + ".", mistakes);
        inner.add(block);
        return block;
    }

    /**
     * Sizes of messages.
     *
     * @param most what the largest is when nothing is said, unless the smallest is larger
     */
    Payload payload(Payload.Kind usual, int floor, int most, int ceiling) {
        Payload.Kind kind = choice("distribution", usual, Payload.Kind::label);
        int least = bytes("min", 64, floor, ceiling);
        int largest = bytes("max", Math.max(least, most), floor, ceiling);
        check(largest >= least, "max", "need at least min, " + least + "B");
        return new Payload(kind, least, Math.max(least, largest));
    }

    /** A block taken as it is, for somebody else to read; empty when there is none. */
    Map<String, Object> raw(String key) {
        return has(key) && config.root().get(key) instanceof ConfigObject object ? object.unwrapped() : Map.of();
    }

    /** The blocks of a list. */
    List<Block> each(String key) {
        List<Block> blocks = new ArrayList<>();
        for (ConfigValue value : list(key, "need a list of blocks")) {
            if (!(value instanceof ConfigObject object)) {
                wrong(key, "need a list of blocks");
                break;
            }
            blocks.add(inner(object.toConfig(), key + "[" + blocks.size() + "]"));
        }
        return blocks;
    }

    /** Whatever was not asked for, here and in the blocks within, is a mistake. Called once, at the end. */
    void done() {
        inner.forEach(Block::done);
        config.root().forEach((key, value) -> {
            if (!asked.contains(key)) {
                String hint = Spelling.hint(key, asked);
                String known = hint.isEmpty() ? "; known here: " + String.join(", ", asked) : hint;
                mistake(value, key, null, "unknown key" + known);
            }
        });
    }
}
