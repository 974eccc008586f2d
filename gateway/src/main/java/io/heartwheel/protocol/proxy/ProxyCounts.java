package io.heartwheel.protocol.proxy;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of connections on listeners that want a PROXY header. Any thread. */
public final class ProxyCounts {
    /** How the beginning of a connection went. */
    public enum Outcome {
        /** A header of version 1 with a source. */
        V1("v1"),
        /** A header of version 2 with a source. */
        V2("v2"),
        /** The balancer spoke for itself: a health check. */
        LOCAL("local"),
        /** A header that names no IP address. */
        UNKNOWN("unknown"),
        /** From a trusted source, but no header, or none that is right. */
        MALFORMED("malformed"),
        /** From a source that is not trusted; nothing of it was read. */
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
    public ProxyCounts() {
        Arrays.setAll(counts, index -> new LongAdder());
    }

    /** One more of these. */
    public void add(Outcome outcome) {
        counts[outcome.ordinal()].increment();
    }

    /** How many there were of these. */
    public long count(Outcome outcome) {
        return counts[outcome.ordinal()].sum();
    }
}
