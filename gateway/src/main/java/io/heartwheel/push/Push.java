package io.heartwheel.push;

/**
 * Message to a device, and how sure its sender wants to be. Nobody changes the payload.
 *
 * @param id what the device acknowledges and tells repeats by; not 0 if its ACK is wanted
 * @param text whether the payload is well-formed UTF-8
 * @param reply whether a message of the device with the same id is waited for; then {@code ack} is DEVICE
 * @param timeoutNanos how long is waited, more than 0
 * @param store whether it is kept on the disk, also for a device that is away; its result is then {@link PushResult.Outcome#QUEUED}
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Push(
        String deviceId,
        long id,
        boolean text,
        byte[] payload,
        Ack ack,
        boolean reply,
        long timeoutNanos,
        boolean store) {
    /** The same, for the device of this id. */
    Push to(String device) {
        return new Push(device, id, text, payload, ack, reply, timeoutNanos, store);
    }

    /** The same, with so much time left. */
    public Push within(long leftNanos) {
        return new Push(deviceId, id, text, payload, ack, reply, leftNanos, store);
    }

    /** What has to have happened before the sender is told of success. */
    public enum Ack {
        /** It is written to the connection. */
        SENT("sent"),
        /** The peer's stack has read past it: it has answered a ping behind it. */
        RECEIVED("received"),
        /** The device says so. */
        DEVICE("device");

        private final String label;

        Ack(String label) {
            this.label = label;
        }

        /** As in requests. */
        public String label() {
            return label;
        }
    }
}
