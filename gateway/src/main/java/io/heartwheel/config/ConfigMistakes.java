package io.heartwheel.config;

import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Mistakes of a configuration, collected so that an operator sees all of them at once: {@code key = value: need range (file:line)}. One thread. */
final class ConfigMistakes {
    /** Every key stands under this one. */
    static final String ROOT = "heartwheel";

    /** Where a secret may stand, also by mistake. */
    private static final Set<String> SECRETS = Set.of("auth", "auth.token", "auth.http.url", "auth.jwt.keys-url");

    /** Where a value comes from that nobody gave. */
    static final String DEFAULT = "built-in default";

    private static final int LONGEST_VALUE = 80;

    private record Problem(int line, String text) {}

    private final List<Problem> found = new ArrayList<>();

    /** A value is not what is needed. */
    void add(String key, ConfigValue value, String need) {
        String shown = isSecret(key) ? "" : " = " + shown(value);
        note(ROOT + "." + key + shown + ": " + need, value.origin());
    }

    /** Whether nobody is shown the value: a token, or a URL that may have one in it. */
    static boolean isSecret(String key) {
        return SECRETS.contains(key) || (key.startsWith(FlatConfig.OUTLETS + ".") && key.endsWith(".url"));
    }

    /** Something is wrong that is no single value's fault. */
    void note(String text, @Nullable ConfigOrigin origin) {
        if (origin == null) {
            found.add(new Problem(Integer.MAX_VALUE, text));
        } else {
            int line = origin.filename() == null ? Integer.MAX_VALUE : origin.lineNumber();
            found.add(new Problem(line, text + " (" + where(origin) + ")"));
        }
    }

    /** @throws ConfigException if there is any, in the order of the file's lines */
    void throwIfAny() throws ConfigException {
        if (!found.isEmpty()) {
            throw new ConfigException(found.stream()
                    .sorted(Comparator.comparingInt(Problem::line))
                    .map(Problem::text)
                    .toList());
        }
    }

    /** File and line, or the override it came from. */
    static String where(ConfigOrigin origin) {
        String file = origin.filename();
        if (file == null) {
            // not the line of a default: that file is inside the jar
            return isDefault(origin) ? DEFAULT : origin.description();
        }
        String name = file.substring(file.lastIndexOf('/') + 1);
        return origin.lineNumber() > 0 ? name + ":" + origin.lineNumber() : name;
    }

    /** Whether nobody gave this value. */
    static boolean isDefault(ConfigOrigin origin) {
        return origin.filename() == null && origin.description().startsWith(DEFAULT);
    }

    /** A scalar letter by letter: 100.000 is not 100 to whoever wrote it. */
    static String written(ConfigValue scalar) {
        return scalar.atKey("value").getString("value");
    }

    /** A value on one line, cut if it is long. */
    static String shown(ConfigValue value) {
        String text =
                switch (value.valueType()) {
                    case STRING, NUMBER, BOOLEAN -> written(value);
                    default -> value.render(ConfigRenderOptions.concise());
                };
        String whole = text.isEmpty() ? "\"\"" : text.replaceAll("\\p{Cntrl}", "?");
        return whole.length() <= LONGEST_VALUE ? whole : whole.substring(0, LONGEST_VALUE) + "...";
    }
}
