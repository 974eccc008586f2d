package io.heartwheel.push;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of what is kept on the disk: messages for devices that are away, members of groups, schedules. Immutable; any thread.
 *
 * @param directory of the database, made if its parent exists; empty: nothing is kept
 * @param forced whether what was accepted survives a power failure; else only the end of the process
 * @param maxAge the longest that a message waits for its device, 1m..30d
 * @param maxBytes the most that payloads of messages and schedules take, 1MiB..1024GiB
 */
public record StoredSettings(Path directory, boolean forced, Duration maxAge, long maxBytes) {
    /** Nothing is kept. */
    public static final StoredSettings NONE = new StoredSettings(Path.of(""), true, Duration.ofDays(7), 1L << 30);

    /** Whether there is a directory. */
    public boolean isUsed() {
        return !directory.toString().isEmpty();
    }
}
