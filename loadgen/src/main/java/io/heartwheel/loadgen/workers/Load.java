package io.heartwheel.loadgen.workers;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Work to be divided over the processes of one machine.
 *
 * @param first lowest global index
 * @param count devices, 1..10000000
 * @param total devices of all machines
 * @param allLoopback whether they connect to IPv4 loopback alone, so that any address of 127.0.0.0/8 may be a source
 * @param widestShare largest share of the devices that goes to one address and port, 0..1
 * @param socketsPerDevice sockets a device holds at the most, on average: 1, or more where some behaviours keep an old
 *     one open beside the new; 1..4
 * @param restingPerDevice ports of a device in TIME_WAIT at once, on average, where none is used again before its minute is over
 * @param tlsBytesPerSocket memory of a TLS session outside the heap, averaged over all sockets; 0 without TLS
 * @param gateways those that the run starts on this machine
 * @param sources addresses to connect from; null: 127.1.0.1 and up where all destinations are loopback, else the kernel's
 *     choice
 */
public record Load(
        int first,
        int count,
        int total,
        boolean allLoopback,
        double widestShare,
        double socketsPerDevice,
        double restingPerDevice,
        long tlsBytesPerSocket,
        StartedGateways gateways,
        @Nullable SourceRange sources) {

    /** What a TLS session with BoringSSL takes on either side, measured: 11 to 12.6 KB. */
    public static final long TLS_BYTES = 12_000;

    /**
     * Gateways that a run starts itself.
     *
     * @param count processes, 0 for none
     * @param small whether their virtual machines are made to take little: the serial collector, the first compiler only
     */
    public record StartedGateways(int count, boolean small) {

        /** The targets are there already. */
        public static final StartedGateways NONE = new StartedGateways(0, false);

        /** These many with these options for their virtual machines. */
        public static StartedGateways of(int count, List<String> javaOptions) {
            return new StartedGateways(
                    count, javaOptions.containsAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
        }
    }

    /** The same for other devices of the whole, on a machine without the gateways. */
    Load part(int partFirst, int partCount) {
        return new Load(
                partFirst,
                partCount,
                total,
                allLoopback,
                widestShare,
                socketsPerDevice,
                restingPerDevice,
                tlsBytesPerSocket,
                StartedGateways.NONE,
                sources);
    }

    /** Ports that a device takes, those that rest included; where the kernel uses them again they rest for a second. */
    double portsPerDevice(MachineLimits limits) {
        boolean again = limits.timeWaitReuse() == 1 || (limits.timeWaitReuse() == 2 && allLoopback);
        return socketsPerDevice + restingPerDevice / (again ? 60 : 1);
    }
}
