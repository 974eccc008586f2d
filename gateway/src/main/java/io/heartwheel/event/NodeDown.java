package io.heartwheel.event;

/**
 * Another gateway of the fleet is lost; this one was elected to say so, and looks after what it left. Immutable; any thread.
 *
 * @param node its name
 * @param nodeIncarnation its start: microseconds since 1970 by its clock
 * @param silentMillis for how long it was not heard of
 */
public record NodeDown(long atEpochMillis, String node, long nodeIncarnation, long silentMillis) implements Fact {
    @Override
    public EventKind kind() {
        return EventKind.NODE_DOWN;
    }
}
