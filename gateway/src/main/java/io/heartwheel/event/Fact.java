package io.heartwheel.event;

/** What leaves the gateway through a sink: of the kinds that {@link EventSink} takes, and {@link Gap}. Immutable; any thread. */
public interface Fact {
    /** When the gateway saw it, milliseconds since 1970. */
    long atEpochMillis();
}
