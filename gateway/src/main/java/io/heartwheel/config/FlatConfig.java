package io.heartwheel.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.transport.ListenerSettings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration laid flat: single values by their path below {@code heartwheel}. A key that the defaults do not have is a mistake, so the
 * reference configuration is the list of keys; only listeners and outlets are named freely, and each knows the keys of the reference's {@code tcp} or
 * {@code main}, and what is empty there: loggers, rate classes, limits of groups and attributes.
 *
 * <pre>
 *   defaults  &lt;--  file  &lt;--  environment  &lt;--  -D        right beats left
 *      |            |              |             |
 *      +-- known? --+--------------+-------------+        unknown or misplaced: reported and left out
 * </pre>
 */
final class FlatConfig {
    static final String LISTENERS = "listeners";
    static final String OUTLETS = "outlets";
    /** The block whose keys are names of loggers, dots and all. */
    static final String LEVELS = "log.levels";

    /** The block whose blocks are rate classes. */
    static final String CLASSES = "limits.classes";
    /** The block whose keys are names of groups. */
    static final String GROUP_LIMITS = "connection-limits.groups";
    /** The block whose keys are names of attributes. */
    static final String ATTRIBUTE_LIMITS = "connection-limits.attributes";

    /** Blocks that are empty in the defaults, with whatever keys the operator gives them; each value is looked at by {@link Keys#at}. */
    private static final List<String> FREE = List.of(LEVELS, CLASSES, GROUP_LIMITS, ATTRIBUTE_LIMITS);

    /** Blocks whose blocks are named freely, each with the one of the defaults that lends its keys to all others. */
    private static final Map<String, String> TEMPLATES = Map.of(LISTENERS, "tcp", OUTLETS, "main");

    private final Map<String, ConfigValue> defaults = new TreeMap<>();
    private final Map<String, ConfigValue> said = new TreeMap<>();
    /** Names in the blocks whose blocks are named freely. */
    private final Map<String, Set<String>> named = new TreeMap<>();

    private final ConfigMistakes problems;

    /** @param defaults the tree below {@code heartwheel} of the reference configuration */
    FlatConfig(ConfigObject defaults, ConfigMistakes problems) {
        this.problems = problems;
        defaults.toConfig().entrySet().forEach(entry -> this.defaults.put(entry.getKey(), entry.getValue()));
        TEMPLATES.keySet().forEach(block -> named.put(block, new TreeSet<>()));
        this.defaults.keySet().stream().filter(FlatConfig::isNamed).forEach(path -> names(segment(path, 0))
                .add(segment(path, 1)));
    }

    /** Lays the operator's file over the defaults; if it has listeners or outlets, they stand instead of those of the defaults. */
    void addFile(ConfigObject root) {
        root.forEach((key, value) -> {
            if (!key.equals(ConfigMistakes.ROOT)) {
                unknown(
                        key,
                        SpellingHint.of(key, Set.of(ConfigMistakes.ROOT)).orElse(ConfigMistakes.ROOT + "." + key),
                        value);
            } else if (value instanceof ConfigObject tree) {
                named.forEach((block, names) -> {
                    if (tree.get(block) instanceof ConfigObject own) {
                        names.clear();
                        names.addAll(own.keySet());
                    }
                });
                tree.forEach((child, below) -> addTree(child, below));
            } else {
                problems.note(key + ": need a block { ... }", value.origin());
            }
        });
    }

    private void addTree(String path, ConfigValue value) {
        if (value instanceof ConfigObject block && (isBlock(path) || isFree(path))) {
            block.forEach((key, below) -> addTree(path + "." + key, below));
        } else {
            addLeaf(path, value);
        }
    }

