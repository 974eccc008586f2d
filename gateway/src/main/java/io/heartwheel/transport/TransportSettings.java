package io.heartwheel.transport;

import java.time.Duration;

/**
 * Settings of all listeners together. Immutable; any thread.
 *
 * @param kind the I/O engine
 * @param eventLoops threads that carry bytes, 0..{@link #MAX_EVENT_LOOPS}; 0: one for each available processor
 * @param receiveBufferBytes size of one read, {@link #MIN_RECEIVE_BUFFER}..{@link #MAX_RECEIVE_BUFFER}
 * @param maxConnections connections in this process, 1..{@link #MAX_CONNECTIONS}
 * @param writeLowWatermarkBytes below it a peer is read from again, {@link #MIN_WATERMARK}..{@link #MAX_WATERMARK}, less than the high one
 * @param writeHighWatermarkBytes over it a peer is read from no more, same range
 * @param acceptPause rest of a listener after the descriptors ran out, {@link #MIN_ACCEPT_PAUSE}..{@link #MAX_ACCEPT_PAUSE}
 */
public record TransportSettings(
        TransportKind kind,
        int eventLoops,
        int receiveBufferBytes,
        int maxConnections,
        int writeLowWatermarkBytes,
        int writeHighWatermarkBytes,
        Duration acceptPause) {

    /** Greatest number of event loops. */
    public static final int MAX_EVENT_LOOPS = 1_024;
    /** Least size of one read, bytes. */
    public static final int MIN_RECEIVE_BUFFER = 512;
    /** Greatest size of one read, bytes. */
    public static final int MAX_RECEIVE_BUFFER = 64 << 10;
    /** Greatest number of connections. */
    public static final int MAX_CONNECTIONS = 10_000_000;
    /** Least watermark, bytes. */
    public static final int MIN_WATERMARK = 1 << 10;
    /** Greatest watermark, bytes. */
    public static final int MAX_WATERMARK = 64 << 20;
    /** Shortest rest of a listener. */
    public static final Duration MIN_ACCEPT_PAUSE = Duration.ofMillis(10);
    /** Longest rest of a listener. */
    public static final Duration MAX_ACCEPT_PAUSE = Duration.ofSeconds(60);

    /** @throws IllegalArgumentException naming what is out of range */
    public TransportSettings {
        inRange("event-loops", eventLoops, 0, MAX_EVENT_LOOPS);
        inRange("receive-buffer", receiveBufferBytes, MIN_RECEIVE_BUFFER, MAX_RECEIVE_BUFFER);
        inRange("max-connections", maxConnections, 1, MAX_CONNECTIONS);
        inRange("write-watermark.low", writeLowWatermarkBytes, MIN_WATERMARK, MAX_WATERMARK);
        inRange("write-watermark.high", writeHighWatermarkBytes, MIN_WATERMARK, MAX_WATERMARK);
        if (writeLowWatermarkBytes >= writeHighWatermarkBytes) {
            throw new IllegalArgumentException("transport.write-watermark.low = " + writeLowWatermarkBytes
                    + ": need less than write-watermark.high = " + writeHighWatermarkBytes);
        }
        if (acceptPause.compareTo(MIN_ACCEPT_PAUSE) < 0 || acceptPause.compareTo(MAX_ACCEPT_PAUSE) > 0) {
            throw new IllegalArgumentException("transport.accept-pause = " + acceptPause + ": need 10ms..60s");
        }
    }

    /** Event loops there will be. */
    public int loopCount() {
        return eventLoops == 0 ? Runtime.getRuntime().availableProcessors() : eventLoops;
    }

    private static void inRange(String key, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("transport." + key + " = " + value + ": need " + min + ".." + max);
        }
    }
}
