package io.heartwheel.protocol.websocket;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of requests in which a balancer may tell the address of the client. Any thread. */
public final class ForwardedCounts {
    /** What a request said of its origin. */
    public enum Outcome {
        /** A trusted balancer told it. */
        TAKEN("taken"),
        /** A trusted balancer did not tell it. */
        ABSENT("absent"),
        /** A trusted balancer told that it does not know it, or hides it. */
        UNKNOWN("unknown"),
        /** A trusted balancer told it in a way that means nothing; the request was refused. */
        MALFORMED("malformed"),
        /** Somebody else told it; passed over. */
        UNTRUSTED("untrusted");

        private static final List<Outcome> ALL = List.of(values());

        private final String label;

        Outcome(String label) {
            this.label = label;
        }

        /** Lower-case name in metrics. */
        public String label() {
            return label;
        }

        /** All of them in order of declaration. */
        public static List<Outcome> all() {
            return ALL;
        }
    }

    private final LongAdder[] counts = new LongAdder[Outcome.ALL.size()];

    /** All at zero. */
    public ForwardedCounts() {
        Arrays.setAll(counts, index -> new LongAdder());
    }

    void add(Outcome outcome) {
        counts[outcome.ordinal()].increment();
    }

    /** How many there were of these. */
    public long count(Outcome outcome) {
        return counts[outcome.ordinal()].sum();
    }
}
