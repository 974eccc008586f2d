package io.heartwheel.drain;

import org.jspecify.annotations.Nullable;

/**
 * Progress of a drain at one moment. Immutable; any thread.
 *
 * @param plan what was reckoned when it began; null if there was none yet
 * @param stay whether the process goes on afterwards
 * @param startedEpochMillis when it began, milliseconds since 1970
 * @param elapsedNanos since then, until it was over
 * @param devices that were here when it began, and those that arrived after it; of a share, those that are to go
 * @param told to leave
 * @param left of themselves
 * @param closed by the drain
 * @param remaining here still
 */
public record DrainProgress(
        DrainPhase phase,
        @Nullable DrainPlan plan,
        boolean stay,
        long startedEpochMillis,
        long elapsedNanos,
        long devices,
        long told,
        long left,
        long closed,
        long remaining) {
    /** Before the first. */
    public static final DrainProgress NONE = new DrainProgress(DrainPhase.NONE, null, false, 0, 0, 0, 0, 0, 0, 0);

    /** Whether only a share of the devices is sent away. */
    public boolean isShare() {
        return plan != null && plan.order().isShare();
    }

    /** Time left of the notice, nanoseconds, 0 or more. */
    public long noticeNanos() {
        return plan == null || phase != DrainPhase.NOTICE
                ? 0
                : Math.max(0, plan.order().notice().toNanos() - elapsedNanos);
    }

    /** Time left until the last is closed, nanoseconds, 0 or more. */
    public long remainingNanos() {
        return plan == null || phase.isOver()
                ? 0
                : Math.max(0, plan.order().whole().toNanos() - elapsedNanos);
    }
}
