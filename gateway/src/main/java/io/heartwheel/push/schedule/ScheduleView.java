package io.heartwheel.push.schedule;

import org.jspecify.annotations.Nullable;

/**
 * Schedule as it is at one moment. Immutable; any thread.
 *
 * @param running whether its message is on the way
 * @param nextMillis when its next time is, as far as is known, by the wall clock
 * @param durable whether it outlives the process
 * @param node who runs it, in a fleet; null: this gateway is alone
 */
public record ScheduleView(ScheduleRow row, boolean running, long nextMillis, boolean durable, @Nullable String node) {}
