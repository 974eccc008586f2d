package io.heartwheel.loadgen.pace;

import java.util.Locale;

/**
 * Delay of a device that lost its connection before it tries again. A pure function of the attempt and a random
 * number; the source of the last but one is Amazon's article on exponential backoff and jitter (2015).
 *
 * @param kind how the time grows
 * @param baseNanos first time to wait
 * @param capNanos most
 */
public record Comeback(Kind kind, long baseNanos, long capNanos) {

    private static final int MOST_DOUBLINGS = 40;

    /** Growth of the time to wait. */
    public enum Kind {
        /** It stays away. */
        NONE,
        /** At once, always: what makes a stampede. */
        NAIVE,
        /** The base, always. */
        FIXED,
        /** The base doubled on each failure, up to the cap; no jitter, so that they come in waves. */
        EXPONENTIAL,
        /** Anything between nothing and what exponential would be. */
        FULL_JITTER,
        /** Drawn from the gateway's retry window when it gave one, else like full jitter. */
        OBEY;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** It stays away. */
    public static final Comeback NEVER = new Comeback(Kind.NONE, 0, 0);

    /** Checks the ranges. */
    public Comeback {
        if (baseNanos < 0 || capNanos < baseNanos) {
            throw new IllegalArgumentException(
                    "reconnect base " + baseNanos + "ns, cap " + capNanos + "ns: need 0 <= base <= cap");
        }
    }

    /** Whether a device comes back at all. */
    public boolean comesBack() {
        return kind != Kind.NONE;
    }

    /**
     * Time to wait before an attempt.
     *
     * @param attempt failures in a row before it, from 0
     * @param unit a random number, 0 to below 1
     * @param window what the gateway asked for, or {@link Window#NONE}
     * @param goneNanos how long ago it asked: a window counts from then
     */
    public long delayNanos(int attempt, double unit, Window window, long goneNanos) {
        return switch (kind) {
            case FIXED -> baseNanos;
            case EXPONENTIAL -> ceiling(attempt);
            case FULL_JITTER -> (long) (unit * ceiling(attempt));
            case OBEY ->
                attempt == 0 && window.given()
                        ? Math.max(0, window.at(unit) - goneNanos)
                        : (long) (unit * ceiling(attempt));
            default -> 0;
        };
    }

    private long ceiling(int attempt) {
        double grown = (double) baseNanos * (1L << Math.min(attempt, MOST_DOUBLINGS));
        return (long) Math.min(capNanos, grown);
    }

    /**
     * A retry window from a GOAWAY.
     *
     * @param leastNanos from then
     * @param mostNanos below 0: none was given
     */
    public record Window(long leastNanos, long mostNanos) {

        /** No window was given. */
        public static final Window NONE = new Window(0, -1);

        /** That of a gateway that says nothing else (wire document, section 6). */
        public static final Window USUAL = new Window(1_000_000_000L, 30_000_000_000L);

        /** Whether one was given. */
        public boolean given() {
            return mostNanos >= 0;
        }

        long at(double unit) {
            return leastNanos + (long) (unit * Math.max(0, mostNanos - leastNanos));
        }
    }
}
