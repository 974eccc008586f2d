package io.heartwheel.config;

import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.drain.DrainSettings;
import org.jspecify.annotations.Nullable;

/** Rules between the keys of the cluster, and its settings. One thread. */
final class ClusterRules {
    private ClusterRules() {}

    /**
     * Notes what is wrong.
     *
     * @param looks whether files are looked at
     */
    static void check(Block root, boolean looks) {
        Block cluster = root.in("cluster");
        boolean enabled = cluster.flag("enabled");
        if (root.areGood("shutdown.alternate-host", "cluster.address")
                && root.text("shutdown.alternate-host").equals(DrainSettings.LEAST_LOADED)
                && (!enabled || cluster.text("address").isEmpty())) {
            root.problem("shutdown.alternate-host", "need cluster.enabled = true and a cluster.address with it");
        }
        if (!enabled) {
            return;
        }
        if (cluster.areGood("node") && node(root).isEmpty()) {
            cluster.problem("node", "need a name with enabled = true, unique in the fleet, or instance");
        }
        NatsRules.check(cluster.in("nats"), "enabled = true", looks);
    }

    /** This gateway's name in the fleet; empty: it has none. */
    static String node(Block root) {
        String node = root.text("cluster.node");
        return node.isEmpty() ? root.text("instance") : node;
    }

    /** Name of this process in its events. */
    static String nameInEvents(Block root) {
        return root.flag("cluster.enabled") ? node(root) : root.text("instance");
    }

    /** Settings whose keys are good; null: there is no cluster. */
    static @Nullable ClusterSettings settings(Block root) {
        Block cluster = root.in("cluster");
        return cluster.flag("enabled")
                ? new ClusterSettings(
                        cluster.text("name"),
                        node(root),
                        cluster.text("address"),
                        OutletKind.servers(cluster.in("nats")),
                        cluster.integer("replicas"),
                        cluster.integer("device-buckets"),
                        (ClusterSettings.OnOutage) cluster.get("on-outage"),
                        cluster.integer("sweep-rate"))
                : null;
    }
}
