package io.heartwheel.push.schedule;

/** Result of putting a schedule. Immutable; any thread. */
public sealed interface PutResult {
    /**
     * It is there, on the disk too if it is durable.
     *
     * @param replaced whether another stood under its key
     */
    record Stored(ScheduleView view, boolean replaced) implements PutResult {}

    /**
     * It is not there; what was under its key stays.
     *
     * @param detail for people
     */
    record Refused(Cause cause, String detail) implements PutResult {}

    /** Cause of a refusal. */
    enum Cause {
        /** Its time cannot be. */
        TIME,
        /** A limit is reached. */
        FULL,
        /** The disk did not take it. */
        NOT_STORED
    }
}
