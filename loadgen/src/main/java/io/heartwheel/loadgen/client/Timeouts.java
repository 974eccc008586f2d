package io.heartwheel.loadgen.client;

/**
 * Deadlines of the gateway that it does not tell its devices; nanoseconds.
 *
 * @param handshakeNanos accept to HELLO
 * @param progressNanos first byte of a message to its last
 * @param progressBytesPerSecond for so many bytes of it a second more, over 0
 * @param writeNanos a socket that takes nothing
 */
public record Timeouts(long handshakeNanos, long progressNanos, int progressBytesPerSecond, long writeNanos) {}
