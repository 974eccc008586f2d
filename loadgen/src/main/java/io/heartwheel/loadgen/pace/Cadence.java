package io.heartwheel.loadgen.pace;

/**
 * Repeated sends with phases spread over the period: consecutive indices are put apart by the golden ratio, so any run of
 * them covers the period evenly, whatever their number. Everything is a multiple of the step, so a send is due exactly
 * when a slot begins.
 *
 * @param periodNanos time between two sends of one sender, a multiple of the step
 * @param stepNanos width of a slot, over 0
 */
public record Cadence(long periodNanos, long stepNanos) {

    private static final double GOLDEN = 0.6180339887498949;

    /** Checks the ranges. */
    public Cadence {
        if (stepNanos <= 0 || periodNanos < stepNanos || periodNanos % stepNanos != 0) {
            throw new IllegalArgumentException(
                    "period " + periodNanos + "ns: need a multiple of the step, " + stepNanos + "ns");
        }
    }

    /** The cadence whose period is the wanted one rounded down to whole steps, at least one. */
    public static Cadence of(long wantedPeriodNanos, long stepNanos) {
        return new Cadence(Math.max(1, wantedPeriodNanos / stepNanos) * stepNanos, stepNanos);
    }

    /** The sender's offset within the period, 0 to below the period. */
    public long phaseNanos(int index) {
        double turns = index * GOLDEN;
        long step = (long) ((turns - Math.floor(turns)) * steps());
        return step * stepNanos;
    }

    /** The sender's first due time after {@code elapsedNanos}: later by more than 0 and at most a period. */
    public long firstAfter(int index, long elapsedNanos) {
        long phase = phaseNanos(index);
        return elapsedNanos < phase ? phase : phase + ((elapsedNanos - phase) / periodNanos + 1) * periodNanos;
    }

    /** Of a period; it divides without a rest. */
    private long steps() {
        return periodNanos / stepNanos;
    }

    /**
     * The send after the one due at this time, earlier than it could be by a share of the period.
     *
     * @param share 0 to below 1
     */
    public long earlier(long dueNanos, double share) {
        long steps = Math.max(1, (long) (steps() * (1 - share)));
        return dueNanos + steps * stepNanos;
    }
}
