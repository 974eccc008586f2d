package io.heartwheel.protocol;

import io.netty.channel.Channel;

/** Limiter that counts connections by their source. Any thread. */
@FunctionalInterface
public interface SourceLimiter {
    /**
     * Counts a connection in until its channel closes; once for each connection.
     *
     * @param address 4 or 16 bytes
     * @throws ProtocolViolation if there is no room for one more from there; then it was not counted
     */
    void enter(Channel channel, byte[] address) throws ProtocolViolation;
}
