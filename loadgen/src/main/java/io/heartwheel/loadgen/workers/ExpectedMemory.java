package io.heartwheel.loadgen.workers;

/**
 * Memory that a run is expected to take on a machine, by who takes it. A pure function of a load and its number of workers;
 * made from what processes and connections were measured to take (proportional set size, x86_64, JDK 17), so it is what to
 * expect and not a bound.
 *
 * <pre>
 *   measured, MiB a process             1,000 to 3,000   17,000 to 19,000 devices
 *   worker (C1, SerialGC, small heap)        52..60              71..87           the more processes, the less: classes are shared
 *   gateway, the same options                54..68              66..95
 *   gateway, options of its own             121..158       187 at 10,000
 *   generator in one process                109..137       141 at 10,000
 *   kernel, a loopback connection         5.6..7.1 KiB, both ends, while it beats
 * </pre>
 *
 * @param coordinatorBytes this process, and the devices where they are run in it
 * @param workerBytes worker processes
 * @param gatewayBytes gateways that the run starts
 * @param kernelBytes sockets, of gateways on this machine too
 */
record ExpectedMemory(long coordinatorBytes, long workerBytes, long gatewayBytes, long kernelBytes) {

    /** A socket that beats, with its entry in epoll: half of what both ends of a connection take. */
    static final long SOCKET_BYTES = 3_174;

    private static final long MIB = 1L << 20;
    private static final long CONDUCTOR_BYTES = 110 * MIB;
    private static final long WORKER_BYTES = 38 * MIB;
    private static final long SMALL_GATEWAY_BYTES = 44 * MIB;
    private static final long GATEWAY_BYTES = 130 * MIB;
    /** Classes and code of a program, mapped by all its processes. */
    private static final long SHARED_BYTES = 38 * MIB;

    private static final long DEVICE_BYTES = 1_900;
    private static final long DEVICE_BYTES_OF_A_ROOMY_HEAP = 3_200;
    private static final long GATEWAY_CONNECTION_BYTES = 1_850;
    private static final long GATEWAY_CONNECTION_BYTES_OF_A_ROOMY_HEAP = 5_600;

    static ExpectedMemory of(Load load, int workers) {
        boolean alone = workers == 1;
        double sockets = load.count() * load.socketsPerDevice();
        long tls = (long) (sockets * load.tlsBytesPerSocket());
        long devices = (long) (sockets * (alone ? DEVICE_BYTES_OF_A_ROOMY_HEAP : DEVICE_BYTES)) + tls;
        return new ExpectedMemory(
                CONDUCTOR_BYTES + (alone ? devices : 0),
                alone ? 0 : workers * WORKER_BYTES + SHARED_BYTES + devices,
                gateways(load.gateways(), sockets, tls),
                (long) (sockets * SOCKET_BYTES * (load.allLoopback() ? 2 : 1)));
    }

    private static long gateways(Load.StartedGateways gateways, double sockets, long tls) {
        boolean small = gateways.small();
        long processes = gateways.count() * (small ? SMALL_GATEWAY_BYTES : GATEWAY_BYTES) + (small ? SHARED_BYTES : 0);
        long connection = small ? GATEWAY_CONNECTION_BYTES : GATEWAY_CONNECTION_BYTES_OF_A_ROOMY_HEAP;
        return gateways.count() == 0 ? 0 : processes + (long) (sockets * connection) + tls;
    }

    long totalBytes() {
        return coordinatorBytes + workerBytes + gatewayBytes + kernelBytes;
    }
}
