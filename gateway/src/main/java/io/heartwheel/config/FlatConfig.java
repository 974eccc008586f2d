package io.heartwheel.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.transport.ListenerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration laid flat: single values by their path below {@code heartwheel}. A key that the defaults do not have is a mistake, so the
 * reference configuration is the list of keys; only listeners are named freely, and each knows the keys of the reference's {@code tcp}, and loggers.
 *
 * <pre>
 *   defaults  &lt;--  file  &lt;--  environment  &lt;--  -D        right beats left
 *      |            |              |             |
 *      +-- known? --+--------------+-------------+        unknown or misplaced: reported and left out
 * </pre>
 */
final class FlatConfig {
    static final String LISTENERS = "listeners";
    /** The block whose keys are names of loggers, dots and all. */
    static final String LEVELS = "log.levels";
    /** The listener of the defaults that lends its keys to all others. */
    static final String TEMPLATE = "tcp";

    private final Map<String, ConfigValue> defaults = new LinkedHashMap<>();
    private final Map<String, ConfigValue> said = new TreeMap<>();
    private final Set<String> listeners = new TreeSet<>();
    private final ConfigMistakes problems;

    /** @param defaults the tree below {@code heartwheel} of the reference configuration */
    FlatConfig(ConfigObject defaults, ConfigMistakes problems) {
        this.problems = problems;
        flatten("", defaults);
        listeners.addAll(childrenOf(LISTENERS));
    }

    private void flatten(String path, ConfigObject tree) {
        tree.forEach((key, value) -> {
            if (value instanceof ConfigObject block) {
                flatten(path + key + ".", block);
            } else {
                defaults.put(path + key, value);
            }
        });
    }

    /** Lays the operator's file over the defaults; if it has listeners, they stand instead of those of the defaults. */
    void addFile(ConfigObject root) {
        root.forEach((key, value) -> {
            if (!key.equals(ConfigMistakes.ROOT)) {
                unknown(
                        key,
                        SpellingHint.of(key, Set.of(ConfigMistakes.ROOT)).orElse(ConfigMistakes.ROOT + "." + key),
                        value);
            } else if (value instanceof ConfigObject tree) {
                if (tree.get(LISTENERS) instanceof ConfigObject named) {
                    listeners.clear();
                    listeners.addAll(named.keySet());
                }
                tree.forEach((child, below) -> addTree(child, below));
            } else {
                problems.note(key + ": need a block { ... }", value.origin());
            }
        });
    }

    private void addTree(String path, ConfigValue value) {
        if (value instanceof ConfigObject block && (isBlock(path) || isLevel(path))) {
            block.forEach((key, below) -> addTree(path + "." + key, below));
        } else {
            addLeaf(path, value);
        }
    }

    /** Lays overrides over everything; they cannot bring a new listener. */
    void addOverrides(Map<String, ConfigValue> overrides) {
        overrides.forEach((fullPath, value) -> {
            String path = fullPath.substring(fullPath.indexOf('.') + 1);
            if (!fullPath.startsWith(ConfigMistakes.ROOT + ".")) {
                unknown(fullPath, fullPath.toLowerCase(Locale.ROOT), value);
                return;
            }
            ConfigValue known = defaults.get(known(path));
            addLeaf(path, known != null && known.valueType() == ConfigValueType.LIST ? Overrides.split(value) : value);
        });
    }

    private void addLeaf(String path, ConfigValue value) {
        if (isBlock(path) || path.equals(LEVELS)) {
            problems.add(path, value, "need a block { ... }");
        } else if (isLevel(path)) {
            said.put(path, value);
        } else if (!defaults.containsKey(known(path)) || !isListenerKnown(path)) {
            unknown(ConfigMistakes.ROOT + "." + path, ConfigMistakes.ROOT + "." + path, value);
        } else if (value instanceof ConfigObject || value.valueType() == ConfigValueType.NULL) {
            problems.add(path, value, "need a single value");
        } else {
            said.put(path, value);
        }
    }

    /** Whether it is the level of a logger, or the block of them. */
    static boolean isLevel(String path) {
        return path.equals(LEVELS) || path.startsWith(LEVELS + ".");
    }

    /** Names of the loggers that were given a level, in order. */
    private List<String> loggers() {
        String start = LEVELS + ".";
        return said.keySet().stream()
                .filter(path -> path.startsWith(start))
                .map(path -> path.substring(start.length()))
                .toList();
    }

    private boolean isListenerKnown(String path) {
        return !path.startsWith(LISTENERS + ".") || listeners.contains(segment(path, 1));
    }

    /** Names of the listeners that count, in order. */
    Set<String> listeners() {
        return listeners;
    }

    /** The value of a key: what was said last, else the default; null only where a listener of the operator's own lacks its {@code bind}. */
    private @Nullable ConfigValue get(String path) {
        ConfigValue value = said.get(path);
        boolean lacking = value == null && path.endsWith(".bind") && !defaults.containsKey(path);
        return value != null || lacking ? value : fallback(path);
    }

