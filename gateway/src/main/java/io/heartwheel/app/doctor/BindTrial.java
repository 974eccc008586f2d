package io.heartwheel.app.doctor;

import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ListenerSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An address that a start would bind, looked up, bound and given back at once. Nobody connects to it meanwhile: it is never listened on.
 *
 * @param listener its name; {@value ListenerSettings#ADMIN} for the operator's, {@value ListenerSettings#MONITOR} for the monitors'
 * @param address as configured
 * @param shared whether other processes may have it as well
 * @param state what came of it
 * @param text what stands in the way, in a sentence; empty when it is free
 */
public record BindTrial(String listener, BindAddress address, boolean shared, State state, String text) {

    /** Outcome of the trial. */
    public enum State {
        /** It can be had. */
        FREE,
        /** A gateway has it already: fine for one that runs, and in the way of another. */
        RUNNING,
        /** A start would fail. */
        REFUSED
    }

    /** Tries all that these settings bind, on this machine. */
    public static List<BindTrial> of(GatewaySettings settings) {
        return of(settings, new Machine(Path.of("/")), new RealProbes());
    }

    static List<BindTrial> of(GatewaySettings settings, Machine machine, Probes probes) {
        List<BindTrial> all = new ArrayList<>();
        for (ListenerSettings listener : settings.listeners()) {
            all.add(attempt(listener.name(), listener.bind(), listener.reusePort(), machine, probes));
        }
        if (settings.admin().enabled()) {
            all.add(attempt(ListenerSettings.ADMIN, settings.admin().bind(), false, machine, probes));
        }
        if (settings.admin().monitor().enabled()) {
            all.add(attempt(ListenerSettings.MONITOR, settings.admin().monitor().bind(), false, machine, probes));
        }
        return all;
    }

    private static BindTrial attempt(
            String listener, BindAddress address, boolean shared, Machine machine, Probes probes) {
        Optional<String> obstacle = probes.unbindable(address, shared);
        if (obstacle.isEmpty()) {
            return new BindTrial(listener, address, shared, State.FREE, "");
        }
        Optional<PortHolder> holder = PortHolder.of(machine, address.port());
        boolean running = holder.filter(PortHolder::gateway).isPresent();
        String by = holder.map(it -> ", " + it.who() + " has it").orElse("");
        return new BindTrial(listener, address, shared, running ? State.RUNNING : State.REFUSED, obstacle.get() + by);
    }

    /** The key of the configuration that it comes from. */
    public String key() {
        return switch (listener) {
            case ListenerSettings.ADMIN -> "admin.bind";
            case ListenerSettings.MONITOR -> "admin.monitor.bind";
            default -> "listeners." + listener + ".bind";
        };
    }
}
