package io.heartwheel.loadgen.workers;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Source addresses of the connections, worker by worker. A connection is known by both addresses and both ports, so from one address to
 * one address and port there are as many as the kernel has ports to give.
 *
 * @param range where the addresses are taken from; null: the kernel's choice
 * @param each addresses that a worker has, 0 for the kernel's choice
 * @param shared whether there are too few for each worker to have its own, so that all use all of them
 * @param perSource connections from one address to one destination that are planned with
 */
record SourcePlan(@Nullable SourceRange range, int each, boolean shared, long perSource) {

    private static final long ROUND = 1_000;

    static SourcePlan of(Load load, MachineLimits limits, int workers, int mostDevices) {
        SourceRange given = load.sources();
        SourceRange range = given == null && load.allLoopback() ? SourceRange.loopback() : given;
        long perSource = perSource(limits.ports());
        if (range == null) {
            return new SourcePlan(null, 0, true, perSource);
        }
        long peak = (long) Math.ceil(mostDevices * load.portsPerDevice(limits) * load.widestShare());
        long each = (peak + perSource - 1) / perSource;
        boolean shared = each * workers > range.count();
        return new SourcePlan(
                range, (int) (shared ? Math.min(range.count(), each * workers) : each), shared, perSource);
    }

    /**
     * Of the ports 5 in 14 are planned with, to the full thousand. Linux gives {@code connect} every other port of its range
     * first, half of them; the fewer of those are left the longer it searches, and when none is left each connect looks at
     * all of them in vain before it turns to the other half (seen as 50 % of two processors, at 14,100 connections from
     * each of 53 addresses). Some ports are in TIME_WAIT besides.
     */
    static long perSource(int ports) {
        long most = Math.max(1, ports * 5L / 14);
        return most > ROUND ? most / ROUND * ROUND : most;
    }

    List<String> ofWorker(int worker) {
        return range == null ? List.of() : range.block(shared ? 0 : (long) worker * each, each);
    }

    /** Connections to one destination that all addresses together are planned for. */
    long capacity() {
        return perSource * (range == null ? 1 : range.count());
    }
}
