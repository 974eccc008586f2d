package io.heartwheel.loadgen.judge;

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
        long beats) {}
