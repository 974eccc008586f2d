package io.heartwheel.loadgen.swarm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Work to be divided over the processes of one machine.
 *
 * @param first lowest global index
 * @param count devices, 1..10000000
 * @param total devices of all machines
 * @param destinations where they connect
 * @param socketsPerDevice sockets a device holds at the most, on average: 1, or more where some behaviours keep an old
 *     one open beside the new; 1..4
 * @param heapBytesPerDevice what the player keeps for one
 * @param sources addresses to connect from; null: 127.1.0.1 and up where all destinations are loopback, else the kernel's
 *     choice
 */
public record Load(
        int first,
        int count,
        int total,
        List<Destination> destinations,
        double socketsPerDevice,
        long heapBytesPerDevice,
        @Nullable SourceRange sources) {

    /** Most devices of a run. */
    public static final int MOST_DEVICES = 10_000_000;
    /** Heap for a device that speaks plain TCP, with its connection's objects in Netty and room for garbage. */
    public static final long COMMON_HEAP_BYTES_PER_DEVICE = 2_048;

    /** Checks the ranges. */
    public Load {
        destinations = List.copyOf(destinations);
        if (count < 1 || total > MOST_DEVICES || first < 0 || total - first < count) {
            throw new IllegalArgumentException("clients = " + count + " from " + first + " of " + total + ": need 1.."
                    + MOST_DEVICES + ", within the whole");
        }
        if (destinations.isEmpty()) {
            throw new IllegalArgumentException("destinations = none: need at least one");
        }
        if (!(socketsPerDevice >= 1 && socketsPerDevice <= 4)) {
            throw new IllegalArgumentException("sockets per device = " + socketsPerDevice + ": need 1..4");
        }
        if (heapBytesPerDevice < 256 || heapBytesPerDevice > 1 << 20) {
            throw new IllegalArgumentException(
                    "heap bytes per device = " + heapBytesPerDevice + ": need 256..1048576 bytes");
        }
    }

    /** All devices of a run, of the common kind. */
    public static Load of(int clients, List<Destination> destinations) {
        return new Load(0, clients, clients, destinations, 1, COMMON_HEAP_BYTES_PER_DEVICE, null);
    }

    /** The same from these addresses. */
    public Load from(@Nullable SourceRange range) {
        return new Load(first, count, total, destinations, socketsPerDevice, heapBytesPerDevice, range);
    }

    /** The same for other devices of the whole. */
    public Load part(int partFirst, int partCount) {
        return new Load(partFirst, partCount, total, destinations, socketsPerDevice, heapBytesPerDevice, sources);
    }

    /** The same with devices that cost more. */
    public Load costing(double sockets, long heapBytes) {
        return new Load(first, count, total, destinations, sockets, heapBytes, sources);
    }

    boolean allLoopback() {
        return destinations.stream().allMatch(Destination::loopback);
    }

    /** Largest share of the devices that goes to one address and port. */
    double widestShare() {
        return destinations.stream().mapToDouble(Destination::share).max().orElse(1);
    }
}
