package io.heartwheel.event;

/** What leaves the gateway through a sink. Immutable; any thread. */
public sealed interface Fact permits ConnectionEvent, Gap, Incident, TraceSegment {
    /** When the gateway saw it, milliseconds since 1970. */
    long atEpochMillis();
}
