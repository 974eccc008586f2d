package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Figures;
import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Timing;
import java.util.List;

/** A result asked by name. What was not counted is 0, what was not timed is of no values. */
record ResultFigures(Result result) implements Figures {

    /** Detection of each kind of silence: its name, and that of what fell silent. */
    record Lateness(Timing timing, String name, String what) {}

    static final List<Lateness> LATENESSES = List.of(
            new Lateness(Timing.LATENESS, "Detection lateness", "heartbeat"),
            new Lateness(Timing.LATENESS_HANDSHAKE, "Handshake lateness", "handshake"),
            new Lateness(Timing.LATENESS_PROGRESS, "Progress lateness", "progress"),
            new Lateness(Timing.LATENESS_EXPIRY, "Expiry lateness", "expiry"));

    @Override
    public long of(Count what) {
        return result.counts().getOrDefault(what.label(), 0L);
    }

    @Override
    public Latencies.Summary summary(Timing what) {
        return result.timings().getOrDefault(what.label(), Latencies.Summary.NOTHING);
    }

    /** Devices that were welcomed at least once; those that never said HELLO are none of them. */
    long connected() {
        return Math.min(result.clients() - of(Count.WAITING), of(Count.OPENED));
    }

    /** Devices, or attempts of them, that should have been welcomed and were not. */
    long turnedAway() {
        return of(Count.REFUSED) + of(Count.OWN_FAILURES) + of(Count.WAITING);
    }
}
