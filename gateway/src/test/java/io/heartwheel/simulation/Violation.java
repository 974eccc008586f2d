package io.heartwheel.simulation;

import org.jspecify.annotations.Nullable;

/**
 * The contract was broken.
 *
 * @param fate the connection, null if it is nobody's
 * @param atNanos when it was noticed, nanoseconds since the world began
 * @param what what was expected and what happened
 */
record Violation(@Nullable Fate fate, long atNanos, String what) {}
