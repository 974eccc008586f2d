package io.heartwheel.session;

import java.nio.file.Path;

/**
 * Settings of the liveness trace: whose frames' arrivals are written down, and where. Immutable; any thread.
 *
 * @param enabled whether any are
 * @param file of JSON Lines
 * @param share of the connections, 0..1
 * @param stamps arrivals of a connection that are kept before a stretch is written, {@link #MIN_STAMPS}..{@link #MAX_STAMPS}
 * @param maxBytes the file's greatest size, {@link #MIN_BYTES}..{@link #MAX_BYTES}
 */
public record TraceSettings(boolean enabled, Path file, double share, int stamps, long maxBytes) {
    /** Fewest arrivals a stretch. */
    public static final int MIN_STAMPS = 16;
    /** Most arrivals a stretch. */
    public static final int MAX_STAMPS = 65_536;
    /** Least size of the file. */
    public static final long MIN_BYTES = 1L << 20;
    /** Greatest size of the file. */
    public static final long MAX_BYTES = 64L << 30;

    /** The settings of the reference configuration. */
    public static final TraceSettings DEFAULTS =
            new TraceSettings(false, Path.of("heartwheel-trace.jsonl"), 0.01, 4_096, 64L << 20);

    /** @throws IllegalArgumentException naming what is out of range */
    public TraceSettings {
        if (enabled && file.toString().isEmpty()) {
            throw new IllegalArgumentException("trace.file = \"\": need a file");
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("trace.share = " + share + ": need 0..1");
        }
        if (stamps < MIN_STAMPS || stamps > MAX_STAMPS) {
            throw new IllegalArgumentException("trace.stamps = " + stamps + ": need " + MIN_STAMPS + ".." + MAX_STAMPS);
        }
        if (maxBytes < MIN_BYTES || maxBytes > MAX_BYTES) {
            throw new IllegalArgumentException("trace.max-bytes = " + maxBytes + "B: need 1MiB..64GiB");
        }
    }
}
