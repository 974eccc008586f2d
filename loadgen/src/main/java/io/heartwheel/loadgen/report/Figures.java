package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Costs;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.List;

/** A result asked by name. What was not counted is 0, what was not timed is of no values. */
record Figures(Result result) {

    private static final double BEATS = 100_000;

    /** The legs of a connect, in their order. */
    static final List<Timing> CONNECT_PARTS =
            List.of(Timing.CONNECT_TCP, Timing.CONNECT_TLS, Timing.CONNECT_UPGRADE, Timing.CONNECT_HELLO);

    /** Detection of each kind of silence. */
    static final List<Timing> LATENESSES =
            List.of(Timing.LATENESS, Timing.LATENESS_HANDSHAKE, Timing.LATENESS_PROGRESS);

    long of(Count what) {
        return result.counts().getOrDefault(what.label(), 0L);
    }

    Latencies.Summary of(Timing what) {
        return result.timings().getOrDefault(what.label(), Latencies.Summary.NOTHING);
    }

    boolean has(Timing what) {
        return of(what).count() > 0;
    }

    /** Devices that were welcomed at least once; those that never said HELLO are none of them. */
    long connected() {
        return Math.min(result.clients() - of(Count.WAITING), of(Count.OPENED));
    }

    /** Devices, or attempts of them, that should have been welcomed and were not. */
    long turnedAway() {
        return of(Count.REFUSED) + of(Count.OWN_FAILURES) + of(Count.WAITING);
    }

    /** Bytes of a side for one connection; NaN when not known. */
    static double perConnection(Costs costs, long bytes) {
        return bytes > 0 && costs.connections() > 0 ? (double) bytes / costs.connections() : Double.NaN;
    }

    /** CPU seconds for 100,000 heartbeats; NaN when not known. */
    static double secondsForBeats(Costs costs, long cpuNanos) {
        return cpuNanos > 0 && costs.beats() > 0 ? cpuNanos / 1e9 * BEATS / costs.beats() : Double.NaN;
    }

    /** Bytes of all sides; NaN unless each is known. */
    static double totalBytes(Costs costs) {
        boolean known = costs.kernelBytes() > 0 && costs.gatewayBytes() > 0 && costs.generatorBytes() > 0;
        return known ? (double) costs.kernelBytes() + costs.gatewayBytes() + costs.generatorBytes() : Double.NaN;
    }
}
