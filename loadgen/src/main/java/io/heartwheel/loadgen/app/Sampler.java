package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;

/** Difference of two readings as a sample. One thread. */
final class Sampler {

    private static final double SECOND = 1e9;

    private Ledger before = new Ledger();
    private Ledger total = new Ledger();
    private boolean sampled;
    private long lastNanos;
    private long lastCpuNanos;
    private long lastBusyNanos;

    Sampler(long machineBusyNanos) {
        lastBusyNanos = machineBusyNanos;
    }

    /** Everything so far; its timings are those since the reading before. */
    Ledger total() {
        return total;
    }

    Sample sample(RunReading reading, long elapsedNanos, long machineBusyNanos) {
        before = total;
        total = new Ledger();
        reading.ledger().addTo(total);
        double seconds = Math.max(1, elapsedNanos - lastNanos) / SECOND;
        Sample sample = new Sample(
                elapsedNanos / SECOND,
                total.of(Count.OPENED) - total.of(Count.ENDED),
                rate(Count.OPENED, seconds),
                rate(Count.REFUSED, seconds) + rate(Count.RETRIES_FAILED, seconds) + rate(Count.OWN_FAILURES, seconds),
                rate(Count.BEATS_SENT, seconds),
                rate(Count.DATA_SENT, seconds),
                rate(Count.ENDED, seconds),
                total.of(Count.CONDEMNED),
                total.of(Count.DETECTED),
                total.of(Count.FALSE_KILLS),
                total.of(total.roundTrip()).summary(),
                total.of(Timing.LATENESS).summary(),
                total.of(Timing.PACING).summary(),
                sampled ? Math.max(0, reading.usage().cpuNanos() - lastCpuNanos) / SECOND / seconds : 0,
                Math.max(0, machineBusyNanos - lastBusyNanos) / SECOND / seconds);
        sampled = true;
        lastNanos = elapsedNanos;
        lastCpuNanos = reading.usage().cpuNanos();
        lastBusyNanos = machineBusyNanos;
        return sample;
    }

    private double rate(Count what, double seconds) {
        return (total.of(what) - before.of(what)) / seconds;
    }
}
