package io.heartwheel.event;

import org.jspecify.annotations.Nullable;

/** Fact that leaves the gateway through a sink: of a kind that {@link EventSink} takes, or a {@link Gap}. Immutable; any thread. */
public interface Fact {
    /** When the gateway saw it, milliseconds since 1970. */
    long atEpochMillis();

    /** What it is to consumers of events; null if it is no event, but a part of a trace. */
    @Nullable
    EventKind kind();
}
