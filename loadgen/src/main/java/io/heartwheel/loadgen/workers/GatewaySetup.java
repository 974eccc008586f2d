package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.scenario.Gateways;
import java.nio.file.Path;
import java.util.List;

/**
 * Gateways to start.
 *
 * @param jar the gateway
 * @param count processes, 1..1000; more than one share the listeners' ports
 * @param listeners their names, each with a {@code bind} among the settings, on port 0 or a fixed one
 * @param settings lines of configuration inside the {@code heartwheel} block; {@code ports-file} and {@code admin.bind} are
 *     given by the pool
 * @param javaOptions for the virtual machine
 */
public record GatewaySetup(
        Path jar, int count, List<String> listeners, List<String> settings, List<String> javaOptions) {

    /** Checks the ranges. */
    public GatewaySetup {
        if (count < 1 || count > Gateways.MOST) {
            throw new IllegalArgumentException("gateways = " + count + ": need 1.." + Gateways.MOST + " processes");
        }
    }
}
