package io.heartwheel.config;

import com.typesafe.config.ConfigValue;
import io.heartwheel.auth.AuthSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Plan of a reload: what a running gateway takes over from a changed configuration now, and what has to wait for a restart. A pure function of
 * the two configurations.
 *
 * <pre>
 *   in force --+                +--&gt; next:     fresh where it can be, as at start where not
 *              +-- key by key --+--&gt; taken:    "heartbeat.grace = 2.0 (was 1.5)"
 *   fresh -----+                +--&gt; waiting:  "wheel.tick = 20ms (in force: 10ms)"
 * </pre>
 *
 * @param next to be in force from now on
 * @param taken the changes in it, each with its value and the one before; empty if there are none
 * @param waiting the keys that only a restart can change, each with its value and the one in force
 */
public record ReloadPlan(LoadedConfig next, List<String> taken, List<String> waiting) {
    /**
     * What becomes of the one by the other.
     *
     * @throws IllegalArgumentException if what would be in force contradicts itself, because only a part of a change can be taken over
     */
    public static ReloadPlan of(LoadedConfig inForce, LoadedConfig fresh) {
        GatewaySettings old = inForce.settings();
        Map<String, ConfigValue> values = new TreeMap<>(inForce.values());
        List<String> taken = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        Set<String> keys = new TreeSet<>(inForce.values().keySet());
        keys.addAll(fresh.values().keySet());
        for (String key : keys) {
            ConfigValue before = inForce.values().get(key);
            ConfigValue after = fresh.values().get(key);
            boolean changed = !Objects.equals(unwrapped(before), unwrapped(after));
            if (waits(key, inForce, fresh)) {
                if (changed) {
                    waiting.add(key + " = " + shown(key, after) + " (in force: " + shown(key, before) + ")");
                }
                continue;
            }
            if (after == null) {
                values.remove(key);
            } else {
                values.put(key, after);
            }
            if (changed) {
                taken.add(key + " = " + shown(key, after) + " (was " + shown(key, before) + ")");
            }
        }
        AuthSettings auth = fresh.settings().auth();
        GatewaySettings settings =
                new SettingsBuilder(new Block(values), auth.token(), auth.methods()).build(old.wheel());
        boolean sameKeys = taken.stream().noneMatch(change -> change.startsWith("auth."));
        if (sameKeys && !Arrays.equals(auth.token(), old.auth().token())) {
            taken.add("auth.token-file: its content");
        }
        if (sameKeys && !auth.methods().equals(old.auth().methods())) {
            taken.add("auth.methods: the content of a file");
        }
        return new ReloadPlan(
                new LoadedConfig(settings, values, fresh.files()), List.copyOf(taken), List.copyOf(waiting));
    }

    private static boolean waits(String key, LoadedConfig inForce, LoadedConfig fresh) {
        if (key.equals("transport.max-connections")) {
            return !hasRoom(inForce.settings(), fresh.settings());
        }
        boolean comesOrGoes =
                !inForce.values().containsKey(key) || !fresh.values().containsKey(key);
        return (comesOrGoes && FlatConfig.isNamed(key))
                || switch (Keys.at(key).change()) {
                    case AT_RELOAD -> false;
                    case WITH_SWITCH -> isSwitched(key, inForce.values(), fresh.values());
                    case AT_RESTART -> true;
                };
    }

    /** The wheel has room for the connections that were allowed at start, and for no more. */
    private static boolean hasRoom(GatewaySettings old, GatewaySettings fresh) {
        return fresh.wheel().maxEntries() <= old.wheel().maxEntries();
    }

    /** Whether a block around this key is switched on or off. */
    private static boolean isSwitched(String key, Map<String, ConfigValue> before, Map<String, ConfigValue> after) {
        for (int dot = key.lastIndexOf('.'); dot > 0; dot = key.lastIndexOf('.', dot - 1)) {
            String around = key.substring(0, dot) + ".enabled";
            if (!Objects.equals(unwrapped(before.get(around)), unwrapped(after.get(around)))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Object unwrapped(@Nullable ConfigValue value) {
        return value == null ? null : value.unwrapped();
    }

    private static String shown(String key, @Nullable ConfigValue value) {
        if (value == null) {
            return "nothing";
        }
        return ConfigMistakes.isSecret(key) ? "***" : ConfigMistakes.shown(value);
    }
}
