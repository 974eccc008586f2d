package io.heartwheel.cluster;

import io.heartwheel.nats.NatsServers;
import java.util.regex.Pattern;

/**
 * Settings of the fleet that this gateway belongs to. Immutable; any thread.
 *
 * @param name of the fleet: gateways of one name on the same servers are one
 * @param node this gateway's name in it
 * @param address where devices reach it, {@code host:port}; empty: it tells nobody
 * @param nats where the rows are
 * @param replicas copies of the rows, on so many servers
 * @param deviceBuckets in how many buckets the rows of devices are; used when the first bucket is made
 * @param onOutage what becomes of devices while the engine is not to be had
 * @param sweepRate rows of own devices looked at a second
 */
public record ClusterSettings(
        String name,
        String node,
        String address,
        NatsServers nats,
        int replicas,
        int deviceBuckets,
        OnOutage onOutage,
        int sweepRate) {
    /** What else is in NATS beside a fleet: the events of outlets, and buckets whose names would be those of another fleet. */
    private static final Pattern TAKEN = Pattern.compile("events|.*-(groups|schedules|devices-[0-9]+)");

    /** Whether a fleet can be called so. */
    public static boolean isName(String name) {
        return NodeId.isName(name) && !TAKEN.matcher(name).matches();
    }

    /** What becomes of a device that comes while nobody can be asked who has its id. */
    public enum OnOutage {
        /** It is admitted, as if this gateway were alone. */
        LOCAL,
        /** It is told to come back later. */
        REFUSE
    }
}
