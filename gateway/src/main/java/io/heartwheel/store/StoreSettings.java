package io.heartwheel.store;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of a store. Immutable; any thread.
 *
 * @param directory where its files are; made if it is missing and its parent is not
 * @param sync whether commits are forced to the disk before they return
 * @param maxBytes of records; above three quarters of it what all outlets have is dropped whatever its age. Whoever commits keeps to it
 * @param keep records that all outlets have are kept so long, as far as there is room
 */
public record StoreSettings(Path directory, Sync sync, long maxBytes, Duration keep) {
    /** When commits are forced to the disk. */
    public enum Sync {
        /** Before each returns: it survives a power failure. */
        ALWAYS,
        /** When the operating system likes: a commit survives the end of the process, and not that of the machine. */
        NEVER
    }
}
