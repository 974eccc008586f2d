package io.heartwheel.simulation;

import org.jspecify.annotations.Nullable;

/**
 * A breach of the contract.
 *
 * @param history the connection, null if it is nobody's
 * @param atNanos when it was noticed, nanoseconds since the world began
 * @param what what was expected and what happened
 */
record Violation(@Nullable TrueHistory history, long atNanos, String what) {}
