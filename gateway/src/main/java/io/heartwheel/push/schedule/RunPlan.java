package io.heartwheel.push.schedule;

/**
 * Plan for the times of a schedule that have come. A pure function of the times; immutable.
 *
 * <p>A time that the wheel finds more than {@link #GRACE_MILLIS} late was missed: the gateway was down, stood still, or was busy with the run before. Those that
 * are late by less are made up for without a word.
 *
 * <pre>
 *   times   t0      t1      t2      t3   | now      missed: t0 t1 t2, not t3
 *   SKIP    -       -       -       run
 *   ONCE    -       -       -       run              of all that have come, the last
 *   ALL     run, then t1, t2, t3 in the same way
 * </pre>
 *
 * @param passes times that are over without a run, 0 or more, before the run
 * @param runs whether there is a run
 * @param at the time that runs, or if none does the next one
 */
public record RunPlan(long passes, boolean runs, long at) {
    static final long GRACE_MILLIS = ScheduleSpec.GRACE_MILLIS;

    /**
     * At the time {@code dueMillis}, which has come.
     *
     * @param everyMillis between two times; 0: what follows depends on the end of the run, or there is nothing
     * @param left times in all from {@code dueMillis} on, 1 or more
     * @param nowMillis when the wheel found it; not before {@code dueMillis}
     */
    public static RunPlan of(ScheduleSpec.Missed missed, long dueMillis, long everyMillis, long left, long nowMillis) {
        long lateMillis = nowMillis - dueMillis;
        if (missed == ScheduleSpec.Missed.ALL || lateMillis <= GRACE_MILLIS) {
            return new RunPlan(0, true, dueMillis);
        }
        if (everyMillis == 0) {
            return missed == ScheduleSpec.Missed.ONCE
                    ? new RunPlan(0, true, dueMillis)
                    : new RunPlan(1, false, dueMillis);
        }
        long come = Math.min(lateMillis / everyMillis + 1, left);
        if (missed == ScheduleSpec.Missed.ONCE) {
            return new RunPlan(come - 1, true, dueMillis + (come - 1) * everyMillis);
        }
        long gone = Math.min((lateMillis - GRACE_MILLIS + everyMillis - 1) / everyMillis, left);
        return new RunPlan(gone, gone < come, dueMillis + gone * everyMillis);
    }
}
