package io.heartwheel.push.group;

import io.heartwheel.push.Push;
import org.jspecify.annotations.Nullable;

/**
 * Message to all of a group, or to all devices. Immutable; any thread; nobody changes the payload.
 *
 * @param messageId the same for all devices; not 0
 * @param group null: to all devices
 * @param text whether the payload is well-formed UTF-8
 * @param ack what is waited for, for each device
 * @param timeoutNanos how long, from when it is the device's turn; more than 0
 * @param store whether it is kept on the disk for each of them
 * @param devicesPerSecond at most so many a second, 1..{@link #MOST_RATE}; 0: as fast as they can be served
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Broadcast(
        long messageId,
        @Nullable String group,
        boolean text,
        byte[] payload,
        Push.Ack ack,
        long timeoutNanos,
        boolean store,
        int devicesPerSecond) {
    /** The highest rate that can be asked for. */
    public static final int MOST_RATE = 1_000_000;

    /** The same at another rate. */
    public Broadcast at(int rate) {
        return new Broadcast(messageId, group, text, payload, ack, timeoutNanos, store, rate);
    }

    Push to(String deviceId) {
        return new Push(deviceId, messageId, text, payload, ack, false, timeoutNanos, store);
    }

    Broadcast with(byte[] other) {
        return new Broadcast(messageId, group, text, other, ack, timeoutNanos, store, devicesPerSecond);
    }
}
