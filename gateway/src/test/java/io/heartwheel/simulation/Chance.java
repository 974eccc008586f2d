package io.heartwheel.simulation;

import java.util.SplittableRandom;

/** Random choices that several parts of a world make in the same way. */
final class Chance {
    static final double SECOND = 1e9;

    private Chance() {}

    /** A time in nanoseconds, as likely to be short as to be long: even on a logarithmic scale. */
    static long nanos(SplittableRandom random, double leastSeconds, double mostSeconds) {
        return (long) (even(random, leastSeconds, mostSeconds) * SECOND);
    }

    /** Even on a logarithmic scale. */
    static double even(SplittableRandom random, double least, double most) {
        return least * Math.pow(Math.max(1, most / least), random.nextDouble());
    }

    /** A source of its own for the part of this name and number, so that leaving others out changes nothing for it. */
    static SplittableRandom stream(long seed, String part, int number) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + part.hashCode() * 0xBF58476D1CE4E5B9L + number);
    }

    /** A few nanoseconds or ticks to either side of a deadline. */
    static long nearly(SplittableRandom random, long tickNanos) {
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> -1;
            case 3 -> -tickNanos;
            case 4 -> random.nextLong(1, tickNanos + 1);
            case 5 -> -random.nextLong(1, tickNanos + 1);
            case 6 -> random.nextLong(tickNanos, 3 * tickNanos);
            default -> random.nextLong(-1_000_000, 1_000_000);
        };
    }
}