    /** Every key with the value that counts; of the listeners, those that count, of the loggers, those that were given a level. */
    Map<String, ConfigValue> values() {
        Map<String, ConfigValue> all = new TreeMap<>();
        Stream<String> own = defaults.keySet().stream().filter(path -> !path.startsWith(LISTENERS + "."));
        String template = LISTENERS + "." + TEMPLATE;
        Stream<String> ofListeners = listeners.stream()
                .filter(ListenerSettings::isName)
                .flatMap(name -> defaults.keySet().stream()
                        .filter(path -> path.startsWith(template + "."))
                        .map(path -> LISTENERS + "." + name + path.substring(template.length())));
        Stream<String> levels = loggers().stream().map(name -> LEVELS + "." + name);
        Stream.of(own, ofListeners, levels).flatMap(paths -> paths).forEach(path -> {
            ConfigValue value = get(path);
            if (value != null) {
                all.put(path, value);
            }
        });
        return all;
    }

    /** The default of a key: for a listener that of the same name in the defaults, else that of the template. */
    @Nullable
    ConfigValue fallback(String path) {
        ConfigValue own = defaults.get(path);
        return own != null ? own : defaults.get(known(path));
    }

    /** The path under which the defaults know this one: any listener's keys are the template's. */
    static String known(String path) {
        String name = path.startsWith(LISTENERS + ".") ? segment(path, 1) : "";
        return name.isEmpty()
                ? path
                : LISTENERS + "." + TEMPLATE + path.substring(LISTENERS.length() + 1 + name.length());
    }

    private boolean isBlock(String path) {
        String start = known(path) + ".";
        return defaults.keySet().stream().anyMatch(leaf -> leaf.startsWith(start));
    }

    private void unknown(String shown, String meant, ConfigValue value) {
        String hint = suggestion(meant)
                .filter(near -> !near.equals(shown))
                .map(near -> ", did you mean " + asWritten(near, value) + "?")
                .orElse("");
        problems.note(shown + ": unknown key" + hint, value.origin());
    }

    /** The key in the form in which the operator wrote the wrong one. */
    private static String asWritten(String key, ConfigValue value) {
        return Overrides.isVariable(value) ? key + ", " + Overrides.variable(key) : key;
    }

    /** A neighbour of nearly that name, else a key of the same block that reads alike, else one elsewhere of exactly that name. */
    private Optional<String> suggestion(String fullPath) {
        List<String> good = new ArrayList<>();
        String[] parts = fullPath.split("\\.");
        for (int i = 1; i < parts.length; i++) {
            String block = String.join(".", good);
            Optional<String> near = near(block, parts[i]);
            boolean last = i == parts.length - 1;
            if (near.isEmpty() || (!last && !isBlock(below(block, near.get())))) {
                return within(block, List.of(parts).subList(i, parts.length))
                        .or(() -> last ? elsewhere(parts[parts.length - 1]) : Optional.empty())
                        .map(path -> ConfigMistakes.ROOT + "." + path);
            }
            good.add(near.get());
        }
        good.add(0, ConfigMistakes.ROOT);
        return Optional.of(String.join(".", good));
    }

    private static String below(String block, String name) {
        return block.isEmpty() ? name : block + "." + name;
    }

    /** The key below a block that is these words however they are joined, or else nearly so: a variable's name hides what is a dot and what a dash. */
    private Optional<String> within(String block, List<String> words) {
        if (block.equals(LISTENERS)) {
            return Optional.empty();
        }
        String start = known(block).isEmpty() ? "" : known(block) + ".";
        Map<String, String> tails = new TreeMap<>();
        defaults.keySet().stream()
                .filter(path -> path.startsWith(start) && !(start.isEmpty() && path.startsWith(LISTENERS)))
                .map(path -> path.substring(start.length()))
                .forEach(tail -> tails.putIfAbsent(joined(tail), tail));
        String wrong = joined(String.join(".", words));
        return SpellingHint.of(wrong, tails.keySet())
                .or(() -> onlyOne(tails.keySet(), wrong))
                .map(near -> below(block, tails.getOrDefault(near, near)));
    }

    private static String joined(String path) {
        return path.toLowerCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** The one that ends with this word. */
    private static Optional<String> onlyOne(Set<String> tails, String word) {
        List<String> ending =
                tails.stream().filter(tail -> tail.endsWith("_" + word)).toList();
        return ending.size() == 1 ? Optional.of(ending.get(0)) : Optional.empty();
    }

    private Optional<String> near(String block, String name) {
        Set<String> siblings = block.equals(LISTENERS) ? listeners : childrenOf(known(block));
        return siblings.contains(name) ? Optional.of(name) : SpellingHint.of(name, siblings);
    }

    private Optional<String> elsewhere(String name) {
        List<String> same = defaults.keySet().stream()
                .filter(path -> path.endsWith("." + name) && !path.startsWith(LISTENERS + "."))
                .toList();
        return same.size() == 1 ? Optional.of(same.get(0)) : Optional.empty();
    }

    private Set<String> childrenOf(String block) {
        String start = block.isEmpty() ? "" : block + ".";
        return defaults.keySet().stream()
                .filter(path -> path.startsWith(start))
                .map(path -> segment(path.substring(start.length()), 0))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String segment(String path, int index) {
        String[] parts = path.split("\\.", -1);
        return parts.length > index ? parts[index] : "";
    }
}
