package io.heartwheel.app;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.drain.DrainSettings;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The other gateways of the fleet, as those who take what a drain sends away.
 *
 * <p>Immutable; any thread.
 *
 * @param words those that are there, as they describe themselves; quick
 */
record OtherGateways(Supplier<List<NodeStatus>> words) {
    /** This gateway is alone. */
    static final OtherGateways NONE = new OtherGateways(List::of);

    /** Those that take devices now; with {@code least-loaded} those that say where. */
    private List<NodeStatus> takers(boolean withAddress) {
        return words.get().stream()
                .filter(each -> each.admitPerSecond() > 0)
                .filter(each -> !withAddress || !each.address().isEmpty())
                .toList();
    }

    /** What is configured, with what is left to the fleet as it is now. */
    DrainSettings complete(DrainSettings configured) {
        return configured.among(takers(configured.isToLeastLoaded()).stream()
                .map(NodeStatus::admitPerSecond)
                .toList());
    }

    /**
     * Where one drain sends devices: each time to the gateway with the fewest, those included that were sent there before and may still be on their way.
     *
     * @return the address for so many that are sent now; empty: nobody says where. One thread
     */
    IntFunction<String> leastLoaded() {
        Map<NodeId, Long> expected = new HashMap<>();
        return devices -> {
            List<NodeStatus> takers = takers(true);
            takers.forEach(each -> expected.merge(each.node(), each.devices(), Math::max));
            Optional<NodeStatus> fewest =
                    takers.stream().min(Comparator.comparingLong(each -> expected.getOrDefault(each.node(), 0L)));
            fewest.ifPresent(to -> expected.merge(to.node(), (long) devices, Long::sum));
            return fewest.map(NodeStatus::address).orElse("");
        };
    }
}
