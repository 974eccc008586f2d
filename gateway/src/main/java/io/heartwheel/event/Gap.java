package io.heartwheel.event;

import java.util.Map;

/**
 * Facts that a sink has lost: reported once, when it takes lines again. Immutable; any thread.
 *
 * @param atEpochMillis when it was told
 * @param fromEpochMillis time of the first fact lost
 * @param toEpochMillis time of the last fact lost
 * @param lost how many of each kind, by the name that its events have; none is 0
 */
public record Gap(long atEpochMillis, long fromEpochMillis, long toEpochMillis, Map<String, Long> lost)
        implements Fact {

    /** Takes a copy. */
    public Gap {
        lost = Map.copyOf(lost);
    }

    @Override
    public EventKind kind() {
        return EventKind.GAP;
    }
}
