package io.heartwheel.session;

import java.nio.file.Path;

/**
 * Settings of the liveness trace: whose frames' arrivals are written down, and where. Immutable; any thread.
 *
 * @param enabled whether any are
 * @param file of JSON Lines
 * @param share of the connections, 0..1
 * @param stamps arrivals of a connection that are kept before a stretch is written
 * @param maxBytes the file's greatest size
 */
public record TraceSettings(boolean enabled, Path file, double share, int stamps, long maxBytes) {
    /** The settings of the reference configuration. */
    public static final TraceSettings DEFAULTS =
            new TraceSettings(false, Path.of("heartwheel-trace.jsonl"), 0.01, 4_096, 64L << 20);
}
