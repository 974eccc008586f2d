package io.heartwheel.loadgen.report;

/**
 * One figure of a run, to be laid beside the same of another.
 *
 * @param name in lower case with underscores; the same in every run
 * @param unit what {@code value} counts
 * @param value NaN when the run did not measure it
 */
record Figure(String name, Unit unit, double value) {

    /** What a figure counts, and how it is written. */
    enum Unit {
        /** Things by the piece. */
        COUNT,
        NANOS,
        SECONDS,
        BYTES,
        /** 0..1. */
        SHARE,
        /** Processors kept busy. */
        PROCESSORS,
        PER_SECOND
    }

    /** Whether the run measured it. */
    boolean known() {
        return Double.isFinite(value);
    }

    /** For people. */
    String text() {
        if (!known()) {
            return "-";
        }
        return switch (unit) {
            case COUNT, PROCESSORS -> Words.number(value);
            case NANOS -> Words.latency(value);
            case SECONDS -> Words.number(value) + " s";
            case BYTES -> Words.bytes(value);
            case SHARE -> Words.number(100 * value) + " %";
            case PER_SECOND -> Words.number(value) + "/s";
        };
    }
}
