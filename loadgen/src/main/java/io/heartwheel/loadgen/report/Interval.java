package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The moments between two pictures as one: looks come several times a second, and a rate or a percentile of a quarter of a
 * second would only flicker. Rates are means over time, percentiles those of all values; detection lateness is that of the
 * whole run, since there is so little of it. One thread.
 */
final class Interval {

    private final Ledger sums = new Ledger();
    private final List<Sample> samples = new ArrayList<>();
    private final double periodSeconds;
    private double fromSeconds;

    /** @param periodSeconds how long a stretch is at least */
    Interval(double periodSeconds) {
        this.periodSeconds = periodSeconds;
    }

    /** Adds a look and gives all since the last {@link #cut} as one. */
    Snapshot add(Snapshot now) {
        samples.add(now.sample());
        sums.addTimings(now.ledger());
        Sample last = now.sample();
        Sample whole = new Sample(
                last.atSeconds(),
                last.connected(),
                mean(Sample::opensPerSecond),
                mean(Sample::failuresPerSecond),
                mean(Sample::beatsPerSecond),
                mean(Sample::dataPerSecond),
                mean(Sample::closesPerSecond),
                last.condemned(),
                last.detected(),
                last.falseKills(),
                sums.summary(Timing.ROUND_TRIP),
                sums.summary(Timing.LATENESS),
                sums.summary(Timing.PACING),
                mean(Sample::generatorCores),
                mean(Sample::machineCores));
        return new Snapshot(now.phase(), now.clients(), whole, now.ledger(), now.next());
    }

    /** Whether it is long enough to be shown. */
    boolean isLong() {
        return !samples.isEmpty() && samples.get(samples.size() - 1).atSeconds() - fromSeconds >= periodSeconds;
    }

    /** Begins the next one. */
    void cut() {
        fromSeconds = samples.get(samples.size() - 1).atSeconds();
        samples.clear();
        sums.of(Timing.ROUND_TRIP).reset();
        sums.of(Timing.PACING).reset();
    }

    private double mean(ToDoubleFunction<Sample> rate) {
        double sum = 0;
        double from = fromSeconds;
        for (Sample sample : samples) {
            sum += rate.applyAsDouble(sample) * (sample.atSeconds() - from);
            from = sample.atSeconds();
        }
        return from > fromSeconds ? sum / (from - fromSeconds) : 0;
    }
}
