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
            case COUNT, PROCESSORS -> Format.number(value);
            case NANOS -> Format.latency(value);
            case SECONDS -> Format.number(value) + " s";
            case BYTES -> Format.bytes(value);
            case SHARE -> Format.number(100 * value) + " %";
            case PER_SECOND -> Format.number(value) + "/s";
        };
    }
}
