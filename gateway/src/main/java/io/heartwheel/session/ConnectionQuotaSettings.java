package io.heartwheel.session;

import java.util.Map;

/**
 * Limits of the established connections of one group, or with one value of an attribute. Immutable; any thread.
 *
 * @param groups most connections by the name of the group, each 1 or more, at most {@link #MOST}
 * @param attributes most connections of each value by the name of the attribute, each 1 or more, at most {@link #MOST}
 */
public record ConnectionQuotaSettings(Map<String, Integer> groups, Map<String, Integer> attributes) {
    /** Names of either kind. */
    public static final int MOST = 256;

    /** No limit. */
    public static final ConnectionQuotaSettings NONE = new ConnectionQuotaSettings(Map.of(), Map.of());

    /** @throws IllegalArgumentException if there are too many */
    public ConnectionQuotaSettings {
        groups = Map.copyOf(groups);
        attributes = Map.copyOf(attributes);
        if (groups.size() > MOST || attributes.size() > MOST) {
            throw new IllegalArgumentException(
                    "connection-limits: need at most " + MOST + " groups and " + MOST + " attributes");
        }
    }
}
