package io.heartwheel.session;

import io.heartwheel.auth.Grant;
import io.heartwheel.liveness.RateClasses;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts of established connections by group and by value of an attribute, and their limits.
 *
 * <pre>
 *   enter:  every group and every value has room?  --yes--&gt; each is counted       --no--&gt; nothing is, and the first full one is named
 *   leave:  each is counted down, and forgotten at zero
 * </pre>
 *
 * Connections are counted by grant, and grants are shared, so this is a small table; what has a limit is counted from it. So a limit that a reload brings counts
 * from its first moment those who are here already. They stay, be they too many.
 *
 * <p>Any thread. One lock, held for as long as it takes to look up the groups and attributes of one grant, under a microsecond; a connection without a grant never
 * takes it. With several locks, or none, two newcomers who want the same two last places could each take one and both be refused. A reload that changes
 * names counts once anew: a tenth of a second with a million different grants, far less with the usual thousands.
 */
public final class ConnectionQuotas {
    private final LongAdder groupRefusals = new LongAdder();
    private final LongAdder attributeRefusals = new LongAdder();
    private final LongAdder unknownRateClasses = new LongAdder();

    private volatile RateClasses rateClasses;

    // ---- guarded by this
    private ConnectionQuotaSettings settings;
    /** Connections of each grant that has a group or an attribute. */
    private final Map<Grant, Count> grants = new HashMap<>();
    /** By group, of those with a limit. */
    private final Map<String, Count> groups = new HashMap<>();
    /** By attribute and value, of those with a limit. */
    private final Map<Attribute, Count> attributes = new HashMap<>();

    private record Attribute(String name, String value) {}

    private static final class Count {
        int connections;
    }

    /**
     * Nobody is in yet.
     *
     * @param rateClasses the rate classes there are
     */
    public ConnectionQuotas(ConnectionQuotaSettings settings, RateClasses rateClasses) {
        this.settings = settings;
        this.rateClasses = rateClasses;
    }

    /** Goes by these from now on. Those who are in stay, and count. */
    public synchronized void reconfigure(ConnectionQuotaSettings fresh, RateClasses freshClasses) {
        rateClasses = freshClasses;
        boolean sameNames = fresh.groups().keySet().equals(settings.groups().keySet())
                && fresh.attributes().keySet().equals(settings.attributes().keySet());
        settings = fresh;
        if (!sameNames) {
            groups.clear();
            attributes.clear();
            grants.forEach((grant, count) -> count(grant, count.connections));
        }
    }

    // ------------------------------------------------------------------ in, out, and from one grant to another

    /**
     * Counts a connection in.
     *
     * @param grant null: without one, which is always let in
     * @param replaced asked under the lock for the grant of a connection of the same device that it takes the place of, null if that one is not counted or has
     *     left: what that one has too cannot be full for it. Null: there is none
     * @return null if it is in; else what is full, for people, and nothing was counted
     */
    public @Nullable String enter(@Nullable Grant grant, @Nullable Supplier<@Nullable Grant> replaced) {
        if (grant == null) {
            return null;
        }
        lookAtRateClass(grant);
        if (!isCounted(grant)) {
            return null;
        }
        synchronized (this) {
            Grant own = replaced == null ? null : replaced.get();
            String full = full(grant, own == null ? Grant.NONE : own);
            if (full == null) {
                add(grant, 1);
            }
            return full;
        }
    }

    /**
     * Counts out a connection that was let in with this grant, or has it by {@link #change}.
     *
     * @param left run once, under the lock if it was counted: from then on it is seen to have left, so that the place it gave back is not taken twice
     */
    public void leave(@Nullable Grant grant, Runnable left) {
        if (grant == null || !isCounted(grant)) {
            left.run();
            return;
        }
        synchronized (this) {
            add(grant, -1);
            left.run();
        }
    }

    /** A connection that is in has another grant from now on. Never refused: who is in stays in. */
    public void change(@Nullable Grant before, @Nullable Grant after) {
        if (Objects.equals(before, after)) {
            return;
        }
        if (after != null) {
            lookAtRateClass(after);
        }
        synchronized (this) {
            if (after != null && isCounted(after)) {
                add(after, 1);
            }
            if (before != null && isCounted(before)) {
                add(before, -1);
            }
        }
    }

    private static boolean isCounted(Grant grant) {
        return !grant.groups().isEmpty() || !grant.attributes().isEmpty();
    }

    private void lookAtRateClass(Grant grant) {
        if (!rateClasses.knows(grant.rateClass())) {
            unknownRateClasses.increment();
        }
    }

    private @Nullable String full(Grant grant, Grant replaced) {
        for (String group : grant.groups()) {
            Integer limit = settings.groups().get(group);
            if (limit != null
                    && connections(groups.get(group)) >= limit
                    && !replaced.groups().contains(group)) {
                groupRefusals.increment();
                return "the group " + group + " has its " + limit + " connections";
            }
        }
        if (!settings.attributes().isEmpty()) {
            for (Map.Entry<String, String> each : grant.attributes().entrySet()) {
                Integer limit = settings.attributes().get(each.getKey());
                Attribute attribute = new Attribute(each.getKey(), each.getValue());
                if (limit != null
                        && connections(attributes.get(attribute)) >= limit
                        && !each.getValue().equals(replaced.attributes().get(each.getKey()))) {
                    attributeRefusals.increment();
                    return "as many connections with this " + each.getKey() + " as there may be: " + limit;
                }
            }
        }
        return null;
    }

    private void add(Grant grant, int connections) {
        add(grants, grant, connections);
        count(grant, connections);
    }

    private void count(Grant grant, int connections) {
        for (String group : grant.groups()) {
            if (settings.groups().containsKey(group)) {
                add(groups, group, connections);
            }
        }
        if (!settings.attributes().isEmpty()) {
            grant.attributes().forEach((name, value) -> {
                if (settings.attributes().containsKey(name)) {
                    add(attributes, new Attribute(name, value), connections);
                }
            });
        }
    }

    private static <K> void add(Map<K, Count> counts, K key, int connections) {
        Count count = counts.computeIfAbsent(key, absent -> new Count());
        count.connections += connections;
        if (count.connections == 0) {
            counts.remove(key);
        }
    }

    private static int connections(@Nullable Count count) {
        return count == null ? 0 : count.connections;
    }

    // ------------------------------------------------------------------ figures

    /** Connections by group, of those groups that have a limit. */
    public synchronized Map<String, Integer> groupConnections() {
        Map<String, Integer> counts = new TreeMap<>();
        settings.groups().keySet().forEach(group -> counts.put(group, connections(groups.get(group))));
        return counts;
    }

    /** Connections refused because a group of theirs was full. */
    public long groupRefusals() {
        return groupRefusals.sum();
    }

    /** Connections refused because as many had the same value of an attribute. */
    public long attributeRefusals() {
        return attributeRefusals.sum();
    }

    /** Grants with a rate class that there is not; these connections have the ordinary limits. */
    public long unknownRateClasses() {
        return unknownRateClasses.sum();
    }

    /** Whether nothing is counted at all. */
    synchronized boolean isEmpty() {
        return grants.isEmpty() && groups.isEmpty() && attributes.isEmpty();
    }
}
