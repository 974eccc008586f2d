package io.heartwheel.config;

import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.session.ConnectionQuotaSettings;
import io.heartwheel.transport.AcceptLimitSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The blocks of limits whose keys the operator names, and {@code accept-limit}: rules between their keys, and the records made of them. */
final class LimitRules {
    private LimitRules() {}

    /** Notes every contradiction. */
    static void check(Block root) {
        most(root, FlatConfig.CLASSES, classNames(root), RateClasses.MOST);
        for (String block : List.of(FlatConfig.GROUP_LIMITS, FlatConfig.ATTRIBUTE_LIMITS)) {
            most(root, block, Set.copyOf(root.keys(block)), ConnectionQuotaSettings.MOST);
        }
    }

    private static void most(Block root, String block, Set<String> names, int most) {
        if (names.size() > most) {
            root.note(block + ": need at most " + most + " names, not " + names.size());
        }
    }

    private static Set<String> classNames(Block root) {
        return root.keys(FlatConfig.CLASSES).stream()
                .map(key -> key.substring(0, Math.max(0, key.lastIndexOf('.'))))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The ordinary limits and those of the classes, which have of the ordinary ones what they do not say. */
    static RateClasses rates(Block root) {
        Block ordinary = root.in("limits");
        Map<String, RateLimits> classes = new TreeMap<>();
        for (String name : classNames(root)) {
            Block own = root.in(FlatConfig.CLASSES + "." + name);
            classes.put(
                    name,
                    new RateLimits(
                            (boolean) either(own, ordinary, "enabled"),
                            (int) either(own, ordinary, "frames-per-second"),
                            (long) either(own, ordinary, "bytes-per-second"),
                            (Duration) either(own, ordinary, "burst"),
                            (Duration) either(own, ordinary, "close-after")));
        }
        RateLimits limits = new RateLimits(
                ordinary.flag("enabled"),
                ordinary.integer("frames-per-second"),
                ordinary.bytes("bytes-per-second"),
                ordinary.duration("burst"),
                ordinary.duration("close-after"));
        return new RateClasses(limits, classes);
    }

    private static Object either(Block own, Block ordinary, String key) {
        return (own.has(key) ? own : ordinary).get(key);
    }

    /** The rate of accepts; null if it is off. */
    static @Nullable AcceptLimitSettings accepts(Block at) {
        return at.flag("enabled")
                ? new AcceptLimitSettings(
                        at.integer("per-second"),
                        at.integer("burst"),
                        at.duration("retry-min"),
                        at.duration("retry-max"))
                : null;
    }

    /** Limits of groups and attributes. */
    static ConnectionQuotaSettings quotas(Block root) {
        return new ConnectionQuotaSettings(
                numbers(root, FlatConfig.GROUP_LIMITS), numbers(root, FlatConfig.ATTRIBUTE_LIMITS));
    }

    private static Map<String, Integer> numbers(Block root, String block) {
        return root.keys(block).stream()
                .collect(Collectors.toMap(name -> name, name -> root.integer(block + "." + name)));
    }
}
