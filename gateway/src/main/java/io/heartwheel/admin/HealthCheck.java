package io.heartwheel.admin;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Check that everything that must turn has turned lately. Each thing beats at a fixed rate of its own, or is asked when it is looked at ({@link
 * io.heartwheel.liveness.LoopLagProbe}, {@link io.heartwheel.liveness.WheelPulse}); one that has not turned or answered for too long is stuck. Immutable; any
 * thread.
 *
 * @param pulses what must turn
 * @param limit silence of a pulse that is taken for death; several of its periods
 * @param nanoClock the pulses' clock
 */
public record HealthCheck(List<Pulse> pulses, Duration limit, LongSupplier nanoClock) {
    /**
     * One thing that must turn.
     *
     * @param name for the operator: {@code event loop 3}
     * @param lastBeatNanos when it last did, monotonic nanoseconds; of one that rests, since when it owes an answer, now if it owes none
     */
    public record Pulse(String name, LongSupplier lastBeatNanos) {}

    /** Keeps a copy of the list. */
    public HealthCheck {
        pulses = List.copyOf(pulses);
    }

    /** What is stuck, each in words for an operator; empty: all is well. Never blocks. */
    public List<String> problems() {
        long nowNanos = nanoClock.getAsLong();
        return pulses.stream()
                .filter(pulse -> silentNanos(pulse, nowNanos) > limit.toNanos())
                .map(pulse -> String.format(
                        Locale.ROOT, "%s has not turned for %.1f s", pulse.name(), silentNanos(pulse, nowNanos) / 1e9))
                .toList();
    }

    private static long silentNanos(Pulse pulse, long nowNanos) {
        return nowNanos - pulse.lastBeatNanos().getAsLong();
    }
}
