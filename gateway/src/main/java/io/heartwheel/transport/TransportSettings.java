package io.heartwheel.transport;

import java.time.Duration;

/**
 * Settings of all listeners together. Immutable; any thread.
 *
 * @param kind the I/O engine
 * @param eventLoops threads that carry bytes; 0: one for each available processor
 * @param receiveBufferBytes size of one read
 * @param maxConnections connections in this process
 * @param writeLowWatermarkBytes below it a peer is read from again, less than the high one
 * @param writeHighWatermarkBytes over it a peer is read from no more
 * @param acceptPause rest of a listener after the descriptors ran out
 */
public record TransportSettings(
        TransportKind kind,
        int eventLoops,
        int receiveBufferBytes,
        int maxConnections,
        int writeLowWatermarkBytes,
        int writeHighWatermarkBytes,
        Duration acceptPause) {

    /** Event loops there will be. */
    public int loopCount() {
        return eventLoops == 0 ? Runtime.getRuntime().availableProcessors() : eventLoops;
    }
}
