package io.heartwheel.session;

/**
 * A frame whose first bytes are here and whose last are not. Written by the loop; the wheel's thread may read fields of different instants,
 * which at worst makes it look once more.
 */
final class Unfinished {
    /** When its first bytes came, nanoseconds; moved by the time that reading was paused. */
    long sinceNanos;
    /** When its latest bytes came, nanoseconds. */
    long lastByteNanos;
    /** How many bytes of it are here. */
    int bytes;

    Unfinished(long sinceNanos, int bytes) {
        this.sinceNanos = sinceNanos;
        lastByteNanos = sinceNanos;
        this.bytes = bytes;
    }
}
