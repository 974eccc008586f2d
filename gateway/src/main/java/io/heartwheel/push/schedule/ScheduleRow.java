package io.heartwheel.push.schedule;

import org.jspecify.annotations.Nullable;

/**
 * Schedule as it is kept: what was asked for, and how far it is. Immutable, nobody changes the payload; any thread.
 *
 * @param generation no other has it: from the clock in microseconds on, growing
 * @param payload of its message; null: not read
 * @param bytes of the payload
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record ScheduleRow(
        String key, long generation, ScheduleSpec spec, byte @Nullable [] payload, int bytes, Progress progress) {
    /**
     * How far a schedule is.
     *
     * @param run times that have come
     * @param left times that will come, the one of {@code dueMillis} included; {@link ScheduleSpec#FOR_EVER}; 0: it is over
     * @param wall whether {@code dueMillis} is told by the wall clock, not by the steady one
     * @param dueMillis when the next time is
     * @param lastMillis when the last run ended, by the wall clock; 0: there was none
     */
    public record Progress(
            long run, long left, boolean wall, long dueMillis, long lastMillis, @Nullable RunResult lastResult) {
        /** Times are over. */
        Progress passed(long times) {
            long after = left == ScheduleSpec.FOR_EVER ? left : left - times;
            return new Progress(run + times, after, wall, dueMillis, lastMillis, lastResult);
        }

        /** Nothing comes any more. */
        public Progress over() {
            return new Progress(run, 0, wall, dueMillis, lastMillis, lastResult);
        }

        /** The next time is then. */
        Progress due(boolean byWall, long millis) {
            return new Progress(run, left, byWall, millis, lastMillis, lastResult);
        }

        /** A run ended then. */
        Progress ended(RunResult result, long wallMillis) {
            Progress after = passed(1);
            return new Progress(after.run, after.left, wall, dueMillis, wallMillis, result);
        }
    }

    /** When it goes on after a run that ended now, or was passed over; a pause is one of the steady clock, also behind a first time by the wall clock. */
    Progress next(Progress ended, long steadyMillis) {
        return switch (spec.repeat()) {
            case ONCE -> ended;
            case RATE -> ended.due(ended.wall(), ended.dueMillis() + spec.everyMillis());
            case DELAY -> ended.due(false, steadyMillis + spec.everyMillis());
        };
    }

    /** The same, as far as it is; null: as it says. */
    ScheduleRow with(@Nullable Progress now) {
        return now == null ? this : new ScheduleRow(key, generation, spec, payload, bytes, now);
    }

    /**
     * Id of the message of the run in place of that time: the same after a crash. The highest bit is set: ids that count up from the clock have it not.
     */
    long messageId(long run) {
        long mixed = mix(mix(generation ^ (long) key.hashCode() << Integer.SIZE) + run);
        return mixed | Long.MIN_VALUE;
    }

    /** Finishing step of SplitMix64 (Steele, Lea, Flood 2014), a permutation. */
    private static long mix(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
