package io.heartwheel.push;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of messages that wait for an acknowledgement. Immutable; any thread.
 *
 * @param perDevice the most that wait for one device, 1..65536
 * @param bytesPerDevice the most that their payloads have together, 1KiB..64MiB
 * @param totalBytes the most that the messages for all devices take, {@link #MESSAGE_BYTES} and the payload each; 1MiB..16GiB
 * @param keepKeys how long a result is kept under its Idempotency-Key, 1s..30d
 * @param keysMaxBytes the most that keys and their results take, 64KiB..1GiB
 * @param stored what is kept on the disk
 */
public record PushSettings(
        int perDevice,
        long bytesPerDevice,
        long totalBytes,
        Duration keepKeys,
        long keysMaxBytes,
        StoredSettings stored) {
    /** What the reference configuration says. */
    public static final PushSettings DEFAULTS =
            new PushSettings(256, 1 << 20, 64 << 20, Duration.ofHours(24), 16 << 20, StoredSettings.NONE);

    /** What a message that waits is counted with beside its payload: at least what it takes, its deadline included. */
    public static final int MESSAGE_BYTES = 512;

    /** The longest that a message may wait: whoever asked holds a connection for it meanwhile. */
    public static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);

    /** How long a message waits whose sender does not say. */
    public static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The limit of a device that one more would pass, beside so many and their bytes; null: none. One alone is always taken. */
    @Nullable
    String reached(int count, long bytes, int payloadBytes) {
        if (count >= perDevice) {
            return "messages.per-device = " + perDevice + ": that many wait for the device";
        }
        return count > 0 && bytes + payloadBytes > bytesPerDevice
                ? "messages.bytes-per-device = " + bytesPerDevice + "B: " + bytes
                        + " wait for the device, and this one has " + payloadBytes
                : null;
    }

    /** The most entries of the wheel that messages can have at once: the deadline of each, and the end of its pause if the device does not want it now. */
    public int mostTimers() {
        return (int) Math.min(Integer.MAX_VALUE, 2 * (totalBytes / MESSAGE_BYTES));
    }
}
