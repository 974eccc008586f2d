package io.heartwheel.auth.http;

import java.time.Duration;

/**
 * Settings of the answers that are kept. Immutable; any thread.
 *
 * @param enabled whether they are
 * @param entries most of them, 1 or more
 * @param time longest time for which one that admits stands in for a call
 * @param negative the same for one that refuses
 */
public record CacheSettings(boolean enabled, int entries, Duration time, Duration negative) {}
