package io.heartwheel.config;

import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values given outside of the file: {@code -Dheartwheel.a.b=c} and, weaker, {@code CONFIG_FORCE_heartwheel_a_b=c}. Variables are read here
 * and not by typesafe-config, which takes them from the process only and loses the names.
 */
final class Overrides {
    private static final String PREFIX = ConfigMistakes.ROOT + ".";
    private static final String VARIABLE = "CONFIG_FORCE_";
    private static final String OPTION = "-D";

    private Overrides() {}

    /** Values by their path from the root, each with the place it came from. Paths without {@code heartwheel} are somebody else's. */
    static Map<String, ConfigValue> of(Map<String, String> properties, Map<String, String> environment) {
        Map<String, ConfigValue> all = new TreeMap<>();
        environment.forEach((name, value) -> {
            if (name.regionMatches(
                    true, 0, VARIABLE + ConfigMistakes.ROOT + "_", 0, VARIABLE.length() + PREFIX.length())) {
                all.put(path(name.substring(VARIABLE.length())), ConfigValueFactory.fromAnyRef(value, name));
            }
        });
        properties.forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                all.put(name, ConfigValueFactory.fromAnyRef(value, OPTION + name));
            }
        });
        return Collections.unmodifiableMap(all);
    }

    /** A list written in one line: {@code a, b}. */
    static ConfigValue split(ConfigValue value) {
        String text = String.valueOf(value.unwrapped()).strip();
        var parts = text.isEmpty() ? Collections.<String>emptyList() : Arrays.asList(text.split("\\s*,\\s*", -1));
        return ConfigValueFactory.fromIterable(parts, value.origin().description());
    }

    /** Whether a value came from a variable. */
    static boolean isVariable(ConfigValue value) {
        return value.origin().description().regionMatches(true, 0, VARIABLE, 0, VARIABLE.length());
    }

    /** Whether a value came from a variable or from the command line. */
    static boolean isOverride(ConfigValue value) {
        return isVariable(value) || value.origin().description().startsWith(OPTION);
    }

    /** The variable that sets this key: {@link #path} backwards. */
    static String variable(String path) {
        return VARIABLE + path.replace("_", "___").replace("-", "__").replace('.', '_');
    }

    /** One underscore is a dot, two are a dash, three an underscore. */
    static String path(String variable) {
        return variable.replace("___", "\0")
                .replace("__", "-")
                .replace('_', '.')
                .replace('\0', '_');
    }
}
