package io.heartwheel.loadgen.conform;

/** Times that a client is given, milliseconds. The wire document says 1 to 30 s; the others are our choice. */
final class Limits {

    /** Later than it should be by this, nothing is said. */
    static final long TOLERANCE = 1_000;
    /** Timers may fire a moment early, and clocks of two processes have steps. */
    static final long EARLY = 25;
    /** From the start of its process to its first HELLO. */
    static final long START = 30_000;
    /** For what is done at once: PONG, ACK, a printed line. */
    static final long ANSWER = 5_000;
    /** After a code of 4000..4199, until it is back. */
    static final long SOON = 10_000;
    /** After a code of 4200..4399 or a broken connection, the shortest and the longest first wait. */
    static final long LATER_LEAST = 1_000;

    static final long LATER = 30_000;
    /** Until it gives up a gateway that answers nothing any more. */
    static final long FOUND = 45_000;
    /** After several failures, until it is back. */
    static final long BACK = 120_000;
    /** Until it sends a refused message again; sooner than the least is not later. */
    static final long RESEND_LEAST = 50;

    static final long RESEND = 40_000;
    /** Until it sends a newer token, first or again. */
    static final long RENEWAL = 30_000;
    /** Until its process has ended. */
    static final long EXIT = 10_000;
    /** How long the gateway breaks every connection. */
    static final long OUTAGE = 20_000;
    /** So long nothing is asked of it, and it must not leave. */
    static final long SETTLED = 300;

    private Limits() {}
}
