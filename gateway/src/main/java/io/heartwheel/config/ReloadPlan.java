package io.heartwheel.config;

import com.typesafe.config.ConfigValue;
import io.heartwheel.admin.AdminSettings;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.SourceSettings;
import io.heartwheel.transport.TransportSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a running gateway can make of a configuration that has changed: what it takes over now, and what has to wait for a restart. A pure function of
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
    /** Keys that shape what was built at start. All others can change while the gateway runs. */
    private static final Pattern FIXED = Pattern.compile(String.join(
            "|",
            "listeners\\.[^.]+\\.(bind|protocol|enabled|backlog|reuse-port|tls\\.enabled|proxy\\.enabled)",
            "transport\\.(?!max-connections).*",
            "handshake\\.max-pending",
            "source-limits\\.(enabled|v6-prefix|tracked)",
            "breaker\\.(enabled|window)",
            "memory\\.unfinished",
            "(evidence|wheel|sink|tls|trace)\\..*",
            "admin\\.(enabled|bind)",
            "instance",
            "ports-file"));

    /** Blocks that are there or not since the start. */
    private static final Pattern SWITCHED =
            Pattern.compile("(?<block>(?<listener>listeners\\.[^.]+)\\.(tls|proxy)|source-limits)\\..*");

    private static final Set<String> SECRETS = Set.of("auth.token");

    /**
     * What becomes of the one by the other.
     *
     * @throws IllegalArgumentException if what would be in force contradicts itself, because only a part of a change can be taken over
     */
    public static ReloadPlan of(LoadedConfig inForce, LoadedConfig fresh) {
        GatewaySettings old = inForce.settings();
        GatewaySettings settings = merge(old, fresh.settings());
        Map<String, ConfigValue> values = new TreeMap<>(inForce.values());
        List<String> taken = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        Set<String> keys = new TreeSet<>(inForce.values().keySet());
        keys.addAll(fresh.values().keySet());
        for (String key : keys) {
            ConfigValue before = inForce.values().get(key);
            ConfigValue after = fresh.values().get(key);
            if (Objects.equals(unwrapped(before), unwrapped(after))) {
                continue;
            }
            if (isFixed(key, inForce, fresh)) {
                waiting.add(key + " = " + shown(key, after) + " (in force: " + shown(key, before) + ")");
            } else {
                if (after == null) {
                    values.remove(key);
                } else {
                    values.put(key, after);
                }
                taken.add(key + " = " + shown(key, after) + " (was " + shown(key, before) + ")");
            }
        }
        boolean sameToken = taken.stream().noneMatch(change -> change.startsWith("auth."));
        if (sameToken && !settings.auth().equals(old.auth())) {
            taken.add("auth.token-file: its content");
        }
        return new ReloadPlan(new LoadedConfig(settings, values), List.copyOf(taken), List.copyOf(waiting));
    }

    private static boolean isFixed(String key, LoadedConfig inForce, LoadedConfig fresh) {
        if (key.equals("transport.max-connections")) {
            return !hasRoom(inForce.settings(), fresh.settings());
        }
        Matcher switched = SWITCHED.matcher(key);
        boolean comesOrGoes =
                !inForce.values().containsKey(key) || !fresh.values().containsKey(key);
        return (comesOrGoes && key.startsWith(FlatConfig.LISTENERS + "."))
                || FIXED.matcher(key).matches()
                || (switched.matches()
                        && Stream.of(switched.group("block"), switched.group("listener"))
                                .anyMatch(block -> isSwitched(block, inForce.values(), fresh.values())));
    }

    /** The wheel has room for the connections that were allowed at start, and for no more. */
    private static boolean hasRoom(GatewaySettings old, GatewaySettings fresh) {
        return fresh.wheel().maxEntries() <= old.wheel().maxEntries();
    }

    private static boolean isSwitched(
            @Nullable String block, Map<String, ConfigValue> before, Map<String, ConfigValue> after) {
        String key = block + ".enabled";
        return !Objects.equals(unwrapped(before.get(key)), unwrapped(after.get(key)));
    }

    private static @Nullable Object unwrapped(@Nullable ConfigValue value) {
        return value == null ? null : value.unwrapped();
    }

    private static String shown(String key, @Nullable ConfigValue value) {
        if (value == null) {
            return "nothing";
        }
        return SECRETS.contains(key) ? "***" : ConfigMistakes.shown(value);
    }

    // ------------------------------------------------------------------ the settings

    private static GatewaySettings merge(GatewaySettings old, GatewaySettings fresh) {
        return new GatewaySettings(
                listeners(old, fresh).toList(),
                transport(old, fresh),
                old.tls(),
                admission(old.admission(), fresh.admission()),
                fresh.webSocket(),
                fresh.protocol(),
                fresh.auth(),
                fresh.liveness(),
                fresh.shadow(),
                fresh.stalls(),
                old.breaker().renewedBy(fresh.breaker()),
                memory(old.memory(), fresh.memory()),
                old.evidence(),
                old.wheel(),
                old.sink(),
                old.trace(),
                admin(old.admin(), fresh.admin()),
                fresh.drain(),
                fresh.log(),
                old.portsFile());
    }

    /** Those there are, with the certificates and balancers that the fresh configuration has for them. */
    private static Stream<ListenerSettings> listeners(GatewaySettings old, GatewaySettings fresh) {
        return old.listeners().stream().map(listener -> fresh.listeners().stream()
                .filter(other -> other.name().equals(listener.name()))
                .findFirst()
                .map(listener::renewedBy)
                .orElse(listener));
    }

    private static TransportSettings transport(GatewaySettings old, GatewaySettings fresh) {
        int wanted = fresh.transport().maxConnections();
        return hasRoom(old, fresh) ? old.transport().withMaxConnections(wanted) : old.transport();
    }

    private static AdmissionSettings admission(AdmissionSettings old, AdmissionSettings fresh) {
        SourceSettings before = old.sources();
        SourceSettings after = fresh.sources();
        if (before == null || after == null) {
            return old;
        }
        SourceSettings merged = new SourceSettings(
                after.connections(),
                after.acceptsPerSecond(),
                after.burst(),
                after.exempt(),
                before.v6PrefixBits(),
                before.tracked());
        return new AdmissionSettings(old.maxPending(), merged);
    }

    private static MemorySettings memory(MemorySettings old, MemorySettings fresh) {
        return new MemorySettings(fresh.enabled(), fresh.refuseAbove(), fresh.admitBelow(), old.unfinished());
    }

    private static AdminSettings admin(AdminSettings old, AdminSettings fresh) {
        return new AdminSettings(
                old.enabled(), old.bind(), fresh.maxBodyBytes(), fresh.maxConnections(), fresh.hosts());
    }
}
