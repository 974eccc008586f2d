package io.heartwheel.simulation;

/**
 * Bytes that the network brought to a socket.
 *
 * @param atNanos when, nanoseconds since the world began
 * @param frames that end in it
 * @param bytesBehind of a frame begun and not ended, all of them that are here by then
 * @param hangsUp whether the peer's stream ends with it
 */
record Packet(long atNanos, int frames, int bytesBehind, boolean hangsUp) {}
