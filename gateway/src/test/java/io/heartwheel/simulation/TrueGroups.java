package io.heartwheel.simulation;

import io.heartwheel.session.ConnectionQuotaSettings;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Connections of each group, as they truly are, and how many of them there may be. Group 0 is none. */
final class TrueGroups {
    /** Groups there are. */
    static final int COUNT = 2;

    private final int[] limits;
    private final int[] connections = new int[COUNT + 1];

    TrueGroups(int devices) {
        limits = new int[] {Integer.MAX_VALUE, 1, 1 + devices / 8};
    }

    static String name(int group) {
        return "g" + group;
    }

    ConnectionQuotaSettings settings() {
        return new ConnectionQuotaSettings(Map.of(name(1), limits[1], name(2), limits[2]), Map.of());
    }

    /** Whether one of this group may be established that takes the place of another, or of none. */
    boolean hasRoom(int group, @Nullable TrueHistory replaced) {
        return connections[group] < limits[group]
                || (replaced != null && replaced.isEstablished() && replaced.group == group);
    }

    /** It is established, or has another group from now on. */
    void enter(TrueHistory history, int group) {
        leave(history);
        history.group = group;
        connections[group]++;
    }

    /** It is established no more. */
    void leave(TrueHistory history) {
        if (history.group >= 0) {
            connections[history.group]--;
            history.group = -1;
        }
    }
}
