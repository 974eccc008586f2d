package io.heartwheel.loadgen.fleet;

import java.util.List;
import java.util.Map;

/**
 * Report of what came out of the gateway since the last one.
 *
 * @param events in the order in which they came out
 * @param counts what the receiver counted since then, by the labels of {@link io.heartwheel.loadgen.measure.Count}
 * @param last whether observation is over: devices send no new messages from here on
 * @param complete whether what was acknowledged had its time to come out: what is missing is lost
 */
public record UplinkReport(List<UplinkEvent> events, Map<String, Long> counts, boolean last, boolean complete) {

    /** Keeps its own copies. */
    public UplinkReport {
        events = List.copyOf(events);
        counts = Map.copyOf(counts);
    }
}
