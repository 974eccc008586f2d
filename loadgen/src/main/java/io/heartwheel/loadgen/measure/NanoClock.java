package io.heartwheel.loadgen.measure;

/** Where time comes from. Handed in everywhere, so that tests own it. */
@FunctionalInterface
public interface NanoClock {

    /** Monotonic time in nanoseconds; compare two readings only by the sign of their difference. */
    long nanos();
}
