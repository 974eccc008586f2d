package io.heartwheel.event;

/** Fact that leaves the gateway through a sink: of a kind that {@link EventSink} takes, or a {@link Gap}. Immutable; any thread. */
public interface Fact {
    /** When the gateway saw it, milliseconds since 1970. */
    long atEpochMillis();
}
