package io.heartwheel.loadgen.judge;

import java.util.List;

/**
 * Memory and CPU that a run took, measured when most devices were connected. Memory in bytes, all processes of a side together; what is
 * not known is 0.
 *
 * @param connections open then
 * @param generatorProcesses processes that run devices
 * @param generatorBytes their proportional set size
 * @param generatorCpuNanos CPU time they used while observed, once they had warmed up, without compiling
 * @param gatewayProcesses gateway processes this run started
 * @param gatewayBytes their proportional set size
 * @param gatewayCpuNanos CPU time they used in the same time, without compiling
 * @param kernelBytes what the kernel took for sockets: growth of its slabs and socket buffers since before the run
 * @param beats heartbeats sent in the same time
 */
public record Costs(
        long connections,
        int generatorProcesses,
        long generatorBytes,
        long generatorCpuNanos,
        int gatewayProcesses,
        long gatewayBytes,
        long gatewayCpuNanos,
        long kernelBytes,
        long beats) {
    private static final double BEATS = 100_000;

    /** Of a run that measured nothing. */
    public static final Costs UNKNOWN = new Costs(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * Side that a connection costs something: kernel, gateway or generator.
     *
     * @param bytes memory in all; 0 when not known
     * @param bytesPerConnection NaN when not known
     * @param secondsForBeats CPU seconds for 100,000 heartbeats; NaN when not known
     */
    public record Side(String name, long bytes, double bytesPerConnection, double secondsForBeats) {}

    /** Kernel, gateway, generator. What the kernel computes is counted with the process it computes for. */
    public List<Side> sides() {
        return List.of(
                side("kernel", kernelBytes, 0),
                side("gateway", gatewayBytes, gatewayCpuNanos),
                side("generator", generatorBytes, generatorCpuNanos));
    }

    private Side side(String name, long bytes, long cpuNanos) {
        double perConnection = bytes > 0 && connections > 0 ? (double) bytes / connections : Double.NaN;
        double seconds = cpuNanos > 0 && beats > 0 ? cpuNanos / 1e9 * BEATS / beats : Double.NaN;
        return new Side(name, bytes, perConnection, seconds);
    }

    /** Bytes of all sides; NaN unless each is known. */
    public double totalBytes() {
        boolean known = kernelBytes > 0 && gatewayBytes > 0 && generatorBytes > 0;
        return known ? (double) kernelBytes + gatewayBytes + generatorBytes : Double.NaN;
    }
}
