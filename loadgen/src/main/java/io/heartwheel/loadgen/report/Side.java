package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import java.util.List;

/**
 * Side that a connection costs something: kernel, gateway or generator.
 *
 * @param bytes memory in all; 0 when not known
 * @param bytesPerConnection NaN when not known
 * @param secondsForBeats CPU seconds for 100,000 heartbeats; NaN when not known
 */
record Side(String name, long bytes, double bytesPerConnection, double secondsForBeats) {

    /** Kernel, gateway, generator. What the kernel computes is counted with the process it computes for. */
    static List<Side> of(Costs costs) {
        return List.of(
                side(costs, "kernel", costs.kernelBytes(), 0),
                side(costs, "gateway", costs.gatewayBytes(), costs.gatewayCpuNanos()),
                side(costs, "generator", costs.generatorBytes(), costs.generatorCpuNanos()));
    }

    private static Side side(Costs costs, String name, long bytes, long cpuNanos) {
        return new Side(name, bytes, Figures.perConnection(costs, bytes), Figures.secondsForBeats(costs, cpuNanos));
    }
}
