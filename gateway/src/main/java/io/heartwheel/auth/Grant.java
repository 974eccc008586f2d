package io.heartwheel.auth;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Grant of a device: what it is allowed beside the ordinary. Devices with the same grant share one object ({@link Grants}), so it holds nothing of one session;
 * who is allowed nothing special has none. Immutable; any thread.
 *
 * @param minIntervalMillis least heartbeat interval, 0 for that of the configuration
 * @param maxIntervalMillis greatest heartbeat interval, 0 for that of the configuration
 * @param rateClass name of its rate limits, empty for the ordinary ones
 * @param groups names of groups it belongs to, distinct and sorted, at most {@link #MOST_GROUPS}
 * @param attributes names and values for back ends and limits, at most {@link #MOST_ATTRIBUTE_BYTES} of UTF-8 in all
 */
public record Grant(
        int minIntervalMillis,
        int maxIntervalMillis,
        String rateClass,
        List<String> groups,
        Map<String, String> attributes) {
    /** Groups of one device. */
    public static final int MOST_GROUPS = 32;
    /** Longest name of a group or a rate class, characters of {@code [A-Za-z0-9._:-]}. */
    public static final int LONGEST_NAME = 64;
    /** Attributes of one device, names and values, bytes. */
    public static final int MOST_ATTRIBUTE_BYTES = 1_024;

    /** Nothing special; {@link Grants} makes no grant of it. */
    public static final Grant NONE = new Grant(0, 0, "", List.of(), Map.of());

    /** @throws IllegalArgumentException naming the limit, if something is out of its range */
    public Grant {
        groups = groups.stream().distinct().sorted().toList();
        attributes = Map.copyOf(attributes);
        if (groups.size() > MOST_GROUPS) {
            throw new IllegalArgumentException(groups.size() + " groups: need at most " + MOST_GROUPS);
        }
        groups.forEach(group -> requireName("group", group));
        if (!rateClass.isEmpty()) {
            requireName("rate class", rateClass);
        }
        int bytes = attributes.entrySet().stream()
                .mapToInt(each -> utf8Bytes(each.getKey()) + utf8Bytes(each.getValue()))
                .sum();
        if (bytes > MOST_ATTRIBUTE_BYTES) {
            throw new IllegalArgumentException(
                    "attributes of " + bytes + " bytes: need at most " + MOST_ATTRIBUTE_BYTES);
        }
        if (minIntervalMillis < 0
                || maxIntervalMillis < 0
                || (maxIntervalMillis != 0 && minIntervalMillis > maxIntervalMillis)) {
            throw new IllegalArgumentException("interval " + minIntervalMillis + ".." + maxIntervalMillis
                    + " ms: need the least no greater than the greatest");
        }
    }

    private static void requireName(String what, String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    what + ": need a name of 1.." + LONGEST_NAME + " characters of [A-Za-z0-9._:-]");
        }
    }

    /** Whether a group or a rate class may be called this. */
    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= LONGEST_NAME
                && name.chars().allMatch(c -> c < 0x80 && (Character.isLetterOrDigit(c) || "._:-".indexOf(c) >= 0));
    }

    private static int utf8Bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The heartbeat interval it is granted, of the one that the configuration would grant. */
    public int clampMillis(int intervalMillis) {
        int atLeast = Math.max(intervalMillis, minIntervalMillis);
        return maxIntervalMillis == 0 ? atLeast : Math.min(atLeast, maxIntervalMillis);
    }
}
