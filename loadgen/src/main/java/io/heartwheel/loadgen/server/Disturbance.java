package io.heartwheel.loadgen.server;

import java.util.List;

/**
 * Time in which a server of the run does something else than to answer.
 *
 * @param atNanos since observation began
 * @param forNanos how long
 * @param answer what it does
 * @param holdNanos how long it holds an answer that is late
 */
public record Disturbance(long atNanos, long forNanos, Answer answer, long holdNanos) {

    /** What a server does about a request. */
    public enum Answer {
        /** Does what it is asked for. */
        OK("200"),
        /** Does nothing and answers 500. */
        ERROR("500"),
        /** Does what it is asked for and answers after a while. */
        LATE("late"),
        /** Does nothing and does not answer. */
        NEVER("never"),
        /** Refuses connections. */
        DOWN("down");

        private final String label;

        Answer(String label) {
            this.label = label;
        }

        /** The name in a scenario. */
        public String label() {
            return label;
        }
    }

    /** When it is over. */
    public long endNanos() {
        return atNanos + forNanos;
    }

    /** The one of a plan at this time, nanoseconds since observation began; below 0 before it. */
    public static Disturbance at(List<Disturbance> plan, long nanos) {
        for (Disturbance each : plan) {
            if (nanos >= each.atNanos && nanos < each.endNanos()) {
                return each;
            }
        }
        return new Disturbance(0, Long.MAX_VALUE, Answer.OK, 0);
    }
}
