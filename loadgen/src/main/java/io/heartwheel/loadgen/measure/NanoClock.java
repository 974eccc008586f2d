package io.heartwheel.loadgen.measure;

import java.util.function.LongSupplier;

/** Clock of the generator. Handed in everywhere, so that tests own it. */
@FunctionalInterface
public interface NanoClock {

    /** Monotonic time in nanoseconds; compare two readings only by the sign of their difference. */
    long nanos();

    /** Time of day, milliseconds since 1970, for protocols that tell it; of a clock that does not know it the monotonic time. */
    default long wallMillis() {
        return nanos() / 1_000_000;
    }

    /** The same clock, its monotonic time counted from this reading on. */
    default NanoClock from(long beginningNanos) {
        return new Both(this, beginningNanos, this::wallMillis);
    }

    /** Both times from where they come. */
    static NanoClock of(NanoClock monotonic, LongSupplier wallMillis) {
        return new Both(monotonic, 0, wallMillis);
    }

    /** Clock of two sources. */
    record Both(NanoClock monotonic, long beginningNanos, LongSupplier wall) implements NanoClock {

        @Override
        public long nanos() {
            return monotonic.nanos() - beginningNanos;
        }

        @Override
        public long wallMillis() {
            return wall.getAsLong();
        }
    }
}
