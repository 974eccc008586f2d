package io.heartwheel.loadgen.scenario;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.loadgen.client.Timeouts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A block of a scenario file, read key by key. What is wrong is noted and replaced by the default, so that reading goes
 * on and all mistakes are told at once; a key nobody asked for is a mistake too. One thread.
 */
final class Block {

    private final Config config;
    private final String path;
    private final ScenarioMistakes mistakes;
    private final Set<String> asked = new HashSet<>();

    Block(Config config, String path, ScenarioMistakes mistakes) {
        this.config = config;
        this.path = path;
        this.mistakes = mistakes;
    }

    /** Notes a mistake of this key. */
    void wrong(String key, String need) {
        mistakes.add(path + key + shown(key) + ": " + need);
    }

    private String shown(String key) {
        ConfigValue value = config.root().get(key);
        return value == null ? "" : " = " + value.unwrapped();
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
        boolean scalar = value.valueType() != ConfigValueType.LIST && value.valueType() != ConfigValueType.OBJECT;
        Optional<T> read = scalar ? parser.apply(String.valueOf(value.unwrapped())) : Optional.empty();
        if (read.isEmpty()) {
            wrong(key, "need " + need);
        }
        return read.orElse(otherwise);
    }

    String text(String key, String otherwise) {
        return read(key, otherwise, "a text", Optional::of);
    }

    boolean flag(String key, boolean otherwise) {
        return read(key, otherwise, "true or false", text -> switch (text) {
            case "true", "yes", "on" -> Optional.of(true);
            case "false", "no", "off" -> Optional.of(false);
            default -> Optional.empty();
        });
    }

    /** One of these, each known by its label. */
    <E extends Enum<E>> E choice(String key, E otherwise, E[] all, Function<E, String> label) {
        Map<String, E> known = new TreeMap<>();
        for (E constant : all) {
            known.put(label.apply(constant), constant);
        }
        return read(key, otherwise, String.join(", ", known.keySet()), text -> Optional.ofNullable(known.get(text)));
    }

    double number(String key, double otherwise, double least, double most) {
        return read(key, otherwise, plain(least) + ".." + plain(most), text -> {
            try {
                double value = Double.parseDouble(text);
                return value >= least && value <= most ? Optional.of(value) : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        });
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
        return read(key, otherwise, "a whole number, " + least + ".." + most, text -> {
            try {
                long value = Long.parseLong(text.replace("_", ""));
                return value >= least && value <= most ? Optional.of(value) : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        });
    }

    /** A duration with its unit, nanoseconds. */
    long nanos(String key, String otherwise, String least, String most) {
        long from = Durations.nanos(least).orElseThrow();
        long until = Durations.nanos(most).orElseThrow();
        return read(
                key,
                Durations.nanos(otherwise).orElseThrow(),
                least + ".." + most + ", with its unit",
                text -> Durations.nanos(text).filter(nanos -> nanos >= from && nanos <= until));
    }

    long millis(String key, String otherwise, String least, String most) {
        return TimeUnit.NANOSECONDS.toMillis(nanos(key, otherwise, least, most));
    }

    /** A deadline with its unit, nanoseconds; {@code none}: {@link Timeouts#NEVER}; 0 when it is not said. */
    long limit(String key, String least, String most) {
        return says(key, "none") ? Timeouts.NEVER : nanos(key, "0s", least, most);
    }

    /** Whether the key has this very word for its value. */
    boolean says(String key, String word) {
        ConfigValue value = has(key) ? config.root().get(key) : null;
        return value != null && word.equals(value.unwrapped());
    }

    /** A word, or a list of words; empty when it is not said. */
    List<String> words(String key) {
        boolean list = has(key) && config.root().get(key) instanceof ConfigList;
        return list || !has(key) ? texts(key, List.of()) : List.of(text(key, ""));
    }

    /** Whether the key has a block for its value. */
    boolean isBlock(String key) {
        return has(key) && config.root().get(key) instanceof ConfigObject;
    }

    /** A block in which nothing is said. */
    Block none() {
        return new Block(ConfigFactory.empty(), path, mistakes);
    }

    /** A size with its unit, bytes. */
    int bytes(String key, int otherwise, int least, int most) {
        return read(key, otherwise, least + "B.." + most + "B, with its unit", text -> {
            try {
                long bytes = config.getBytes(key);
                return bytes >= least && bytes <= most && !text.matches("[0-9]+")
                        ? Optional.of((int) bytes)
                        : Optional.empty();
            } catch (ConfigException e) {
                return Optional.empty();
            }
        });
    }

    List<String> texts(String key, List<String> otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        List<String> texts = new ArrayList<>();
        if (config.root().get(key) instanceof ConfigList list) {
            list.forEach(value -> texts.add(String.valueOf(value.unwrapped())));
        } else {
            wrong(key, "need a list of texts");
        }
        return texts;
    }

    /** A block within; empty when there is none. */
    Block in(String key) {
        boolean there = has(key);
        if (there && !(config.root().get(key) instanceof ConfigObject)) {
            wrong(key, "need a block");
            there = false;
        }
        return new Block(there ? config.getConfig(key) : ConfigFactory.empty(), path + key + ".", mistakes);
    }

    /** A block taken as it is, for somebody else to read; empty text when there is none. */
    Map<String, Object> raw(String key) {
        return has(key) && config.root().get(key) instanceof ConfigObject object ? object.unwrapped() : Map.of();
    }

    /** The blocks of a list. */
    List<Block> each(String key) {
        List<Block> blocks = new ArrayList<>();
        if (!has(key)) {
            return blocks;
        }
        if (config.root().get(key) instanceof ConfigList list) {
            for (ConfigValue value : list) {
                String at = path + key + "[" + blocks.size() + "].";
                if (value instanceof ConfigObject object) {
                    blocks.add(new Block(object.toConfig(), at, mistakes));
                } else {
                    wrong(key, "need a list of blocks");
                    break;
                }
            }
        } else {
            wrong(key, "need a list of blocks");
        }
        return blocks;
    }

    /** Whatever was not asked for is a mistake. */
    void done() {
        for (String key : config.root().keySet()) {
            if (!asked.contains(key)) {
                mistakes.add(path + key + ": unknown key; known here: "
                        + String.join(", ", asked.stream().sorted().toList()));
            }
        }
    }
}
