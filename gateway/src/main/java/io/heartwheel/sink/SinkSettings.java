package io.heartwheel.sink;

import java.nio.file.Path;

/**
 * Settings of the sink: where facts go and how many may wait. Immutable; any thread.
 *
 * @param kind where
 * @param file used by {@link SinkKind#FILE}
 * @param queue most events that wait to be written, {@link #MIN_QUEUE}..{@link #MAX_QUEUE}
 * @param instance name of this process among several, told in each event; empty: the only one
 */
public record SinkSettings(SinkKind kind, Path file, int queue, String instance) {
    /** Least queue, events. */
    public static final int MIN_QUEUE = 16;
    /** Greatest queue, events. */
    public static final int MAX_QUEUE = 1 << 20;

    /** Of the only process there is. */
    public SinkSettings(SinkKind kind, Path file, int queue) {
        this(kind, file, queue, "");
    }

    /** @throws IllegalArgumentException naming what is out of range */
    public SinkSettings {
        if (kind == SinkKind.FILE && file.toString().isEmpty()) {
            throw new IllegalArgumentException("sink.file = \"\": need a file with kind = file");
        }
        if (queue < MIN_QUEUE || queue > MAX_QUEUE) {
            throw new IllegalArgumentException("sink.queue = " + queue + ": need " + MIN_QUEUE + ".." + MAX_QUEUE);
        }
    }
}
