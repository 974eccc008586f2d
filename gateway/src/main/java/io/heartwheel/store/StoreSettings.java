package io.heartwheel.store;

import java.nio.file.Path;

/**
 * Settings of a store. Immutable; any thread.
 *
 * @param directory where its files are; made if it is missing and its parent is not
 * @param sync when commits are forced to the disk
 */
public record StoreSettings(Path directory, SyncPolicy sync) {}