    /** Lays overrides over everything; they cannot bring a new listener or outlet. */
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
        if (isBlock(path) || FREE.contains(path)) {
            problems.add(path, value, "need a block { ... }");
        } else if (isFree(path)) {
            said.put(path, value);
        } else if (!defaults.containsKey(known(path)) || !isNameKnown(path)) {
            unknown(ConfigMistakes.ROOT + "." + path, ConfigMistakes.ROOT + "." + path, value);
        } else if (value instanceof ConfigObject || value.valueType() == ConfigValueType.NULL) {
            problems.add(path, value, "need a single value");
        } else {
            said.put(path, value);
        }
    }

    /** Whether it is a block whose keys the operator names, or in one. */
    private static boolean isFree(String path) {
        return FREE.stream().anyMatch(block -> path.equals(block) || path.startsWith(block + "."));
    }

    private boolean isNameKnown(String path) {
        return !isNamed(path) || names(segment(path, 0)).contains(segment(path, 1));
    }

    /** Whether it is a key of a block that is named freely. */
    static boolean isNamed(String path) {
        return path.indexOf('.') > 0 && TEMPLATES.containsKey(segment(path, 0));
    }

    /** Names that count of the blocks within this one, in order. */
    Set<String> names(String block) {
        return Objects.requireNonNull(named.get(block), block);
    }

    /** The value of a key: what was said last, else the default; null only where a listener of the operator's own lacks its {@code bind}. */
    private @Nullable ConfigValue get(String path) {
        ConfigValue value = said.get(path);
        boolean lacking = value == null && path.endsWith(".bind") && !defaults.containsKey(path);
        return value != null || lacking ? value : fallback(path);
    }

    /** Every key with the value that counts; of what is named freely, those that count, of blocks that are empty in the defaults, what was said. */
    Map<String, ConfigValue> values() {
        Map<String, ConfigValue> all = new TreeMap<>();
        Stream<String> free = said.keySet().stream().filter(FlatConfig::isFree);
        Stream.concat(paths(), free).forEach(path -> {
            ConfigValue value = get(path);
            if (value != null) {
                all.put(path, value);
            }
        });
        return all;
    }

    /** The keys there may be, but for those of blocks that are empty in the defaults. */
    private Stream<String> paths() {
        Stream<String> fixed = defaults.keySet().stream().filter(path -> !isNamed(path));
        return Stream.concat(fixed, named.entrySet().stream().flatMap(block -> block.getValue().stream()
                .filter(name -> isName(block.getKey(), name))
                .flatMap(name -> paths(block.getKey(), name))));
    }

    private static boolean isName(String block, String name) {
        return block.equals(LISTENERS) ? ListenerSettings.isName(name) : OutletSettings.isName(name);
    }

    private Stream<String> paths(String block, String name) {
        String template = block + "." + TEMPLATES.get(block);
        return defaults.keySet().stream()
                .filter(path -> path.startsWith(template + "."))
                .map(path -> block + "." + name + path.substring(template.length()));
    }

    /** The default of a key: for a listener or outlet that of the same name in the defaults, else that of the template. */
    @Nullable
    ConfigValue fallback(String path) {
        ConfigValue own = defaults.get(path);
        return own != null ? own : defaults.get(known(path));
    }

    /** The path under which the defaults know this one: any listener's keys are the template's, and any outlet's. */
    static String known(String path) {
        String name = isNamed(path) ? segment(path, 1) : "";
        if (name.isEmpty()) {
            return path;
        }
        String block = segment(path, 0);
        return block + "." + TEMPLATES.get(block) + path.substring(block.length() + 1 + name.length());
    }

    private boolean isBlock(String path) {
        String start = known(path) + ".";
        return Stream.concat(defaults.keySet().stream(), FREE.stream()).anyMatch(leaf -> leaf.startsWith(start));
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

    /** The key or block that reads nearly alike, else the only key of its block that ends so, else the only one anywhere of exactly that name. */
    private Optional<String> suggestion(String wrong) {
        int dot = wrong.indexOf('.');
        if (dot < 0) {
            return Optional.of(wrong);
        }
        String path = wrong.substring(dot + 1);
        Map<String, String> known = new TreeMap<>();
        for (String key : paths().toList()) {
            known.put(joined(key), key);
            for (int end = key.lastIndexOf('.'); end > 0; end = key.lastIndexOf('.', end - 1)) {
                known.put(joined(key.substring(0, end)), key.substring(0, end));
            }
        }
        String block = path.substring(0, path.lastIndexOf('.') + 1);
        String name = path.substring(block.length());
        return SpellingHint.of(joined(path), known.keySet())
                .map(known::get)
                .or(() -> onlyOne(key -> key.startsWith(block) && joined(key).endsWith("_" + joined(name))))
                .or(() -> block.isEmpty() || isBlock(block.substring(0, block.length() - 1))
                        ? onlyOne(key -> key.endsWith("." + name))
                        : Optional.empty())
                .map(key -> ConfigMistakes.ROOT + "." + key);
    }

    /** The words of a path however they are joined: a variable's name hides what is a dot and what a dash. */
    private static String joined(String path) {
        return path.toLowerCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private Optional<String> onlyOne(Predicate<String> wanted) {
        List<String> found = paths().filter(wanted).toList();
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    private static String segment(String path, int index) {
        String[] parts = path.split("\\.", -1);
        return parts.length > index ? parts[index] : "";
    }
}
