package io.heartwheel.event;

import java.util.Locale;

/**
 * A list of all connected devices begins or ends; between the two lies one {@link ConnectionEvent.Present} of each device that was there all the while. Begun
 * and never ended: the next one replaces it. Immutable; any thread.
 *
 * @param number 1 for the first of this process
 * @param ended false: it has just begun
 * @param cause why it was made
 * @param devices as it begins: how many were connected then; as it ends: how many of them are in it
 */
public record Snapshot(long atEpochMillis, long number, boolean ended, Cause cause, long devices) implements Fact {
    /** Cause of a snapshot. */
    public enum Cause {
        /** Events were lost. */
        GAP,
        /** The operator asked for it. */
        ASKED,
        /** The gateway has started. */
        START;

        /** Lower-case name in events. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public EventKind kind() {
        return EventKind.SNAPSHOT;
    }
}
