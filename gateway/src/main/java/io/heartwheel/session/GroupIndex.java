package io.heartwheel.session;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sessions by the groups of their grants. One without a group is nowhere in it and costs nothing; else it takes about 20 bytes for each group.
 *
 * <p>Any thread. A group is changed and copied within {@code compute} of its key alone.
 */
final class GroupIndex {
    private final ConcurrentHashMap<String, Set<Session>> groups = new ConcurrentHashMap<>();

    /** The session is in these groups instead of those. In one that it stays in, it is all the while. */
    void change(Session session, List<String> before, List<String> after) {
        for (String group : after) {
            groups.compute(group, (name, there) -> {
                Set<Session> its = there == null ? Collections.newSetFromMap(new IdentityHashMap<>(1)) : there;
                its.add(session);
                return its;
            });
        }
        for (String group : before) {
            if (!after.contains(group)) {
                groups.computeIfPresent(group, (name, its) -> its.remove(session) && its.isEmpty() ? null : its);
            }
        }
    }

    /** Those that are in the group now. Of a device that is being taken over, both. */
    List<Session> members(String group) {
        List<Session> copy = new ArrayList<>();
        groups.computeIfPresent(group, (name, its) -> {
            copy.addAll(its);
            return its;
        });
        return copy;
    }
}
