package io.heartwheel.event;

/**
 * Fact about a device's connection, as it leaves the gateway. Immutable; any thread. Times are wall-clock milliseconds since 1970 for
 * people and back ends; no deadline is ever computed from them.
 */
public sealed interface ConnectionEvent extends Fact {

    /** Who it is about. */
    Identity identity();

    /**
     * Name of a connection and its device.
     *
     * @param deviceId the device's own name, 1..128 bytes of UTF-8
     * @param sessionId this connection, unique in the process
     * @param epoch grows with each connection of the device
     */
    record Identity(String deviceId, long sessionId, long epoch) {}

    /**
     * The device has an established session.
     *
     * @param protocol {@code heartwheel}, {@code heartwheel.v1} or {@code plain}
     * @param remote address and port of the peer; of the device itself where a trusted balancer told it
     * @param via address and port of that balancer; empty if the peer came directly
     * @param clientName what the device calls its software, may be empty
     * @param grantedIntervalMillis the heartbeat interval in force, milliseconds
     */
    record Connected(
            Identity identity,
            long atEpochMillis,
            String protocol,
            String remote,
            String via,
            String clientName,
            long grantedIntervalMillis)
            implements ConnectionEvent {}

    /** A connection has ended. */
    sealed interface Ended extends ConnectionEvent {
        /** All that is known of it; its reason is never null. */
        Evidence evidence();

        @Override
        default Identity identity() {
            return evidence().identity();
        }

        @Override
        default long atEpochMillis() {
            return evidence().atEpochMillis();
        }
    }

    /**
     * An established session has ended. Exactly one for each {@link Connected}.
     *
     * @param evidence all that is known of it; its reason is never null
     */
    record Disconnected(Evidence evidence) implements Ended {}

    /**
     * A connection was turned away before it was a device. Not each has an event.
     *
     * @param evidence all that is known of it; its reason is never null
     * @param unreported how many more were turned away for the same reason and have no event, since the last event that told of some
     */
    record Refused(Evidence evidence, long unreported) implements Ended {}

    /**
     * A DATA frame or WebSocket message from the device. The payload belongs to the event: nobody changes it.
     *
     * @param messageId the device's id for it, 0 if none
     * @param text whether the payload is (checked) UTF-8
     * @param payload the bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // a payload is compared by nobody, and copied as seldom as can be
    record Message(Identity identity, long atEpochMillis, long messageId, boolean text, byte[] payload)
            implements ConnectionEvent {}
}
