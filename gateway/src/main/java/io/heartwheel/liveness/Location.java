package io.heartwheel.liveness;

/**
 * Event loop and listener of a connection. Immutable; any thread.
 *
 * @param loop index of its event loop
 * @param listener index of the listener it came through
 * @param listenerName as configured
 */
public record Location(int loop, int listener, String listenerName) {}
