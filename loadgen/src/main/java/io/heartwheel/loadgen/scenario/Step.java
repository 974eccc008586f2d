package io.heartwheel.loadgen.scenario;

import java.util.List;
import java.util.Locale;

/**
 * Step of the timeline: what happens at a time, to many devices or to the gateways.
 *
 * @param atNanos since observation began
 * @param action what
 * @param share of the devices, or ignored
 * @param forNanos how long it lasts, for what lasts
 * @param service whose processes it happens to; empty: the gateways
 * @param node number of the process it happens to, or {@link #ALL}
 * @param command for {@link Action#EXEC}
 * @param excuseNanos how long after it a connection that breaks is laid to this step
 */
public record Step(
        long atNanos,
        Action action,
        double share,
        long forNanos,
        String service,
        int node,
        List<String> command,
        long excuseNanos) {

    /** All gateway processes. */
    public static final int ALL = -1;

    /** Action of a step. */
    public enum Action {
        /** Devices say nothing more, their sockets open. */
        SILENCE,
        /** Devices vanish without a FIN. */
        VANISH,
        /** The network between devices and gateway is cut for a while. */
        CUT,
        /** Gateway processes are told to end in good order (SIGTERM) and, when they have, started again. */
        RESTART,
        /** Gateway processes are restarted one after the other, each when the one before is up again. */
        ROLLING_RESTART,
        /** Gateway processes are killed (SIGKILL) and started again after a while. */
        KILL,
        /** Gateway processes are told to end in good order, and stay away. */
        DRAIN,
        /** Gateway processes are stopped (SIGSTOP) for a while: nobody may be closed for that. */
        FREEZE,
        /** A command of the operator's is run; it may cost connections. */
        EXEC;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether it happens to devices rather than to gateways. */
        public boolean ofDevices() {
            return this == SILENCE || this == VANISH || this == CUT;
        }
    }

    /** Whether live connections may break through it. */
    public boolean outage() {
        return !action.ofDevices() && action != Action.FREEZE && service.isEmpty();
    }

    /**
     * Whether it may make the gateway send devices away. What a gateway takes to drain nobody here knows, so this has no
     * end.
     */
    public boolean ordersGoaway() {
        return outage() && action != Action.KILL;
    }

    /** In words, for reports. */
    public String text() {
        if (action.ofDevices()) {
            String lasting = action == Action.CUT ? " for " + Durations.text(forNanos) : "";
            return String.format(Locale.ROOT, "%s %.4g %% of the devices%s", action.label(), 100 * share, lasting);
        }
        if (action == Action.EXEC) {
            return "exec " + String.join(" ", command);
        }
        String kind = service.isEmpty() ? "gateway" : service;
        String whom = node != ALL ? kind + " " + node : service.isEmpty() ? "all gateways" : "all of " + service;
        return action.label() + " " + whom + (forNanos > 0 ? " for " + Durations.text(forNanos) : "");
    }
}
