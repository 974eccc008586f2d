package io.heartwheel.config;

import java.time.Duration;

/**
 * Settings of the warm-up before the listeners open. Immutable; any thread.
 *
 * @param enabled whether there is one
 * @param atMost the longest that it takes, 50ms..10s; never beyond the first 0.8 s of the process
 */
public record WarmUpSettings(boolean enabled, Duration atMost) {}
