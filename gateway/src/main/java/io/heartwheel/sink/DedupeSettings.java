package io.heartwheel.sink;

/**
 * Settings of the memory of messages that devices may send again ({@link RecentMessages}). Immutable; any thread.
 *
 * @param enabled whether a repeat is acknowledged without a second record
 * @param messages messages of a device that are remembered, 1 or more
 */
public record DedupeSettings(boolean enabled, int messages) {}
