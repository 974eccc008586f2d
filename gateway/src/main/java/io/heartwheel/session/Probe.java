package io.heartwheel.session;

/**
 * A question a silent peer has not answered yet.
 *
 * @param sentNanos when it was sent, nanoseconds
 * @param closeAtNanos when the connection is closed unless a frame comes, nanoseconds
 */
record Probe(long sentNanos, long closeAtNanos) {}
