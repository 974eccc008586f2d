package io.heartwheel.loadgen.report;

/** The stages of coming back that are told. */
final class RecoveryMarks {

    /** Percent of the connections lost. */
    static final int[] PERCENTS = {50, 95, 99, 100};

    private RecoveryMarks() {}
}
