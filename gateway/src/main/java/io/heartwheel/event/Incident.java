package io.heartwheel.event;

import java.util.List;

/**
 * Breaker's report of a mass expiry: one when it begins, one when it has ended. Immutable; any thread.
 *
 * @param number 1 for the first of this process
 * @param ended false: it has just begun
 * @param atEpochMillis of this report, milliseconds since 1970
 * @param lastedMillis since its begin, milliseconds
 * @param failureGroups what stood out, in the order it did: {@code all}, {@code listener tcp}, {@code loop 3}, {@code subnet 10.1.2.0/24}; at most 16
 * @param expired connections that were found dead in the window when it began
 * @param connections established ones at that moment
 * @param suspects held back so far
 * @param absolved of those, spoke after all
 * @param closed of those, closed
 * @param left of those, ended for other reasons
 */
public record Incident(
        long number,
        boolean ended,
        long atEpochMillis,
        long lastedMillis,
        List<String> failureGroups,
        long expired,
        long connections,
        long suspects,
        long absolved,
        long closed,
        long left)
        implements Fact {

    /** Copies the list. */
    public Incident {
        failureGroups = List.copyOf(failureGroups);
    }

    @Override
    public EventKind kind() {
        return EventKind.INCIDENT;
    }
}
